import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { foldedGet, isMapping } from "../manifest/json-keys.ts";
import {
  isInline,
  kustomizationWithPaths,
  looksRemote,
  namesFiles,
  pluginConfigs,
  pluginWithPaths,
  unsafeRemote,
  type PathVisitor,
} from "../cmp/kustomization-paths.ts";
import type { InflatedChart } from "../cmp/kustomize-charts.ts";
import { foreignFunction, isBuiltIn, ownFunction, pluginPath } from "../cmp/own-functions.ts";
import { RollstampError } from "../ground/errors.ts";
import { KUSTOMIZATION_FILES } from "../ground/hosts/kustomize.ts";
import { isInside } from "../ground/inside.ts";
import { toJson, type Json } from "../manifest/node.ts";
import { readTree } from "../manifest/tree.ts";
import type { ApplicationFolder, ApplicationToRender, KustomizationEdit } from "../io/applications.ts";
import { textOf } from "../io/files.ts";
import { find, outsideOf, type Found } from "./found-in-repository.ts";
import { folderView, pathIn, pluginsByFolder, twoNamespaces } from "./kustomization-paths.ts";
import { chartOrigins, type OriginPaths } from "./origin-paths.ts";
import { resourcesBelow } from "./generated-resources.ts";
import { readInside } from "./repository-files.ts";
import { stageInflatedChart, type ChartToInflate } from "./staged-inflation.ts";
import { freeName, type Stage } from "./staged-files.ts";

export interface KustomizationToStage {
  readonly application: ApplicationFolder;
  readonly stage: Stage;
  /** Whether the sidecar's owner lets kustomize fetch. */
  readonly allowRemote: boolean;
  /** Whether a kustomization may name files above its folder. */
  readonly unrestricted: boolean;
  /** Whether charts are rendered. */
  readonly withCharts: boolean;
  /** Which plugins kustomize starts: none but its own, rollstamp's too, or those of the sidecar's owner. */
  readonly plugins: "none" | "rollstamps" | "owners";
  /** What a function of ours is configured by, in the place of what is written. */
  readonly ownConfig: (config: Json) => Json;
  /** What becomes of the kustomization that is built; not of those that it names. */
  readonly edit: KustomizationEdit | undefined;
  /** What a folder without a kustomization is built from. */
  readonly generate: ApplicationToRender["generate"];
  /** What is as good as not there. */
  readonly isLeftOut: ApplicationToRender["isLeftOut"];
}

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
  return { at: relative(toStage.application.root, toStage.application.folder) || ".", charts, ownPlugins, origins };
}

/** The stage of one application while it is filled. */
class KustomizationStaging {
  readonly charts: ChartToInflate[] = [];
  readonly ownPlugins = new Set<string>();
  readonly origins: OriginPaths = new Map();
  readonly given: KustomizationToStage;
  // By path: a file that two kustomizations name is read once.
  private readonly done = new Set<string>();
  // A base is staged once: under another namespace its charts would have to be rendered anew.
  private readonly visited = new Map<string, { readonly namespace: string; readonly inherits: boolean }>();
  private readonly chartsAt: string;

  constructor(given: KustomizationToStage) {
    this.given = given;
    this.chartsAt = freeName(given.application.root, "rollstamp-charts");
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

  private fromRoot(path: string): string {
    return relative(this.given.application.root, path).split(sep).join("/") || ".";
  }

  copy(real: string, to: string, shown: string): void {
    if (this.done.has(to)) return;
    this.done.add(to);
    this.given.stage.copy(real, relative(this.given.application.root, to), shown);
  }

  put(to: string, text: string): void {
    this.done.add(to);
    this.given.stage.put(relative(this.given.application.root, to), text);
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
    const before = this.visited.get(folder);
    if (before !== undefined) {
      if (before.inherits && before.namespace !== namespace) throw twoNamespaces(this.shown(folder));
      return before.inherits;
    }
    // Of a circle kustomize tells itself.
    this.visited.set(folder, { namespace, inherits: false });
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
    this.visited.set(folder, { namespace, inherits });
    return inherits;
  }

  /** The kustomization files of a folder; where the one that is built has none, what is generated in its place. */
  private written(folder: string): readonly { readonly path: string; readonly written: Json }[] {
    const files = KUSTOMIZATION_FILES.flatMap((name) => {
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
    return edit(
      kustomization,
      folderView(application, (path) => this.find(path)),
    );
  }

  inflate(chart: InflatedChart, folder: string, result: string): void {
    const { stage, application } = this.given;
    this.charts.push(
      stageInflatedChart(stage, {
        chart,
        kustomization: this.shown(folder),
        root: application.root,
        find: (path) => this.find(pathIn(folder, path)),
        to: join(this.chartsAt, String(this.charts.length)),
        result: relative(application.root, result),
      }),
    );
  }
}

/** The paths that the kustomization of a folder names, each staged. */
class KustomizationFolder {
  inherits = false;
  private readonly all: KustomizationStaging;
  private readonly kustomization: string;
  private readonly folder: string;
  private readonly namespace: string;
  private readonly ownFolder: string;
  private ownPaths = 0;
  private readonly moved = new Map<string, string>();

  constructor(all: KustomizationStaging, kustomization: string, namespace: string) {
    this.all = all;
    this.kustomization = kustomization;
    this.folder = dirname(kustomization);
    this.namespace = namespace;
    this.ownFolder = join(this.folder, freeName(this.folder, "rollstamp-copies"));
  }

  visitor(): PathVisitor {
    const visitor: PathVisitor = {
      file: (path) => this.file(path),
      resource: (path) => this.resource(path),
      patch: (path) => (isInline(path) ? this.text(path) : this.file(path)),
      plugin: (path) => this.plugin(path, visitor),
      chart: this.all.given.withCharts ? (chart) => this.chart(chart) : undefined,
    };
    return visitor;
  }

  private file(path: string): string {
    if (path === "") return path;
    const found = this.found(path);
    if (found === undefined) return this.missing(path);
    return found.is === "file" ? this.copied(path, found.real) : this.local(pathIn(this.folder, path));
  }

  private resource(path: string): string {
    if (path === "") return path;
    const found = /[\r\n]/u.test(path) ? undefined : this.found(path);
    if (found === undefined) return this.missing(path);
    if (found.is === "file") return this.copied(path, found.real);
    this.inherits = this.all.visit(found.real, this.namespace) || this.inherits;
    return this.local(found.real);
  }

  private plugin(path: string, visitor: PathVisitor): string {
    const written = (configs: readonly Json[], name: string): string =>
      configs.map((config) => `---\n${JSON.stringify(this.config(config, visitor, name))}\n`).join("");
    const here = this.all.shown(this.folder);
    if (isInline(path)) return this.text(written(pluginConfigs(this.all.documents(path, here), here), here));
    const found = this.found(path);
    const { plugins } = this.all.given;
    if (found?.is !== "file") {
      if (plugins !== "none" && (found?.is === "folder" || looksRemote(path))) throw pluginsByFolder(path, here);
      return this.resource(path);
    }
    const name = this.all.shown(pathIn(this.folder, path));
    const configs = pluginConfigs(this.all.documents(this.all.text(found.real, name), name), name);
    const text = written(configs, name);
    // Where a program is looked for by what stands there, kustomize reads what we have read.
    if (plugins === "none" && !configs.some(namesFiles)) return this.copied(path, found.real);
    const below = this.ownPath(basename(found.real));
    this.all.put(below, text);
    this.all.origins.set(this.all.shown(below), [name]);
    return this.local(below);
  }

  private config(config: Json, visitor: PathVisitor, name: string): Json {
    const { plugins, ownConfig } = this.all.given;
    if (plugins === "owners" || isBuiltIn(config)) return pluginWithPaths(config, visitor, name);
    const own = ownFunction(config);
    if (own === undefined) throw foreignFunction(config, name);
    this.all.ownPlugins.add(pluginPath(own));
    return ownConfig(own.config);
  }

  private chart(chart: InflatedChart): string {
    this.inherits ||= chart.namespace === "";
    const name = basename(chart.name);
    // A name such as `charts/..` names no folder of its own.
    const below = this.ownPath(/^\.*$/u.test(name) ? "chart" : name);
    this.all.inflate({ ...chart, namespace: chart.namespace || this.namespace }, this.folder, below);
    const origins = chartOrigins(this.all.shown(below), this.all.shown(this.kustomization));
    for (const [path, told] of origins) this.all.origins.set(path, told);
    return this.local(below);
  }

  /** What is no path but a text; kustomize takes one for a path all the same where it can't read it. */
  private text(text: string): string {
    const path = pathIn(this.folder, text);
    if (!isInside(this.all.given.application.root, path)) throw outsideOf(text);
    return text;
  }

  private found(path: string): Found | undefined {
    return /^\s*[a-z][a-z0-9+.-]*:\/\//iu.test(path) ? undefined : this.all.find(pathIn(this.folder, path));
  }

  /** Copies a file, and gives the path by which it is found. */
  private copied(path: string, real: string): string {
    const target = pathIn(this.folder, path);
    if (!this.all.given.unrestricted || isInside(this.folder, target)) {
      this.all.copy(real, target, this.all.shown(target));
      return this.local(target);
    }
    const below = this.moved.get(target) ?? this.ownPath(basename(target));
    this.moved.set(target, below);
    this.all.copy(real, below, this.all.shown(target));
    this.all.origins.set(this.all.shown(below), [this.all.shown(target)]);
    return this.local(below);
  }

  private missing(path: string): string {
    if (!looksRemote(path)) return this.local(pathIn(this.folder, path));
    const shown = path.trim().slice(0, 200);
    const place = { file: this.all.shown(this.folder) };
    if (this.all.given.allowRemote) {
      const why = unsafeRemote(path);
      if (why === undefined) return path;
      throw new RollstampError("input", `the kustomization names '${shown}', which ${why}`, { place });
    }
    throw new RollstampError("input", `the kustomization names '${shown}', and nothing is fetched`, {
      place,
      remedy:
        "Commit what it holds; ROLLSTAMP_ALLOW_REMOTE_BASES=true in the environment allows it, under Argo CD in the sidecar's.",
      missing: `'${shown}'`,
    });
  }

  /** A path of our own below the folder; it ends in a given name, of which generators make a key. */
  private ownPath(name: string): string {
    this.ownPaths += 1;
    return join(this.ownFolder, String(this.ownPaths), name);
  }

  /** The way to a path. One that begins with a dot is no URL to kustomize, whatever stands behind. */
  private local(path: string): string {
    const way = relative(this.folder, path).split(sep).join("/") || ".";
    return way === "." || way === ".." || way.startsWith("../") ? way : `./${way}`;
  }
}
