import { basename, dirname, join, relative, sep } from "node:path";
import type { InflatedChart } from "../../applications/kustomize/inflated-charts.ts";
import {
  isInline,
  looksRemote,
  namesFiles,
  pluginConfigs,
  pluginWithPaths,
  unsafeRemote,
  type PathVisitor,
} from "../../applications/kustomize/paths.ts";
import { foreignFunction, isBuiltIn, ownFunction, pluginPath } from "../../applications/tools/own-functions.ts";
import { RollstampError } from "../../base/errors.ts";
import { isKustomizationFile } from "../../base/hosts/kustomize.ts";
import { isInside } from "../../base/inside.ts";
import type { ApplicationFolder, ApplicationToRender, KustomizationEdit } from "../ports/applications.ts";
import type { Json } from "../../yaml/read/node.ts";
import { outsideOf, type Found } from "./found-in-repository.ts";
import { pathIn, pluginsByFolder } from "./kustomization-paths.ts";
import { chartOrigins, type OriginPaths } from "./origin-paths.ts";
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

/** What is staged, and what it is staged with. */
export interface Staging {
  readonly given: KustomizationToStage;
  readonly ownPlugins: Set<string>;
  readonly origins: OriginPaths;
  /** In a stage of several kustomizations only what is the same to all of them may stand. */
  readonly isTogether: boolean;
  readonly shown: (path: string) => string;
  readonly find: (path: string) => Found | undefined;
  readonly copy: (real: string, to: string, shown: string) => void;
  readonly put: (to: string, text: string) => void;
  readonly text: (real: string, shown: string) => string;
  readonly documents: (text: string, shown: string) => readonly Json[];
  readonly visit: (folder: string, namespace: string) => boolean;
  readonly inflate: (chart: InflatedChart, folder: string, result: string) => void;
}

/** A kustomization can't be staged together with others. */
export class Apart extends Error {}

function apart(): never {
  throw new Apart();
}

/** The paths that the kustomization of a folder names, each staged. */
export class KustomizationFolder {
  inherits = false;
  private readonly all: Staging;
  private readonly kustomization: string;
  private readonly folder: string;
  private readonly namespace: string;
  private ownFolder: string | undefined;
  private ownPaths = 0;
  private readonly moved = new Map<string, string>();

  constructor(all: Staging, kustomization: string, namespace: string) {
    this.all = all;
    this.kustomization = kustomization;
    this.folder = dirname(kustomization);
    this.namespace = namespace;
  }

  visitor(): PathVisitor {
    const visitor: PathVisitor = {
      file: (path) => this.file(path),
      resource: (path) => this.resource(path),
      patch: (path) => (isInline(path) ? this.text(path) : this.file(path)),
      plugin: this.all.isTogether ? apart : (path) => this.plugin(path, visitor),
      chart: this.all.isTogether ? apart : this.all.given.withCharts ? (chart) => this.chart(chart) : undefined,
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
    if (found.is === "file") return this.copied(path, found.real, "resource");
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
  private copied(path: string, real: string, as: "resource" | "file" = "file"): string {
    const target = pathIn(this.folder, path);
    // Where it is one of those that are staged, another text stands at its path.
    const isKustomization = isKustomizationFile(basename(target));
    if (isKustomization && this.all.isTogether) apart();
    const isLetOut = this.all.given.unrestricted && !isInside(this.folder, target);
    // As a resource it is an error, which names its path.
    if (!isLetOut && (!isKustomization || as === "resource")) {
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
    this.ownFolder ??= join(this.folder, freeName(this.folder, "rollstamp-copies"));
    return join(this.ownFolder, String(this.ownPaths), name);
  }

  /** The way to a path. One that begins with a dot is no URL to kustomize, whatever stands behind. */
  private local(path: string): string {
    const way = relative(this.folder, path).split(sep).join("/") || ".";
    return way === "." || way === ".." || way.startsWith("../") ? way : `./${way}`;
  }
}
