import { RollstampError } from "../../base/errors.ts";
import { PLUGIN_FIELDS, RESOURCE_FIELDS } from "../../base/hosts/kustomize.ts";
import { DEFAULT_LIMITS } from "../../base/limits.ts";
import type { Json } from "../../yaml/read/node.ts";
import { folded, isMapping, type Mapping } from "../../yaml/read/json.ts";
import { inflatedCharts, isInflator, withRenderedCharts, type InflatedChart } from "./inflated-charts.ts";
import { readDocuments } from "../../yaml/read/manifest-text.ts";

// The fields with which kustomizations, and the configurations of kustomize's own plugins, name files and folders: kustomize
// opens them, and fetches what looks like a URL (kustomize/api v0.21, types/kustomization.go, internal/builtins).

/** Gets each name, and returns what replaces it; undefined to leave it out. Each may be remote. */
export interface PathVisitor {
  readonly file: Visit;
  /** A file of manifests, or a folder with a kustomization. */
  readonly resource: Visit;
  /** The configuration of a plugin: inline, a file or a folder. */
  readonly plugin: Visit;
  /** The same of a generator, which only adds objects. */
  readonly generator: Visit;
  /** A patch: inline or a file. */
  readonly patch: Visit;
  /** A chart: returns the resource that replaces it. Undefined if charts are not rendered. */
  readonly chart: ((chart: InflatedChart) => string | undefined) | undefined;
  /** The resources that replace the charts of generators. */
  readonly generated?: () => readonly string[];
}

type Visit = (pathOrText: string) => string | undefined;
type Role = Exclude<keyof PathVisitor, "chart" | "generated">;
/** Returns undefined for what is left out. */
type Replace = (value: Json, visitor: PathVisitor) => Json | undefined;

const named =
  (role: Role): Replace =>
  (value, visitor) =>
    typeof value === "string" ? visitor[role](value) : value;

const list =
  (replace: Replace): Replace =>
  (value, visitor) =>
    Array.isArray(value)
      ? value.flatMap((item): Json[] => {
          const replaced = replace(item, visitor);
          return replaced === undefined ? [] : [replaced];
        })
      : value;

const unchanged: Replace = (value) => value;

const fields =
  (table: Readonly<Record<string, Replace>>): Replace =>
  (value, visitor) =>
    isMapping(value)
      ? mapFields(value, (key, inner) => (ownRow(table, folded(key)) ?? unchanged)(inner, visitor))
      : value;

/** Fields that say nothing without the file that they name. */
const whole =
  (table: Readonly<Record<string, Replace>>): Replace =>
  (value, visitor) => {
    const written = fields(table)(value, visitor);
    return isMapping(written) && Object.keys(written).length < Object.keys(value ?? {}).length ? undefined : written;
  };

/** An entry of a generator's `files`: a path, or a key and a path. */
const keyedFile: Replace = (value, visitor) => {
  if (typeof value !== "string") return value;
  const end = value.indexOf("=");
  const path = visitor.file(value.slice(end + 1));
  return path === undefined ? undefined : `${value.slice(0, end + 1)}${path}`;
};

const GENERATOR: Readonly<Record<string, Replace>> = {
  files: list(keyedFile),
  envs: list(named("file")),
  env: named("file"),
};

/** All fields of a kustomization, in lower case. */
const KUSTOMIZATION: Readonly<Record<string, Replace | "none" | "charts" | "helm">> = {
  apiversion: "none",
  kind: "none",
  metadata: "none",
  openapi: fields({ path: named("file") }),
  nameprefix: "none",
  namesuffix: "none",
  namespace: "none",
  commonlabels: "none",
  labels: "none",
  commonannotations: "none",
  patchesstrategicmerge: list(named("patch")),
  patchesjson6902: list(whole({ path: named("file") })),
  patches: list(whole({ path: named("file") })),
  images: "none",
  imagetags: "none",
  replacements: list(whole({ path: named("file") })),
  replicas: "none",
  vars: "none",
  sortoptions: "none",
  ...Object.fromEntries(RESOURCE_FIELDS.map((field) => [field, list(named("resource"))])),
  crds: list(named("file")),
  configmapgenerator: list(fields(GENERATOR)),
  secretgenerator: list(fields(GENERATOR)),
  helmglobals: "charts",
  helmcharts: "charts",
  helmchartinflationgenerator: "helm",
  generatoroptions: "none",
  configurations: list(named("file")),
  ...Object.fromEntries(
    PLUGIN_FIELDS.map((field) => [field, list(named(field === "generators" ? "generator" : "plugin"))]),
  ),
  buildmetadata: "none",
};

/** The fields with which kustomize's own plugins name files, by kind. */
const PLUGINS: Readonly<Record<string, Replace>> = {
  ConfigMapGenerator: fields(GENERATOR),
  SecretGenerator: fields(GENERATOR),
  PatchTransformer: whole({ path: named("file") }),
  PatchJson6902Transformer: whole({ path: named("file") }),
  PatchStrategicMergeTransformer: fields({ paths: list(named("patch")) }),
  ReplacementTransformer: fields({ replacements: list(whole({ path: named("file") })) }),
  ValueAddTransformer: whole({ targetfilepath: named("file") }),
};

const OFFLINE_HELM =
  "kustomize would run helm itself: use helmCharts, list the rendered manifests as resources, or make the folder a chart.";
const ENABLE_HELM =
  "Flux does not inflate charts. For Argo CD's plugin, set --enable-helm in ROLLSTAMP_KUSTOMIZE_BUILD_OPTIONS of the sidecar. Or list the rendered manifests as resources.";

/** A kustomization with other paths. Throws a RollstampError for an unknown field, and for charts that are not rendered. */
export function replacePaths(kustomization: Json, visitor: PathVisitor, file: string): Json {
  const place = { file };
  if (kustomization === null) return {};
  if (!isMapping(kustomization)) throw new RollstampError("input", "the kustomization must be a mapping", { place });
  const { chart } = visitor;
  const written = mapFields(kustomization, (key, value) => {
    const replace = ownRow(KUSTOMIZATION, folded(key));
    if (replace === undefined) {
      throw new RollstampError("input", `the kustomization has an unknown field: '${key}'`, { place });
    }
    if (replace === "helm" || (replace === "charts" && chart === undefined)) {
      const remedy = replace === "helm" ? OFFLINE_HELM : ENABLE_HELM;
      throw new RollstampError("input", `rollstamp does not render '${key}' of this kustomization`, { place, remedy });
    }
    return typeof replace === "string" ? value : replace(value, visitor);
  });
  const charts = chart === undefined ? [] : inflatedCharts(kustomization, file).map((one) => chart(one));
  const rendered = [...charts, ...(visitor.generated?.() ?? [])];
  if (rendered.length === 0) return written;
  return withRenderedCharts(
    written,
    rendered.filter((path) => path !== undefined),
  );
}

/** The configuration of a plugin with other paths, if it is one of kustomize's own; undefined if it is left out. */
export function pluginWithPaths(config: Json, visitor: PathVisitor, file: string): Json | undefined {
  if (!isMapping(config) || typeof config["kind"] !== "string") return config;
  if (isInflator(config)) {
    throw new RollstampError("input", `rollstamp does not render the ${config["kind"]} of this kustomization`, {
      place: { file },
      remedy: ENABLE_HELM,
    });
  }
  const replace = ownRow(PLUGINS, config["kind"]);
  return replace === undefined ? config : replace(config, visitor);
}

/**
 * The configurations of plugins. Throws a RollstampError for an invalid one. kustomize makes the path of the program from
 * apiVersion and kind, so they must be names: `../../bin/sh` leads out of the owner's folder of plugins
 * (api/internal/plugins/loader, AbsolutePluginPath).
 */
export function pluginConfigs(configs: readonly Json[], file: string): readonly Json[] {
  const wrong = (message: string): RollstampError => new RollstampError("input", message, { place: { file } });
  const given = configs.filter((config) => config !== null);
  if (given.length === 0) throw wrong("a generator, transformer or validator is empty");
  for (const config of given) {
    if (!isMapping(config) || typeof config["kind"] !== "string")
      throw wrong("a generator, transformer or validator must be a path or have a kind");
    const { apiVersion = "", kind } = config;
    if (typeof apiVersion !== "string" || !isGroupVersion(apiVersion) || !/^[A-Za-z0-9_-]+$/u.test(kind))
      throw wrong("the apiVersion and the kind of a generator, transformer or validator must be names");
    if (kind.endsWith("List") && "items" in config)
      throw wrong("the items of a list of generators, transformers or validators must be separate documents");
  }
  return given;
}

function isGroupVersion(apiVersion: string): boolean {
  return apiVersion
    .split("/")
    .every((part, index) => index < 2 && /^[A-Za-z0-9_.-]*$/u.test(part) && !part.includes(".."));
}

/** Whether a configuration is of one of kustomize's own plugins that name files. */
export function namesFiles(config: Json): boolean {
  if (!isMapping(config) || typeof config["kind"] !== "string") return false;
  return isInflator(config) || ownRow(PLUGINS, config["kind"]) !== undefined;
}

/**
 * Whether a string is YAML or JSON, not a path. kustomize opens what it can't read as an object with a kind and a name
 * (PatchStrategicMergeTransformer.go, loadFromPaths; kusttarget.go, configureExternalTransformers): `{/../patch.yaml` is
 * a path.
 */
export function isInline(pathOrText: string): boolean {
  if (/[\r\n]/u.test(pathOrText)) return true;
  if (!/:(?:\s|$)|"\s*:/u.test(pathOrText)) return false;
  try {
    const [value = null, ...others] = readDocuments(pathOrText, "", DEFAULT_LIMITS);
    return others.length === 0 && isObject(value);
  } catch (cause) {
    if (cause instanceof RollstampError) return false;
    throw cause;
  }
}

function isObject(value: Json): boolean {
  if (!isMapping(value) || typeof value["kind"] !== "string") return false;
  const { metadata = null } = value;
  return isMapping(metadata) && typeof metadata["name"] === "string";
}

/** Whether kustomize fetches a path that is not in the repository (api/internal/git/repospec.go, loader.IsRemoteFile). */
export function looksRemote(path: string): boolean {
  return /^(?:git::|[a-z][a-z0-9+.-]*:|[^/]*@|(?:www\.)?github\.com[/:])/iu.test(path.trimStart());
}

/**
 * Why an address must not be fetched, even if the owner allows fetching: it is a local repository, or has a part that git
 * takes for an option (`--upload-pack=…` runs a program). For addresses in fetched kustomizations, the environment of git
 * prevents both.
 */
export function unsafeRemote(path: string): string | undefined {
  const [address = "", ...query] = path.trim().split("?");
  if (/^(?:git::)?(?:file|ext|fd):/iu.test(address)) return "is not a network address";
  const isOption = query
    .join("?")
    .split(/[&;]/u)
    .some((pair) => /^[^=]*=\s*-/u.test(decoded(pair)));
  return isOption || /^(?:git::)?(?:[a-z][a-z0-9+.-]*:\/\/)?(?:[^/@]*@)?-/iu.test(address)
    ? "has a part that git reads as an option"
    : undefined;
}

function decoded(pair: string): string {
  try {
    return decodeURIComponent(pair.replaceAll("+", " "));
  } catch {
    return pair;
  }
}

function ownRow<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

function mapFields(value: Mapping, replace: (key: string, value: Json) => Json | undefined): Mapping {
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]): [string, Json][] => {
      const replaced = replace(key, inner);
      return replaced === undefined ? [] : [[key, replaced]];
    }),
  );
}
