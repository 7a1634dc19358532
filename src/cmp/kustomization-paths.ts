import { RollstampError } from "../ground/errors.ts";
import type { Json } from "../manifest/node.ts";

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
}

type Each = (value: Json, visitor: PathVisitor) => Json;

const texts =
  (by: keyof PathVisitor): Each =>
  (value, visitor) =>
    Array.isArray(value) ? value.map((item) => (typeof item === "string" ? visitor[by](item) : item)) : value;

const text =
  (by: keyof PathVisitor): Each =>
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
const KUSTOMIZATION: Readonly<Record<string, Each | "none" | "helm">> = {
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
  resources: texts("resource"),
  components: texts("resource"),
  crds: texts("file"),
  bases: texts("resource"),
  configmapgenerator: list(fields(GENERATOR)),
  secretgenerator: list(fields(GENERATOR)),
  helmglobals: "helm",
  helmcharts: "helm",
  helmchartinflationgenerator: "helm",
  generatoroptions: "none",
  configurations: texts("file"),
  generators: texts("plugin"),
  transformers: texts("plugin"),
  validators: texts("plugin"),
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
  "kustomize would run helm by rules of its own: take the rendered manifests as resources, or make the folder a chart.";

/** A kustomization with other paths. Throws a RollstampError for a field that nobody knows, and for charts. */
export function kustomizationWithPaths(kustomization: Json, visitor: PathVisitor, file: string): Json {
  const place = { file };
  if (kustomization === null) return {};
  if (!isMapping(kustomization)) throw new RollstampError("input", "the kustomization is no mapping", { place });
  return mapped(kustomization, (key, value) => {
    const each = own(KUSTOMIZATION, folded(key));
    if (each === undefined) {
      throw new RollstampError("input", `the kustomization has a field that nobody knows: '${key}'`, { place });
    }
    if (each === "helm") {
      throw new RollstampError("input", `the plugin renders no '${key}' of a kustomization`, {
        place,
        remedy: OFFLINE_HELM,
      });
    }
    return each === "none" ? value : each(value, visitor);
  });
}

/** The configuration of a plugin with other paths: of kustomize's own those that they have. */
export function pluginWithPaths(config: Json, visitor: PathVisitor, file: string): Json {
  if (!isMapping(config) || typeof config["kind"] !== "string") return config;
  if (config["kind"] === "HelmChartInflationGenerator") {
    throw new RollstampError("input", "the plugin runs no HelmChartInflationGenerator", {
      place: { file },
      remedy: OFFLINE_HELM,
    });
  }
  const table = own(PLUGINS, config["kind"]);
  return table === undefined ? config : fields(table)(config, visitor);
}

/** True for what kustomize would fetch, were it not there (api/internal/git/repospec.go, loader.IsRemoteFile). */
export function looksRemote(path: string): boolean {
  return /^\s*(?:git::|[a-z][a-z0-9+.-]*:|[^/]*@|(?:www\.)?github\.com[/:])/iu.test(path);
}

/**
 * A key as Go's JSON decoder compares it: in any letter case, with the two letters beyond ASCII that fold to
 * letters of it.
 */
function folded(key: string): string {
  return key.replaceAll("\u017f", "s").replaceAll("\u212a", "k").toLowerCase();
}

function own<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

type Mapping = { readonly [key: string]: Json };

function isMapping(value: Json): value is Mapping {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function mapped(value: Mapping, each: (key: string, value: Json) => Json): Json {
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, each(key, inner)]));
}
