import { RollstampError } from "../../base/errors.ts";
import { PLUGIN_FIELDS, RESOURCE_FIELDS } from "../../base/hosts/kustomize.ts";
import type { Json } from "../../yaml/read/node.ts";
import { folded, isMapping, type Mapping } from "../../yaml/read/json.ts";
import { inflatedCharts, withRenderedCharts, type InflatedChart } from "./kustomize-charts.ts";

// Where a kustomization, and the configuration of kustomize's own plugins, name files and folders: kustomize
// opens them and fetches what looks like a URL. kustomize/api v0.21 (types/kustomization.go, internal/builtins).

/** What is done with each name; what is given back stands in its place. */
export interface PathVisitor {
  /** A file, which has to be one. */
  readonly file: (path: string) => string;
  /** A file of manifests, or a folder with a kustomization; perhaps a remote one. */
  readonly resource: (path: string) => string;
  /** The configuration of a plugin: inline, a file or a folder. */
  readonly plugin: (pathOrText: string) => string;
  /** A patch: inline or a file. */
  readonly patch: (pathOrText: string) => string;
  /** A chart: gives the resource that takes its place. Undefined where charts are not rendered. */
  readonly chart: ((chart: InflatedChart) => string) | undefined;
}

type Each = (value: Json, visitor: PathVisitor) => Json;

const texts =
  (by: Exclude<keyof PathVisitor, "chart">): Each =>
  (value, visitor) =>
    Array.isArray(value) ? value.map((item) => (typeof item === "string" ? visitor[by](item) : item)) : value;

const text =
  (by: Exclude<keyof PathVisitor, "chart">): Each =>
  (value, visitor) =>
    typeof value === "string" ? visitor[by](value) : value;

const fields =
  (table: Readonly<Record<string, Each>>): Each =>
  (value, visitor) =>
    isMapping(value) ? mapped(value, (key, inner) => own(table, folded(key))?.(inner, visitor) ?? inner) : value;

const list =
  (each: Each): Each =>
  (value, visitor) =>
    Array.isArray(value) ? value.map((item) => each(item, visitor)) : value;

/** `files` of a generator: a path, or a key and a path. */
const keyedFiles: Each = (value, visitor) =>
  Array.isArray(value)
    ? value.map((item) => {
        if (typeof item !== "string") return item;
        const end = item.indexOf("=");
        return `${item.slice(0, end + 1)}${visitor.file(item.slice(end + 1))}`;
      })
    : value;

const GENERATOR: Readonly<Record<string, Each>> = {
  files: keyedFiles,
  envs: texts("file"),
  env: text("file"),
};

/** The fields of a kustomization. Those without a function name no file. */
const KUSTOMIZATION: Readonly<Record<string, Each | "none" | "charts" | "helm">> = {
  apiversion: "none",
  kind: "none",
  metadata: "none",
  openapi: fields({ path: text("file") }),
  nameprefix: "none",
  namesuffix: "none",
  namespace: "none",
  commonlabels: "none",
  labels: "none",
  commonannotations: "none",
  patchesstrategicmerge: texts("patch"),
  patchesjson6902: list(fields({ path: text("file") })),
  patches: list(fields({ path: text("file") })),
  images: "none",
  imagetags: "none",
  replacements: list(fields({ path: text("file") })),
  replicas: "none",
  vars: "none",
  sortoptions: "none",
  ...Object.fromEntries(RESOURCE_FIELDS.map((field) => [field, texts("resource")])),
  crds: texts("file"),
  configmapgenerator: list(fields(GENERATOR)),
  secretgenerator: list(fields(GENERATOR)),
  helmglobals: "charts",
  helmcharts: "charts",
  helmchartinflationgenerator: "helm",
  generatoroptions: "none",
  configurations: texts("file"),
  ...Object.fromEntries(PLUGIN_FIELDS.map((field) => [field, texts("plugin")])),
  buildmetadata: "none",
};

/** The fields of kustomize's own plugins that name files, by kind. */
const PLUGINS: Readonly<Record<string, Readonly<Record<string, Each>>>> = {
  ConfigMapGenerator: GENERATOR,
  SecretGenerator: GENERATOR,
  PatchTransformer: { path: text("file") },
  PatchJson6902Transformer: { path: text("file") },
  PatchStrategicMergeTransformer: { paths: texts("patch") },
  ReplacementTransformer: { replacements: list(fields({ path: text("file") })) },
  ValueAddTransformer: { targetfilepath: text("file") },
};

const OFFLINE_HELM =
  "kustomize would run helm by rules of its own: write it as helmCharts, take the rendered manifests as resources, or make the folder a chart.";
const ENABLE_HELM =
  "Flux has no helm here; for Argo CD's plugin the owner of the sidecar can allow it by --enable-helm in ROLLSTAMP_KUSTOMIZE_BUILD_OPTIONS. Or take the rendered manifests as resources.";

/** A kustomization with other paths. Throws a RollstampError for a field that nobody knows, and for charts. */
export function kustomizationWithPaths(kustomization: Json, visitor: PathVisitor, file: string): Json {
  const place = { file };
  if (kustomization === null) return {};
  if (!isMapping(kustomization)) throw new RollstampError("input", "the kustomization is no mapping", { place });
  const { chart } = visitor;
  const written = mapped(kustomization, (key, value) => {
    const each = own(KUSTOMIZATION, folded(key));
    if (each === undefined) {
      throw new RollstampError("input", `the kustomization has a field that nobody knows: '${key}'`, { place });
    }
    if (each === "helm" || (each === "charts" && chart === undefined)) {
      const remedy = each === "helm" ? OFFLINE_HELM : ENABLE_HELM;
      throw new RollstampError("input", `rollstamp renders no '${key}' of a kustomization`, { place, remedy });
    }
    return typeof each === "string" ? value : each(value, visitor);
  });
  const charts = chart === undefined ? [] : inflatedCharts(kustomization, file);
  if (chart === undefined || charts.length === 0) return written;
  return withRenderedCharts(written, charts.map(chart));
}

/** The configuration of a plugin with other paths: of kustomize's own those that they have. */
export function pluginWithPaths(config: Json, visitor: PathVisitor, file: string): Json {
  if (!isMapping(config) || typeof config["kind"] !== "string") return config;
  if (config["kind"] === "HelmChartInflationGenerator") {
    throw new RollstampError("input", "rollstamp runs no HelmChartInflationGenerator of 'generators'", {
      place: { file },
      remedy: OFFLINE_HELM,
    });
  }
  const table = own(PLUGINS, config["kind"]);
  return table === undefined ? config : fields(table)(config, visitor);
}

/**
 * The configurations of plugins. Throws a RollstampError for what is none, and for kinds that are no names: kustomize
 * makes the path of the program from them, and `../../bin/sh` leads out of the owner's folder of plugins
 * (api/internal/plugins/loader, AbsolutePluginPath).
 */
export function pluginConfigs(configs: readonly Json[], file: string): readonly Json[] {
  const wrong = (message: string): RollstampError => new RollstampError("input", message, { place: { file } });
  const given = configs.filter((config) => config !== null);
  if (given.length === 0) throw wrong("a generator, transformer or validator is empty");
  for (const config of given) {
    if (!isMapping(config) || typeof config["kind"] !== "string")
      throw wrong("a generator, transformer or validator is no path and has no kind");
    const { apiVersion = "", kind } = config;
    if (typeof apiVersion !== "string" || !isGroupVersion(apiVersion) || !/^[A-Za-z0-9_-]+$/u.test(kind))
      throw wrong("the apiVersion and the kind of a generator, transformer or validator are names");
    if (kind.endsWith("List") && "items" in config)
      throw wrong("the generators, transformers or validators of a list have to be documents of their own");
  }
  return given;
}

function isGroupVersion(apiVersion: string): boolean {
  return apiVersion
    .split("/")
    .every((part, index) => index < 2 && /^[A-Za-z0-9_.-]*$/u.test(part) && !part.includes(".."));
}

/** True for the configuration of one of kustomize's own plugins that names files. */
export function namesFiles(config: Json): boolean {
  return isMapping(config) && typeof config["kind"] === "string" && own(PLUGINS, config["kind"]) !== undefined;
}

/** True for what can only be meant as manifests. */
export function isInline(pathOrText: string): boolean {
  return /[\r\n]|^\s*[{[]/u.test(pathOrText) || (!looksRemote(pathOrText) && /:(?:\s|$)/u.test(pathOrText));
}

/** True for what kustomize would fetch, were it not there (api/internal/git/repospec.go, loader.IsRemoteFile). */
export function looksRemote(path: string): boolean {
  return /^\s*(?:git::|[a-z][a-z0-9+.-]*:|[^/]*@|(?:www\.)?github\.com[/:])/iu.test(path);
}

/**
 * What stands in the way of a fetch, where the owner allows one: a local repository, and a ref that git would take
 * for an option (`--upload-pack=…` runs a program). What a fetched kustomization names is kept from both by git's
 * environment.
 */
export function unsafeRemote(path: string): string | undefined {
  const [address = "", ...query] = path.trim().split("?");
  if (/^(?:git::)?(?:file|ext|fd):/iu.test(address)) return "is no address on the network";
  const isOption = query
    .join("?")
    .split(/[&;]/u)
    .some((pair) => /^[^=]*=\s*-/u.test(decoded(pair)));
  return isOption || /^(?:git::)?(?:[a-z][a-z0-9+.-]*:\/\/)?(?:[^/@]*@)?-/iu.test(address)
    ? "has a part that git would take for an option"
    : undefined;
}

function decoded(pair: string): string {
  try {
    return decodeURIComponent(pair.replaceAll("+", " "));
  } catch {
    return pair;
  }
}

function own<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

function mapped(value: Mapping, each: (key: string, value: Json) => Json): Mapping {
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, each(key, inner)]));
}
