import { API_VERSION } from "../../base/keys.ts";
import { quietly, RollstampError } from "../../base/errors.ts";
import { FUNCTION_ANNOTATION } from "../../base/hosts/krm.ts";
import { DEFAULT_LIMITS } from "../../base/limits.ts";
import { RENDER_YOURSELF } from "../../base/own-rendering.ts";
import { fieldsOf, isMapping, textOrEmpty, type Mapping, fieldOf } from "../../yaml/read/json.ts";
import { firstDocument } from "../../yaml/read/manifest-text.ts";
import type { Json } from "../../yaml/read/node.ts";

// Functions in a kustomization. No program or container of a repository is run. Functions of rollstamp are run by this process's
// program, as a legacy plugin of kustomize, whatever their configuration says.

const KINDS: ReadonlySet<string> = new Set(["ConfigHash", "Restart", "RolloutLint"]);

const FUNCTION_ANNOTATIONS: readonly string[] = [FUNCTION_ANNOTATION, "config.k8s.io/function"];

/** The path of the program for a configuration, in the folder of plugins. */
export function pluginPath({ apiVersion, kind }: OwnFunction): string {
  return `${apiVersion}/${kind.toLowerCase()}/${kind}`;
}

/** The configuration of a rollstamp function, as a legacy plugin. */
export interface OwnFunction {
  readonly apiVersion: string;
  readonly kind: string;
  readonly config: Json;
}

/** Whether a configuration is for rollstamp: by its kind, or a ConfigMap with the image or program of rollstamp. */
export function ownFunction(config: Json): OwnFunction | undefined {
  if (!isMapping(config)) return undefined;
  const { apiVersion, kind } = config;
  if (typeof apiVersion !== "string" || typeof kind !== "string") return undefined;
  const isOurs =
    (apiVersion === API_VERSION && KINDS.has(kind)) ||
    (apiVersion === "v1" && kind === "ConfigMap" && runsUs(programOf(config)));
  return isOurs ? { apiVersion, kind, config: withoutAnnotation(config) } : undefined;
}

/** Whether a configuration of rollstamp is for ConfigHash, which writes stamps. */
export function isConfigHash(config: Json | undefined): boolean {
  const { kind, data } = fieldsOf(config);
  if (kind === "ConfigHash") return true;
  // A ConfigMap selects another function by its name (contract, section 2).
  return kind === "ConfigMap" && ["", "ConfigHash"].includes(textOrEmpty(fieldsOf(data)["function"]));
}

/** Whether a configuration is for a builtin plugin of kustomize. */
export function isBuiltIn(config: Json): boolean {
  return isMapping(config) && config["apiVersion"] === "builtin";
}

/** Whether a configuration is for ksops, which decrypts the files that it names (viaduct-ai/kustomize-sops). */
export function isKsops(config: Json): boolean {
  const { apiVersion, kind } = fieldsOf(config);
  return kind === "ksops" && textOrEmpty(apiVersion).startsWith("viaduct.ai/");
}

/** The error for any other function. */
export function foreignFunction(config: Json, file: string): RollstampError {
  const { kind } = fieldsOf(config);
  const program = isMapping(config) ? programOf(config) : undefined;
  const shown = typeof kind === "string" ? `'${kind}'` : "";
  return new RollstampError(
    "input",
    `the kustomization lists the function ${shown}${program === undefined ? "" : ` (${program})`}, and nothing of a repository runs here`,
    {
      place: { file },
      remedy: `Remove it, or ${RENDER_YOURSELF}. With Argo CD, the owner of the sidecar can add plugins.`,
    },
  );
}

function annotationsOf(config: Mapping): Mapping {
  const { metadata } = config;
  const annotations = fieldOf(metadata, "annotations");
  return fieldsOf(annotations);
}

/** The image or program in a configuration. */
function programOf(config: Mapping): string | undefined {
  const annotations = annotationsOf(config);
  for (const annotation of FUNCTION_ANNOTATIONS) {
    const text = annotations[annotation];
    if (typeof text !== "string") continue;
    const spec = parsed(text);
    for (const [how, what] of [
      ["container", "image"],
      ["exec", "path"],
      ["starlark", "path"],
    ] as const) {
      const run = fieldOf(spec, how);
      const program = fieldOf(run, what);
      if (typeof program === "string") return program.slice(0, 200);
    }
  }
  return undefined;
}

/** `ghcr.io/rollstamp/rollstamp:v1` in any registry, or a program of that name. */
export function runsUs(program: string | undefined): boolean {
  return program !== undefined && /^(?:.*\/)?rollstamp(?:[:@][^/]*)?$/u.test(program);
}

/** Undefined for invalid YAML, which is not a rollstamp function. */
function parsed(text: string): Json {
  return quietly(() => firstDocument(text, "", DEFAULT_LIMITS)) ?? null;
}

function withoutAnnotation(config: Mapping): Json {
  const { metadata } = config;
  if (!isMapping(metadata)) return config;
  const annotations = Object.entries(annotationsOf(config)).filter(([key]) => !FUNCTION_ANNOTATIONS.includes(key));
  const others = Object.entries(metadata).filter(([key]) => key !== "annotations");
  return { ...config, metadata: { ...Object.fromEntries(others), annotations: Object.fromEntries(annotations) } };
}

/** The same function without a key, for a rendering that is only compared and stamped again. */
export function withPlainDigests(config: Json): Json {
  if (!isMapping(config)) return config;
  return Object.fromEntries(
    Object.entries(config).map(([key, value]) => {
      const isOptions = (key === "spec" || key === "data") && isMapping(value) && value["secrets"] === "Keyed";
      return [key, isOptions ? { ...value, secrets: "Digest" } : value];
    }),
  );
}
