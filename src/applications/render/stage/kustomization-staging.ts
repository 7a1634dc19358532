import { createHash } from "node:crypto";
import { join, relative, resolve, sep } from "node:path";
import { quietly, RollstampError } from "../../../base/errors.ts";
import { addTo, sumOf } from "../../../base/grouped.ts";
import { KUSTOMIZATION_FILES } from "../../../base/hosts/kustomize.ts";
import type { OutsidePart } from "../../../base/outside.ts";
import type { ChartAddress, LeftOut } from "../../../platform/ports/applications.ts";
import type { FoundPath } from "../../../platform/ports/stage.ts";
import { foldedGet, isMapping } from "../../../yaml/read/json.ts";
import type { Json } from "../../../yaml/read/node.ts";
import { readTree } from "../../../yaml/read/tree.ts";
import { addressOf, type InflatedChart } from "../../kustomize/inflated-charts.ts";
import type { KustomizationPatch } from "../../kustomize/kustomization.ts";
import { replacePaths } from "../../kustomize/paths.ts";
import { chartKey } from "../../tools/helm-pull.ts";
import { dataDigest } from "../affected.ts";
import { EMPTY_SCHEMA, mayHoldBuiltIn, mergedBy, type Merged } from "./built-in-schema.ts";
import { resourcesBelow } from "./generated-resources.ts";
import { KustomizationFolder } from "./kustomization-folder.ts";
import { ALONE, loadsWith, type Loads } from "./loads.ts";
import { changesOf, patchDocuments, withTargets, type About, type PatchDocument } from "./missing-objects.ts";
import { freeName, pathIn, StageAlone, type KustomizationToStage, type Staging } from "./staging.ts";
import { stageInflatedChart, type ChartToInflate } from "./stage-inflated-chart.ts";
import { readDocuments } from "../../../yaml/read/manifest-text.ts";

/** What a stage contains. Paths are those in the repository. */
export interface StagedKustomizations {
  /** The size of each file. */
  readonly files: Map<string, number>;
  readonly folders: Map<string, StagedFolder>;
}

interface StagedFolder extends Loads {
  readonly namespace: string;
  /** Whether charts in it or below take the namespace of the kustomization that includes it. */
  readonly inheritsNamespace: boolean;
  /** The files that it names, and its own. */
  readonly files: readonly string[];
  /** The folders with a kustomization that it names. */
  readonly folders: readonly string[];
}

/** What is left out. */
interface Missing {
  readonly part: OutsidePart;
  readonly from: Json;
  readonly folder: string;
  readonly makes: "secrets" | undefined;
}

/** The longest chain of kustomizations. Each link is a nested call, and the call stack overflows at about a thousand. */
const MOST_DEEP = 200;

export class KustomizationStaging implements Staging {
  readonly charts: ChartToInflate[] = [];
  readonly wanted: Map<string, ChartAddress> = new Map();
  readonly ownPlugins: Set<string> = new Set();
  readonly given: KustomizationToStage;
  readonly isTogether: boolean;
  hasEmptySchema = false;
  /** What the merges of all kustomizations look up. */
  private merged: Merged = "nothing";
  // A file that two kustomizations name is read once, and a base is staged once: for another namespace its charts would have
  // to be rendered again.
  private readonly staged: StagedKustomizations;
  /** What the folder that is being staged names. */
  private named: { readonly files: string[]; readonly folders: string[] } = { files: [], folders: [] };
  private chartsAt: string | undefined;
  private depth = 0;
  private current = "";
  private readonly missing: Missing[] = [];
  /** By folder, digests of everything but resources: it may change the objects of what is left out. */
  private readonly notes = new Map<string, { readonly about: About; readonly digest: string }[]>();
  private readonly components = new Set<string>();

  constructor(given: KustomizationToStage, staged?: StagedKustomizations) {
    this.given = given;
    this.isTogether = staged !== undefined;
    this.staged = staged ?? { files: new Map(), folders: new Map() };
  }

  shown(path: string): string {
    return relative(this.given.application.folder, path) || ".";
  }

  find(path: string): FoundPath | undefined {
    const { isLeftOut, stage } = this.given;
    const found = stage.source.find(path, this.shown(path));
    if (isLeftOut === undefined || found === undefined) return found;
    const isThere =
      found.real === resolve(path) && !(found.is === "file" && isLeftOut(this.fromRoot(found.real), false));
    return isThere ? found : undefined;
  }

  /** A path relative to the root of the repository, with slashes; the root is ".". */
  fromRoot(path: string): string {
    return relative(this.given.application.root, path).split(sep).join("/") || ".";
  }

  copy(real: string, to: string, shown: string, about: About | undefined): void {
    this.named.files.push(to);
    if (this.staged.files.has(to)) return;
    const bytes = this.given.stage.copy(real, relative(this.given.application.root, to), shown);
    this.staged.files.set(to, bytes.length);
    if (!this.isTogether) this.look(bytes, shown);
    if (about !== undefined) this.note(bytes, about);
  }

  /** Looks for what patches may merge in a file. */
  private look(bytes: Buffer, shown: string): void {
    const text = bytes.toString("utf8");
    if (mayHoldBuiltIn(text, () => quietly(() => this.documents(text, shown)))) this.merge("builtIn");
  }

  private merge(more: Merged): void {
    if (more === "builtIn" || this.merged === "nothing") this.merged = more;
  }

  note(text: string | Buffer, about: About): void {
    if (!this.given.leavesOut) return;
    addTo(this.notes, this.current, { about, digest: createHash("sha256").update(text).digest("hex") });
  }

  leaveOut(part: OutsidePart, from: Json, makes?: "secrets"): void {
    this.missing.push({ part, from, folder: this.current, makes });
  }

  /** The parts that were left out, each with what may change its objects. */
  leftOut(): readonly LeftOut[] {
    return this.missing.map(({ part, from, folder, makes }) => {
      const notes = [...this.changing(folder)].flatMap((path) => this.notes.get(path) ?? []);
      const changing = notes.filter(({ about }) => about === "any" || makes !== "secrets");
      return { ...part, id: dataDigest([from, changing.map(({ digest }) => digest).sort()]) };
    });
  }

  /** The folders whose kustomizations change the objects of a folder: those that include it, and their components. */
  private changing(folder: string): ReadonlySet<string> {
    const found = new Set([folder]);
    for (const path of found)
      for (const [parent, { folders }] of this.staged.folders) if (folders.includes(path)) found.add(parent);
    for (const path of found)
      for (const below of this.staged.folders.get(path)?.folders ?? [])
        if (this.components.has(below)) found.add(below);
    return found;
  }

  put(to: string, text: string): void {
    this.named.files.push(to);
    this.given.stage.put(relative(this.given.application.root, to), text);
    this.staged.files.set(to, text.length);
  }

  documents(text: string, shown: string): readonly Json[] {
    return readDocuments(text, shown, this.given.application.limits);
  }

  /** Stages a folder with a kustomization. Returns whether charts in it or below take the namespace of what includes it. */
  visit(folder: string, namespace: string): boolean {
    this.named.folders.push(folder);
    const known = this.staged.folders.get(folder);
    if (known !== undefined) {
      this.checkDepth(folder, known.height);
      if (known.inheritsNamespace && known.namespace !== namespace) throw namespaceConflict(this.shown(folder));
      return known.inheritsNamespace;
    }
    this.checkDepth(folder, 1);
    this.depth += 1;
    const outer = { named: this.named, current: this.current };
    const named = (this.named = { files: [], folders: [] });
    this.current = folder;
    // kustomize reports a cycle itself.
    this.staged.folders.set(folder, { namespace, inheritsNamespace: false, ...named, ...ALONE });
    try {
      const inheritsNamespace = this.stageFolder(folder, namespace);
      const below = named.folders.flatMap((path) => this.staged.folders.get(path) ?? []);
      const bytes = sumOf(named.files, (path) => this.staged.files.get(path) ?? 0);
      const loads = loadsWith(bytes, below, this.shown(folder), this.given.application.limits);
      this.staged.folders.set(folder, { namespace, inheritsNamespace, ...named, ...loads });
      return inheritsNamespace;
    } catch (cause) {
      // Other applications must get the same error.
      this.staged.folders.delete(folder);
      throw cause;
    } finally {
      this.named = outer.named;
      this.current = outer.current;
      this.depth -= 1;
    }
  }

  /** The same result whether or not another application has staged the folders below. */
  private checkDepth(folder: string, height: number): void {
    if (this.depth + height <= MOST_DEEP) return;
    throw new RollstampError("input", `kustomizations include each other more than ${MOST_DEEP} deep`, {
      place: { file: this.shown(folder) },
    });
  }

  private stageFolder(folder: string, namespace: string): boolean {
    this.given.stage.count();
    let inheritsNamespace = false;
    for (const { path, content } of this.kustomizationFiles(folder)) {
      const written = folder === this.given.application.folder ? this.edited(content) : content;
      const edited = this.given.skipsPatches ? withTargets(written, (patch) => this.patchesIn(folder, patch)) : written;
      const ownNamespace = isMapping(edited) ? foldedGet(edited, "namespace") : undefined;
      const hasOwn = typeof ownNamespace === "string" && ownNamespace !== "";
      const changes = changesOf(edited, this.given.skipsPatches);
      for (const about of ["any", "noSecret"] as const) this.note(JSON.stringify(changes.fields[about]), about);
      if (isMapping(edited) && edited["kind"] === "Component") this.components.add(folder);
      const contents = (patch: KustomizationPatch): readonly Json[] | undefined =>
        quietly(() => this.patchesIn(folder, patch))?.map((document) => document.content);
      this.merge(mergedBy(edited, contents));
      const paths = new KustomizationFolder(this, folder, hasOwn ? ownNamespace : namespace, changes.about);
      const staged = replacePaths(edited, paths.visitor(), this.shown(path));
      this.put(path, `${JSON.stringify(this.depth === 1 ? this.withoutSchema(folder, staged) : staged)}\n`);
      inheritsNamespace ||= !hasOwn && paths.inheritsNamespace;
    }
    return inheritsNamespace;
  }

  /** The kustomization that is built, with an empty schema if nothing needs that of kustomize. */
  private withoutSchema(folder: string, staged: Json): Json {
    const { allowRemote, keepsSchema, stage } = this.given;
    if (this.isTogether || allowRemote || keepsSchema || this.merged !== "custom" || !isMapping(staged)) return staged;
    const path = freeName(folder, "rollstamp-schema.json", stage.source);
    this.put(join(folder, path), EMPTY_SCHEMA);
    this.hasEmptySchema = true;
    return { ...staged, openapi: { path } };
  }

  /** The documents of a patch; undefined if there is no such file. */
  private patchesIn(folder: string, { path, text }: KustomizationPatch): readonly PatchDocument[] | undefined {
    const { application, stage } = this.given;
    const documents = (given: string, shown: string): readonly PatchDocument[] =>
      patchDocuments(readTree(given, shown, application.limits));
    if (path === undefined) return documents(text ?? "", this.shown(folder));
    const found = this.find(pathIn(folder, path));
    return found?.is === "file" ? documents(stage.source.text(found.real, path), path) : undefined;
  }

  /** The kustomization files of a folder. If the folder that is built has none, the generated one. */
  private kustomizationFiles(folder: string): readonly { readonly path: string; readonly content: Json }[] {
    const { generate, application, stage } = this.given;
    // Looking up a missing file costs more than listing the folder.
    const names = quietly(() => new Set(stage.source.entries(folder).map(({ name }) => name)));
    const files = KUSTOMIZATION_FILES.filter((name) => names?.has(name) ?? true).flatMap((name) => {
      const path = join(folder, name);
      const found = this.find(path);
      if (found?.is !== "file") return [];
      const shown = this.shown(path);
      const [content = null] = this.documents(stage.source.text(found.real, shown), shown);
      return [{ path, content }];
    });
    if (files.length > 0 || generate === undefined || folder !== application.folder) return files;
    return [{ path: join(folder, KUSTOMIZATION_FILES[0]), content: generate(this.manifests(folder)) }];
  }

  private manifests(folder: string): readonly string[] {
    const { isLeftOut, stage } = this.given;
    if (isLeftOut === undefined) return resourcesBelow(folder, stage.source, undefined);
    const found = resourcesBelow(folder, stage.source, (path, isFolder) => isLeftOut(this.fromRoot(path), isFolder));
    if (found.length > 0 || !isLeftOut(this.fromRoot(folder), true)) return found;
    throw new RollstampError("input", "Flux does not fetch its path: .sourceignore or spec.ignore excludes it");
  }

  private edited(kustomization: Json): Json {
    const { edit, application } = this.given;
    if (edit === undefined) return kustomization;
    // A path outside the repository counts as missing.
    const exists = (path: string): boolean => quietly(() => this.find(pathIn(application.folder, path))) !== undefined;
    const edited = edit(kustomization, exists);
    if (this.isTogether && edited !== kustomization) throw new StageAlone();
    return edited;
  }

  want(chart: ChartAddress): void {
    this.wanted.set(chartKey(chart), chart);
  }

  inflate(chart: InflatedChart, folder: string, result: string): void {
    const { stage, application, fetched, schemas } = this.given;
    const packed = fetched.get(chartKey(addressOf(chart)));
    this.chartsAt ??= freeName(application.root, "rollstamp-charts", stage.source);
    this.charts.push(
      stageInflatedChart(stage, {
        chart,
        kustomization: this.shown(folder),
        find: (path) => this.find(pathIn(folder, path)),
        to: join(this.chartsAt, String(this.charts.length)),
        result: relative(application.root, result),
        packed: Buffer.isBuffer(packed) ? packed : undefined,
        schemas,
      }),
    );
  }
}

/** The error for a base that would have to be staged twice. */
function namespaceConflict(file: string): RollstampError {
  return new RollstampError(
    "input",
    "a chart of this kustomization takes its namespace from the kustomizations that include it, and they have different ones",
    { place: { file }, remedy: "Set the namespace of the chart, or make two kustomizations." },
  );
}
