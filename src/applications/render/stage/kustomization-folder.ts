import { basename, join, relative, sep } from "node:path";
import { quietly, RollstampError } from "../../../base/errors.ts";
import { inflatedFolder, isKustomizationFile } from "../../../base/hosts/kustomize.ts";
import { isInside } from "../../../base/inside.ts";
import type { FoundPath } from "../../../platform/ports/stage.ts";
import type { Json } from "../../../yaml/read/node.ts";
import { addressOf, generatedChart, isInflator, type InflatedChart } from "../../kustomize/inflated-charts.ts";
import {
  isInline,
  looksRemote,
  namesFiles,
  pluginConfigs,
  pluginWithPaths,
  unsafeRemote,
  type PathVisitor,
} from "../../kustomize/paths.ts";
import { fieldsOf, textOrEmpty, textsOf } from "../../../yaml/read/json.ts";
import { addPossiblePaths } from "../kustomization-reads.ts";
import { chartKey, shownChart } from "../../tools/helm-pull.ts";
import { withoutUserInfo } from "../../../base/user-info.ts";
import { foreignFunction, isBuiltIn, isKsops, ownFunction, pluginPath } from "../../kustomize/own-functions.ts";
import type { Changes } from "./missing-objects.ts";
import { freeName, outsideOf, pathIn, stageAlone, type Staging } from "./staging.ts";

/** Where a plugin is configured. */
interface PluginPlace {
  readonly visitor: PathVisitor;
  readonly name: string;
  readonly isGenerator: boolean;
}

/** Stages everything that the kustomization of one folder names. */
export class KustomizationFolder {
  inheritsNamespace = false;
  private readonly staging: Staging;
  private readonly folder: string;
  private readonly namespace: string;
  private readonly about: Changes["about"];
  private copiesAt: string | undefined;
  private copies = 0;
  private readonly moved = new Map<string, string>();
  /** The resources that replace the charts of generators. */
  private readonly generated: string[] = [];

  /** `about`: which objects of what the kustomization includes a file may change. */
  constructor(staging: Staging, folder: string, namespace: string, about: Changes["about"]) {
    this.staging = staging;
    this.folder = folder;
    this.namespace = namespace;
    this.about = about;
  }

  /** Stages each path, and returns the path in the stage. */
  visitor(): PathVisitor {
    const { isTogether, given } = this.staging;
    const visitor: PathVisitor = {
      file: (path) => this.file(path),
      resource: (path) => this.resource(path),
      patch: (path) => (isInline(path) ? this.inline(path) : this.file(path)),
      plugin: isTogether ? stageAlone : (path) => this.plugin(path, { visitor, isGenerator: false }),
      generator: isTogether ? stageAlone : (path) => this.plugin(path, { visitor, isGenerator: true }),
      chart: isTogether ? stageAlone : given.withCharts ? (chart) => this.chart(chart, this.namespace) : undefined,
      generated: () => this.generated,
    };
    return visitor;
  }

  private file(path: string): string | undefined {
    if (path === "") return path;
    const found = this.find(path);
    if (found === undefined) return this.missing(path);
    return found.is === "file" ? this.copied(path, found.real) : this.local(pathIn(this.folder, path));
  }

  private resource(path: string): string | undefined {
    if (path === "") return path;
    const found = this.find(path);
    if (found === undefined) return this.missing(path, "base");
    if (found.is === "file") return this.copied(path, found.real, "resource");
    this.inheritsNamespace = this.staging.visit(found.real, this.namespace) || this.inheritsNamespace;
    return this.local(found.real);
  }

  private plugin(path: string, as: Pick<PluginPlace, "visitor" | "isGenerator">): string | undefined {
    const { staging } = this;
    const written = (configs: readonly Json[], name: string): string =>
      configs
        .flatMap((config) => this.config(config, { ...as, name }) ?? [])
        .map((config) => `---\n${JSON.stringify(config)}\n`)
        .join("");
    const here = staging.shown(this.folder);
    if (isInline(path)) {
      const text = written(pluginConfigs(staging.documents(path, here), here), here);
      return text === "" ? undefined : this.inline(text);
    }
    const found = this.find(path);
    const { plugins, stage } = staging.given;
    if (found?.is !== "file") {
      const isUnknown = found?.is === "folder" || (looksRemote(path) && !staging.given.leavesOut);
      if (plugins !== "none" && isUnknown) throw pluginFolder(path, here);
      return found === undefined ? this.missing(path) : this.resource(path);
    }
    const name = staging.shown(pathIn(this.folder, path));
    const configs = pluginConfigs(staging.documents(stage.source.text(found.real, name), name), name);
    const text = written(configs, name);
    if (text === "") return undefined;
    // If the configuration selects a program, kustomize must read what we have read.
    staging.note(text, "any");
    if (plugins === "none" && !configs.some(namesFiles)) return this.copied(path, found.real);
    const copy = this.copyPath(basename(found.real));
    staging.put(copy, text);
    return this.local(copy);
  }

  private config(config: Json, { visitor, name, isGenerator }: PluginPlace): Json | undefined {
    const { plugins, ownConfig, leavesOut, withCharts } = this.staging.given;
    if (isInflator(config) && isBuiltIn(config) && isGenerator && withCharts) {
      // Its objects get the namespace of the kustomization, but its templates do not see it.
      const rendered = this.chart(generatedChart(config, name));
      if (rendered !== undefined) this.generated.push(rendered);
      return undefined;
    }
    if (plugins === "owners" || isBuiltIn(config)) return pluginWithPaths(config, visitor, name);
    const ownFunctionConfig = ownFunction(config);
    if (ownFunctionConfig === undefined) {
      // Leaving out a generator changes no other object.
      if (!isGenerator || !leavesOut) throw foreignFunction(config, name);
      const paths: string[] = [];
      addPossiblePaths(config, paths);
      const files = paths.map((path) => this.textOf(path));
      const part = { is: "function", name: `${textOrEmpty(fieldsOf(config)["kind"])} of ${name}` } as const;
      this.staging.leaveOut(part, [config, ...files], this.makesSecrets(config) ? "secrets" : undefined);
      return undefined;
    }
    this.staging.ownPlugins.add(pluginPath(ownFunctionConfig));
    return ownConfig(ownFunctionConfig.config);
  }

  /** Whether a generator only decrypts files, and all of them are Secrets. */
  private makesSecrets(config: Json): boolean {
    if (!isKsops(config)) return false;
    const files = textsOf(fieldsOf(config)["files"] ?? null);
    const isSecret = (path: string): boolean => {
      const documents = quietly(() => this.staging.documents(this.textOf(path), path)) ?? [];
      return documents.length > 0 && documents.every((one) => fieldsOf(one)["kind"] === "Secret");
    };
    return files.length > 0 && files.every(isSecret);
  }

  /** Renders a chart, by default in the given namespace. */
  private chart(chart: InflatedChart, namespace?: string): string | undefined {
    const { staging } = this;
    if (this.find(inflatedFolder(chart))?.is !== "folder") {
      const { fetched, leavesOut } = staging.given;
      const address = addressOf(chart);
      const packed = fetched.get(chartKey(address));
      if (packed === undefined && address.repository !== "") staging.want(address);
      if (!Buffer.isBuffer(packed) && leavesOut) {
        const files = [chart.valuesFile, ...chart.additionalValuesFiles].map((path) => this.textOf(path));
        const part = { is: "inflatedChart", name: shownChart(address), ...packed } as const;
        staging.leaveOut(part, [JSON.stringify(chart), ...files]);
        return undefined;
      }
    }
    this.inheritsNamespace ||= chart.namespace === "" && namespace !== undefined;
    const name = basename(chart.name);
    // A name such as `charts/..` is not the name of a folder.
    const result = this.copyPath(/^\.*$/u.test(name) ? "chart" : name);
    staging.inflate({ ...chart, namespace: chart.namespace || (namespace ?? "") }, this.folder, result);
    return this.local(result);
  }

  /** Inline text. kustomize takes it as a path if it cannot read it: a shared stage may have that file. */
  private inline(text: string): string {
    const { staging } = this;
    const path = pathIn(this.folder, text);
    if (!isInside(staging.given.application.root, path)) throw outsideOf(text);
    if (staging.isTogether && staging.find(path) !== undefined) stageAlone();
    return text;
  }

  private textOf(path: string): string {
    const found = path === "" ? undefined : this.find(path);
    return found?.is === "file" ? this.staging.given.stage.source.text(found.real, path) : "";
  }

  private find(path: string): FoundPath | undefined {
    return /^\s*[a-z][a-z0-9+.-]*:\/\//iu.test(path) ? undefined : this.staging.find(pathIn(this.folder, path));
  }

  private copied(path: string, real: string, as: "resource" | "file" = "file"): string {
    const { staging } = this;
    const about = as === "file" ? this.about(path) : undefined;
    const target = pathIn(this.folder, path);
    // The stage has another text at the path of a kustomization file.
    const isKustomization = isKustomizationFile(basename(target));
    if (isKustomization && staging.isTogether) stageAlone();
    const isAbove = staging.given.unrestricted && !isInside(this.folder, target);
    // As a resource it is an error of kustomize, with its path.
    if (!isAbove && (!isKustomization || as === "resource")) {
      staging.copy(real, target, staging.shown(target), about);
      return this.local(target);
    }
    const copy = this.moved.get(target) ?? this.copyPath(basename(target));
    this.moved.set(target, copy);
    staging.copy(real, copy, staging.shown(target), about);
    return this.local(copy);
  }

  /** The path of something that is not here; undefined if it is left out. */
  private missing(path: string, is: "base" | "file" = "file"): string | undefined {
    if (!looksRemote(path)) return this.local(pathIn(this.folder, path));
    const shown = shownRemote(path);
    const place = { file: this.staging.shown(this.folder) };
    const { allowRemote, leavesOut } = this.staging.given;
    if (leavesOut && !allowRemote) {
      this.staging.leaveOut({ is, name: shown }, path);
      return undefined;
    }
    if (allowRemote) {
      const why = unsafeRemote(path);
      if (why === undefined) return path;
      throw new RollstampError("input", `the kustomization names '${shown}', which ${why}`, { place });
    }
    throw new RollstampError("input", `the kustomization names '${shown}', and nothing is fetched`, {
      place,
      remedy:
        "Commit its content. ROLLSTAMP_ALLOW_REMOTE_BASES=true in the environment (for Argo CD: of the sidecar) allows fetching.",
      missing: `'${shown}'`,
    });
  }

  /** A path of our own below the folder. It ends in the given name, because generators make a key from it. */
  private copyPath(name: string): string {
    this.copies += 1;
    const { source } = this.staging.given.stage;
    this.copiesAt ??= join(this.folder, freeName(this.folder, "rollstamp-copies", source));
    return join(this.copiesAt, String(this.copies), name);
  }

  /** A path relative to the folder. It begins with a dot, so that kustomize never takes it for a URL. */
  private local(path: string): string {
    const way = relative(this.folder, path).split(sep).join("/") || ".";
    return way === "." || way === ".." || way.startsWith("../") ? way : `./${way}`;
  }
}

/** The address of something remote in messages: without credentials. */
export function shownRemote(path: string): string {
  return withoutUserInfo(path.trim()).slice(0, 200);
}

/** The error for configurations of plugins that only kustomize can read. */
function pluginFolder(path: string, file: string): RollstampError {
  return new RollstampError(
    "input",
    `with plugins a generator, transformer or validator must be a file: '${path}' is not a file`,
    {
      place: { file },
      remedy: "Name the files of the folder one by one: rollstamp must know which programs kustomize starts.",
    },
  );
}
