import { trimmedParts } from "../../base/words.ts";
import { API_VERSION, APPLICATIONS_KIND } from "../../base/keys.ts";
import { optionMessage, RollstampError } from "../../base/errors.ts";
import { placeOf } from "../../yaml/read/items.ts";
import { get, getString, kindOf, toJson, type Json } from "../../yaml/read/node.ts";
import { refuseRepeated } from "../../yaml/read/repeated-keys.ts";
import { NONE, readTree, type YamlTree } from "../../yaml/read/tree.ts";
import { fieldsOf, textOf } from "../../yaml/read/json.ts";
import { suggestion } from "../../base/nearest-name.ts";
import { placeAtPath, validateConfig, type ConfigSource, type Schema } from "./validate.ts";
import type { KrmFunction, KrmFunctions, RunContext } from "./krm-function.ts";

/** A configuration that its schema has accepted, and its function. */
export interface FunctionConfig {
  readonly fn: KrmFunction;
  readonly config: Json;
  readonly source: ConfigSource | undefined;
}

/** A document, and its name for messages. */
export interface NamedText {
  readonly text: string;
  readonly file: string;
}

/** Runs `run`. Errors about the configuration get their location, and name options by their path in it. */
export function withConfigPlaces<T>({ source }: Pick<FunctionConfig, "source">, run: () => T): T {
  try {
    return run();
  } catch (cause) {
    if (!(cause instanceof RollstampError) || cause.configPath === undefined || source === undefined) throw cause;
    const { code, remedy, configPath, problem } = cause;
    const message =
      problem === undefined || source.path === undefined
        ? cause.message
        : optionMessage(["data", ...configPath.slice(1)], problem);
    throw new RollstampError(code, message, { remedy, place: cause.place ?? placeAtPath(source, configPath) });
  }
}

/** Reads a configuration file with one functionConfig. */
export function readConfigText(
  functions: KrmFunctions,
  config: NamedText | undefined,
  { limits }: Pick<RunContext, "limits">,
): FunctionConfig {
  if (config === undefined) return readFunctionConfig(functions, undefined, NONE);
  const tree = readTree(config.text, config.file, limits);
  // The same file may contain the `Applications` of a repository.
  const configNode = tree.documents.find((root) => getString(tree, root, "kind") !== APPLICATIONS_KIND);
  return readFunctionConfig(functions, tree, configNode ?? NONE);
}

/**
 * Reads a functionConfig: an object of one of our kinds, a ConfigMap with the same options as strings, or nothing,
 * which means the first function with its defaults. Throws a RollstampError (`config`) that names the path, what was
 * found, and what is allowed.
 */
export function readFunctionConfig(functions: KrmFunctions, tree: YamlTree | undefined, node: number): FunctionConfig {
  if (tree === undefined || node === NONE || kindOf(tree, node) === "null") {
    return {
      fn: functions[0],
      config: object({ apiVersion: API_VERSION, kind: functions[0].kind }),
      source: undefined,
    };
  }
  refuseRepeated(tree, node);
  const source: ConfigSource = { tree, node };
  const kind = getString(tree, node, "kind");
  if (kind === "ConfigMap" && getString(tree, node, "apiVersion") === "v1") return fromConfigMap(functions, source);
  const fn = functions.find((candidate) => candidate.kind === kind);
  if (fn === undefined) {
    const kinds = [...functions.map((candidate) => candidate.kind), "ConfigMap"];
    const kindNode = get(tree, node, "kind");
    throw new RollstampError(
      "config",
      kind === undefined
        ? "the functionConfig has no kind"
        : `unknown functionConfig kind '${kind}'${suggestion(kind, kinds)}`,
      {
        place: placeOf(tree, kindNode === NONE ? node : kindNode),
        remedy: `Allowed: ${kinds.join(", ")}, with apiVersion ${API_VERSION}.`,
      },
    );
  }
  const config = toJson(tree, node);
  validateConfig(config, fn.validator, fn.schema, source);
  return { fn, config, source };
}

function fromConfigMap(functions: KrmFunctions, source: ConfigSource): FunctionConfig {
  const data = fieldsOf(fieldsOf(toJson(source.tree, source.node))["data"]);
  const name = textOf(data["function"]) ?? functions[0].kind;
  const fn = functions.find((candidate) => candidate.kind === name);
  const dataNode: ConfigSource = { tree: source.tree, node: get(source.tree, source.node, "data"), path: ["spec"] };
  if (fn === undefined) {
    const kinds = functions.map((candidate) => candidate.kind);
    throw new RollstampError("config", `'data.function' is "${name}"${suggestion(name, kinds)}`, {
      place: placeOf(source.tree, get(source.tree, dataNode.node, "function")),
      remedy: `Allowed: ${kinds.join(", ")}.`,
    });
  }
  const config = configFromTexts(fn, data);
  validateConfig(config, fn.validator, fn.schema, dataNode);
  return { fn, config, source: dataNode };
}

/** Converts the options of a ConfigMap, which are all strings, to the types of the schema. */
export function configFromTexts(fn: KrmFunction, data: { readonly [key: string]: Json | undefined }): Json {
  const properties = schemaFields(schemaFields(schemaFields(fn.schema["$defs"])["spec"])["properties"]);
  const spec = object({});
  for (const [key, value] of Object.entries(data)) {
    if (key !== "function" && value !== undefined) spec[key] = typed(value, schemaFields(properties[key])["type"]);
  }
  return object({ apiVersion: API_VERSION, kind: fn.kind, spec });
}

/**
 * Converts a string to the type of the schema. A string that cannot be converted stays a string, which the schema then
 * rejects.
 */
function typed(value: Json, type: unknown): Json {
  if (typeof value !== "string") return value;
  if (type === "boolean" && (value === "true" || value === "false")) return value === "true";
  if (type === "integer" && /^\d{1,9}$/u.test(value)) return Number(value);
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  if (!types.includes("array") && !types.includes("object")) return value;
  if (/^\s*[[{]/u.test(value)) return parseJson(value);
  return types.includes("array") ? trimmedParts(value) : pairs(value);
}

/** Reads `RS004=error,RS012=off` as a mapping. Without `=` the string stays as it is, and the schema rejects it. */
function pairs(text: string): Json {
  const parts = trimmedParts(text).map((part) => part.split("="));
  if (!parts.every((part) => part.length === 2)) return text;
  return object(Object.fromEntries(parts.map(([key = "", value = ""]) => [key.trim(), value.trim()])));
}

function parseJson(text: string): Json {
  try {
    const value: unknown = JSON.parse(text, (_, v: unknown) => v);
    return asJson(value);
  } catch {
    return text;
  }
}

function asJson(value: unknown): Json {
  if (value === null || typeof value === "string" || typeof value === "number" || typeof value === "boolean")
    return value;
  if (Array.isArray(value)) return value.map(asJson);
  if (typeof value !== "object") return null;
  return object(Object.fromEntries(Object.entries(value).map(([key, item]) => [key, asJson(item)])));
}

function schemaFields(value: unknown): Schema {
  return value !== null && typeof value === "object" && !Array.isArray(value) ? { ...value } : {};
}

function object(fields: { [key: string]: Json }): { [key: string]: Json } {
  return Object.assign(Object.create(null) as { [key: string]: Json }, fields);
}
