import { readdirSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { foldedGet, isMapping } from "../../yaml/read/json.ts";
import { kustomizationWithPaths } from "../../applications/kustomize/paths.ts";
import type { InflatedChart } from "../../applications/kustomize/inflated-charts.ts";
import { RollstampError } from "../../base/errors.ts";
import { KUSTOMIZATION_FILES } from "../../base/hosts/kustomize.ts";
import { toJson, type Json } from "../../yaml/read/node.ts";
import { readTree } from "../../yaml/read/tree.ts";
import { textOf } from "../ports/files.ts";
import { find, type Found } from "./found-in-repository.ts";
import { folderView, pathIn, twoNamespaces } from "./kustomization-paths.ts";
import type { OriginPaths } from "./origin-paths.ts";
import { resourcesBelow } from "./generated-resources.ts";
import { readInside } from "./repository-files.ts";
import { stageInflatedChart, type ChartToInflate } from "./staged-inflation.ts";
import { freeName, MOST_ENTRIES } from "./staged-files.ts";
import { Apart, KustomizationFolder, type KustomizationToStage, type Staging } from "./staged-names.ts";

/** A kustomization that is staged. */
export interface StagedKustomization {
  /** The folder in which kustomize is to run, from the stage's folder. */
  readonly at: string;
  /** Charts to be rendered before that. */
  readonly charts: readonly ChartToInflate[];
  /** Where kustomize looks for the programs of the functions of ours that it lists. */
  readonly ownPlugins: ReadonlySet<string>;
  /** What is told of files that stand elsewhere in the stage. */
  readonly origins: OriginPaths;
}

/**
 * Copies a kustomization into a stage with all that it names, and all that these name. A kustomization is written
 * anew, as we have read it: so kustomize can't read it differently, and finds each path as we have resolved it.
 * No file is left above the folder that names it, so that kustomize never has to be let out of it: what a
 * plugin's configuration says only when it has been patched, nobody has read.
 */
export function stageKustomization(toStage: KustomizationToStage): StagedKustomization {
  const staging = new KustomizationStaging(toStage);
  staging.visit(toStage.application.folder, "");
  const { charts, ownPlugins, origins } = staging;
  return { at: staging.fromRoot(toStage.application.folder), charts, ownPlugins, origins };
}

/** What stands in a stage. */
export interface Staged {
  /** The bytes of each file, by its path in the repository. */
  readonly files: Map<string, number>;
  /** The folders with a kustomization. */
  readonly folders: Map<string, StagedFolder>;
}

interface StagedFolder {
  readonly namespace: string;
  /** Whether charts of it or below take the namespace of what names it. */
  readonly inherits: boolean;
  /** The files that it names, and its own. */
  readonly files: readonly string[];
  /** The folders with a kustomization that it names. */
  readonly folders: readonly string[];
  /** How deep kustomizations name one another from here, this one included. */
  readonly height: number;
}

/**
 * The same in a stage in which others of the same tree are. Undefined for what has to be staged by itself: what is to be
 * rendered or looked at before, what is built otherwise than it is written, and what is wrong, as the error is that of a
 * stage of its own.
 */
export function stageTogether(
  toStage: KustomizationToStage,
  before: Staged,
): { readonly at: string; readonly size: number } | undefined {
  const { folder, limits } = toStage.application;
  try {
    const staging = new KustomizationStaging(toStage, before);
    staging.visit(folder, "");
    const { entries, size } = sizeOf(folder, before);
    return entries > MOST_ENTRIES || size > limits.inputSize ? undefined : { at: staging.fromRoot(folder), size };
  } catch (cause) {
    if (cause instanceof Apart || cause instanceof RollstampError) return undefined;
    throw cause;
  }
}

/** What a folder with a kustomization comes to, with all that it names. */
function sizeOf(folder: string, { files, folders }: Staged): { readonly entries: number; readonly size: number } {
  const named = new Set<string>();
  const visited = new Set<string>([folder]);
  for (const at of visited) {
    const staged = folders.get(at);
    for (const one of staged?.folders ?? []) visited.add(one);
    for (const one of staged?.files ?? []) named.add(one);
  }
  let size = 0;
  for (const one of named) size += files.get(one) ?? 0;
  return { entries: visited.size + named.size, size };
}

/** Kustomizations of which each names the next one: they are visited within each other, and the stack ends at a thousand. */
const MOST_DEEP = 200;

/** The stage of one application while it is filled. */
class KustomizationStaging implements Staging {
  readonly charts: ChartToInflate[] = [];
  readonly ownPlugins = new Set<string>();
  readonly origins: OriginPaths = new Map();
  readonly given: KustomizationToStage;
  readonly isTogether: boolean;
  // A file that two kustomizations name is read once, and a base is staged once: under another namespace its charts would
  // have to be rendered anew.
  private readonly staged: Staged;
  // What the folder that is being staged names.
  private named: { readonly files: string[]; readonly folders: string[] } = { files: [], folders: [] };
  private chartsAt: string | undefined;
  private depth = 0;

  constructor(given: KustomizationToStage, before?: Staged) {
    this.given = given;
    this.isTogether = before !== undefined;
    this.staged = before ?? { files: new Map(), folders: new Map() };
  }

  shown(path: string): string {
    return relative(this.given.application.folder, path) || ".";
  }

  find(path: string): Found | undefined {
    const { isLeftOut, application } = this.given;
    const found = find(path, application.root, this.shown(path));
    if (isLeftOut === undefined || found === undefined) return found;
    const isThere =
      found.real === resolve(path) && !(found.is === "file" && isLeftOut(this.fromRoot(found.real), false));
    return isThere ? found : undefined;
  }

  /** A path as it is from the root of the repository, with slashes; the root is ".". */
  fromRoot(path: string): string {
    return relative(this.given.application.root, path).split(sep).join("/") || ".";
  }

  copy(real: string, to: string, shown: string): void {
    this.named.files.push(to);
    if (this.staged.files.has(to)) return;
    const bytes = this.given.stage.copy(real, relative(this.given.application.root, to), shown);
    this.staged.files.set(to, bytes.length);
  }

  put(to: string, text: string): void {
    this.named.files.push(to);
    this.given.stage.put(relative(this.given.application.root, to), text);
    this.staged.files.set(to, text.length);
  }

  text(real: string, shown: string): string {
    const { root, limits } = this.given.application;
    return textOf(readInside(real, { root, shown, most: limits.inputSize }));
  }

  documents(text: string, shown: string): readonly Json[] {
    const tree = readTree(text, shown, this.given.application.limits);
    return tree.documents.map((node) => toJson(tree, node));
  }

  /** Stages a folder with a kustomization; true where charts of it or below take the namespace of what names it. */
  visit(folder: string, namespace: string): boolean {
    this.named.folders.push(folder);
    const before = this.staged.folders.get(folder);
    if (before !== undefined) {
      this.holdDepth(folder, before.height);
      if (before.inherits && before.namespace !== namespace) throw twoNamespaces(this.shown(folder));
      return before.inherits;
    }
    this.holdDepth(folder, 1);
    this.depth += 1;
    const around = this.named;
    const named = (this.named = { files: [], folders: [] });
    // Of a circle kustomize tells itself.
    this.staged.folders.set(folder, { namespace, inherits: false, ...named, height: 1 });
    try {
      const inherits = this.stageFolder(folder, namespace);
      const below = named.folders.reduce((most, one) => Math.max(most, this.staged.folders.get(one)?.height ?? 0), 0);
      this.staged.folders.set(folder, { namespace, inherits, ...named, height: 1 + below });
      return inherits;
    } catch (cause) {
      // Others are to find the same in it.
      this.staged.folders.delete(folder);
      throw cause;
    } finally {
      this.named = around;
      this.depth -= 1;
    }
  }

  /** The same whether another application has staged what stands below, or not. */
  private holdDepth(folder: string, height: number): void {
    if (this.depth + height <= MOST_DEEP) return;
    throw new RollstampError("input", `kustomizations name one another more than ${MOST_DEEP} deep`, {
      place: { file: this.shown(folder) },
    });
  }

  private stageFolder(folder: string, namespace: string): boolean {
    this.given.stage.count();
    let inherits = false;
    for (const { path, written } of this.written(folder)) {
      const shown = this.shown(path);
      const first = folder === this.given.application.folder ? this.edited(written) : written;
      const own = isMapping(first) ? foldedGet(first, "namespace") : undefined;
      const hasOwn = typeof own === "string" && own !== "";
      const paths = new KustomizationFolder(this, path, hasOwn ? own : namespace);
      this.put(path, `${JSON.stringify(kustomizationWithPaths(first, paths.visitor(), shown))}\n`);
      inherits ||= !hasOwn && paths.inherits;
    }
    return inherits;
  }

  /** The kustomization files of a folder; where the one that is built has none, what is generated in its place. */
  private written(folder: string): readonly { readonly path: string; readonly written: Json }[] {
    const files = kustomizationFilesOf(folder).flatMap((name) => {
      const path = join(folder, name);
      const found = this.find(path);
      if (found?.is !== "file") return [];
      const shown = this.shown(path);
      const [written = null] = this.documents(this.text(found.real, shown), shown);
      return [{ path, written }];
    });
    const { generate, application } = this.given;
    if (files.length > 0 || generate === undefined || folder !== application.folder) return files;
    return [{ path: join(folder, KUSTOMIZATION_FILES[0]), written: generate(this.manifests(folder)) }];
  }

  private manifests(folder: string): readonly string[] {
    const { isLeftOut } = this.given;
    if (isLeftOut === undefined) return resourcesBelow(folder, undefined);
    const found = resourcesBelow(folder, (path, isFolder) => isLeftOut(this.fromRoot(path), isFolder));
    if (found.length > 0 || !isLeftOut(this.fromRoot(folder), true)) return found;
    throw new RollstampError("input", "its path is left out of what Flux fetches, by .sourceignore or spec.ignore");
  }

  private edited(kustomization: Json): Json {
    const { edit, application } = this.given;
    if (edit === undefined) return kustomization;
    const edited = edit(
      kustomization,
      folderView(application, (path) => this.find(path)),
    );
    if (this.isTogether && edited !== kustomization) throw new Apart();
    return edited;
  }

  inflate(chart: InflatedChart, folder: string, result: string): void {
    const { stage, application } = this.given;
    this.charts.push(
      stageInflatedChart(stage, {
        chart,
        kustomization: this.shown(folder),
        root: application.root,
        find: (path) => this.find(pathIn(folder, path)),
        to: join((this.chartsAt ??= freeName(application.root, "rollstamp-charts")), String(this.charts.length)),
        result: relative(application.root, result),
      }),
    );
  }
}

/** The names of kustomization files that a folder may have: to look for one that isn't there costs more than for all names. */
function kustomizationFilesOf(folder: string): readonly string[] {
  try {
    const names = new Set(readdirSync(folder));
    return KUSTOMIZATION_FILES.filter((name) => names.has(name));
  } catch {
    return KUSTOMIZATION_FILES;
  }
}
