import { RollstampError, type Place } from "../../base/errors.ts";
import { nearest, suggestion } from "../../base/nearest-name.ts";
import { groupedBy } from "../../base/grouped.ts";
import { placeOf } from "../../yaml/read/items.ts";
import { valueAt } from "../../yaml/read/json.ts";
import { get, itemsOf, type Json } from "../../yaml/read/node.ts";
import { NONE, type YamlTree } from "../../yaml/read/tree.ts";
import type { SchemaProblem, Validator } from "./validators.js";
import { dotted, shownValue } from "../../base/words.ts";

/** Where a configuration was read, for the locations in messages. */
export interface ConfigSource {
  readonly tree: YamlTree;
  readonly node: number;
  /** The path of `node` in the data: the `data` of a ConfigMap is the `spec`. */
  readonly path?: readonly string[];
}

/** A JSON Schema, as far as messages need it to list what is allowed at a path. */
export type Schema = { readonly [key: string]: unknown };

/** The number of problems that are reported; the others are counted. */
const MOST_REPORTED = 10;

/** The number of problems that are worded and sorted by location: each one searches its mapping. */
const MOST_DESCRIBED = 100;

/**
 * Throws a RollstampError (`config`) for data that the schema does not accept. For each problem, it names the path,
 * what was found, what is allowed, and the nearest known name. The first problem is the message, the others follow it,
 * one per line.
 */
export function validateConfig(data: Json, validator: Validator, schema: Schema, source?: ConfigSource): void {
  if (validator(data)) return;
  const problems = relevant(validator.errors ?? []);
  const worded = problems.slice(0, MOST_DESCRIBED).map((problem) => {
    const keys = pointerKeys(problem.instancePath);
    const problemWords = describeProblem(problem, keys, {
      data,
      schema,
      top: source?.path === undefined ? [] : ["data"],
    });
    const path = problemWords.key === undefined ? keys : [...keys, problemWords.key];
    return { ...problemWords, place: source === undefined ? undefined : placeAtPath(source, path) };
  });
  worded.sort((a, b) => (a.place?.line ?? 0) - (b.place?.line ?? 0) || (a.place?.column ?? 0) - (b.place?.column ?? 0));
  const [first, ...others] = worded;
  if (first === undefined) throw new RollstampError("config", "the configuration is not valid");
  const lines = others.slice(0, MOST_REPORTED - 1).map(({ place, message, remedy }, i) => {
    const prefix = place === undefined ? "" : `${place.line}:${place.column}: `;
    // A key with line breaks must not add lines to the message.
    const text = `  ${prefix}${message.replace(/[\r\n]+/gu, " ")}`;
    return remedy === worded[i]?.remedy ? text : `${text}${text.endsWith("?") ? "" : "."} ${remedy}`;
  });
  const more = problems.length - 1 - lines.length;
  const remedy = [first.remedy, ...lines, ...(more > 0 ? [`  And ${more} more.`] : [])].join("\n");
  throw new RollstampError("config", first.message, {
    ...(first.place === undefined ? {} : { place: first.place }),
    remedy,
  });
}

/** The location of a path in a configuration, or of its nearest existing parent. */
export function placeAtPath(source: ConfigSource, keys: readonly string[]): Place {
  let node = source.node;
  for (const key of keys.slice(source.path?.length ?? 0)) {
    const next = /^\d+$/u.test(key)
      ? (itemsOf(source.tree, node)[Number(key)] ?? get(source.tree, node, key))
      : get(source.tree, node, key);
    if (next === NONE) break;
    node = next;
  }
  return placeOf(source.tree, node);
}

const ORDER = ["additionalProperties", "const", "enum", "type", "required", "pattern", "minLength", "minItems"];

/**
 * One problem for each path, and for each unknown or missing field. For alternatives (`anyOf`), ajv reports the
 * problems of all of them: a problem inside of the value says more than a wrong type of the whole, and one alternative
 * is enough. A misspelt name explains a missing field.
 */
function relevant(problems: readonly SchemaProblem[]): SchemaProblem[] {
  const byPath = groupedBy(problems, ({ instancePath }) => instancePath);
  // Sorts paths so that those inside a path follow it directly, which avoids comparing all pairs.
  const outer = new Set([...byPath.keys()].flatMap(outerPaths));
  return [...byPath].flatMap(([path, here]): SchemaProblem[] => {
    const withKeyword = (keyword: string): SchemaProblem[] => here.filter((problem) => problem.keyword === keyword);
    if (withKeyword("anyOf").length > 0 || withKeyword("oneOf").length > 0)
      return outer.has(path) ? [] : mostSpecific(here);
    const unknown = withKeyword("additionalProperties");
    const missing = withKeyword("required").filter(
      (problem) => !explains(unknown, String(problem.params["missingProperty"])),
    );
    return unknown.length + missing.length > 0 ? [...unknown, ...missing] : mostSpecific(here);
  });
}

function outerPaths(path: string): string[] {
  const keys = path.split("/");
  return keys.slice(1).map((_, i) => keys.slice(0, i + 1).join("/"));
}

function mostSpecific(problems: readonly SchemaProblem[]): SchemaProblem[] {
  const rank = ({ keyword }: SchemaProblem): number => {
    const position = ORDER.indexOf(keyword);
    return position < 0 ? ORDER.length : position;
  };
  return [...problems].sort((a, b) => rank(a) - rank(b)).slice(0, 1);
}

function explains(unknown: readonly SchemaProblem[], missing: string): boolean {
  return unknown.some(({ params }) => nearest(String(params["additionalProperty"]), [missing]) !== undefined);
}

interface Description {
  readonly message: string;
  readonly remedy: string;
  /** The key inside the path that the problem is about. */
  readonly key?: string;
}

interface Validated {
  readonly data: Json;
  readonly schema: Schema;
  /** The first keys as the user wrote them, if they are others: the `data` of a ConfigMap is the `spec`. */
  readonly top: readonly string[];
}

function describeProblem(
  problem: SchemaProblem,
  keys: readonly string[],
  { data, schema, top }: Validated,
): Description {
  const written = [...top, ...keys.slice(top.length)];
  const path = dotted(written) || "the configuration";
  const found = valueAt(data, keys);
  const { params } = problem;
  switch (problem.keyword) {
    case "additionalProperties": {
      const key = String(params["additionalProperty"]);
      const known = knownProperties(schema, keys);
      return {
        message: `unknown field '${dotted([...written, key])}'${suggestion(key, known)}`,
        remedy: `Known here: ${known.join(", ") || "none"}.`,
        key,
      };
    }
    case "const":
    case "enum": {
      const allowed = problem.keyword === "const" ? [params["allowedValue"]] : arrayOf(params["allowedValues"]);
      const names = allowed.map(String);
      return {
        message: `'${path}' is ${show(found)}${typeof found === "string" ? suggestion(found, names) : ""}`,
        remedy: `Allowed: ${names.join(", ")}.`,
      };
    }
    case "type":
      return { message: `'${path}' is ${show(found)}`, remedy: `Allowed: ${article(String(params["type"]))}.` };
    case "required": {
      const key = String(params["missingProperty"]);
      return { message: `'${dotted([...written, key])}' is missing`, remedy: "Add the field." };
    }
    case "pattern":
      return {
        message: `'${path}' is ${show(found)}, not a path`,
        remedy: "Write field names separated by dots, with '*' for every element: spec.groups.*.template.",
      };
    case "minimum":
      return { message: `'${path}' is ${show(found)}`, remedy: `Allowed: ${String(params["limit"])} or more.` };
    case "maximum":
      return { message: `'${path}' is ${show(found)}`, remedy: `Allowed: at most ${String(params["limit"])}.` };
    case "minLength":
    case "minItems":
      return { message: `'${path}' is empty`, remedy: "Give at least one." };
    case "maxItems":
      return { message: `'${path}' is too long`, remedy: `Give at most ${String(params["limit"])}.` };
    case "maxLength":
      return { message: `'${path}' is too long`, remedy: `Use at most ${String(params["limit"])} characters.` };
    default:
      return { message: `'${path}' is ${show(found)}`, remedy: "See the function's documentation." };
  }
}

function pointerKeys(pointer: string): string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function show(value: Json | undefined): string {
  if (value === undefined) return "missing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "a mapping";
  return shownValue(value);
}

function article(type: string): string {
  const names: Readonly<Record<string, string>> = {
    array: "a list",
    object: "a mapping",
    string: "a string",
    boolean: "true or false",
    integer: "a whole number",
    number: "a number",
  };
  return names[type] ?? type;
}

function arrayOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A schema, and the schema whose `$defs` its references name. */
interface Located {
  readonly root: Schema;
  readonly schema: Schema;
}

/** The names that a schema defines at a path. */
function knownProperties(schema: Schema, keys: readonly string[]): string[] {
  let located: Located | undefined = { root: schema, schema };
  for (const key of keys) located = located === undefined ? undefined : step(located, key);
  const properties = located === undefined ? undefined : objectOf(located.schema["properties"]);
  return properties === undefined ? [] : Object.keys(properties);
}

function step({ root, schema }: Located, key: string): Located | undefined {
  const properties = objectOf(schema["properties"]);
  const next = properties?.[key] ?? (/^\d+$/u.test(key) ? schema["items"] : schema["additionalProperties"]);
  return resolveRef(root, objectOf(next));
}

function resolveRef(root: Schema, schema: Schema | undefined): Located | undefined {
  if (schema === undefined) return undefined;
  const reference = schema["$ref"];
  if (typeof reference === "string") {
    const target = referenced(root, reference);
    return target === undefined ? undefined : resolveRef(target.root, target.schema);
  }
  // Among alternatives, the mapping defines the names.
  const object = arrayOf(schema["anyOf"])
    .map((alternative) => resolveRef(root, objectOf(alternative)))
    .find((alternative) => alternative?.schema["properties"] !== undefined);
  return object ?? { root, schema };
}

/** Resolves `#/$defs/x`, or `file.json#/$defs/x` if the other schema is embedded in `$defs` under its file name. */
function referenced(root: Schema, reference: string): Located | undefined {
  const [file = "", pointer = ""] = reference.split("#");
  const base = file === "" ? root : objectOf(objectOf(root["$defs"])?.[file]);
  let current = base;
  for (const key of pointer.split("/").slice(1)) current = objectOf(current?.[key]);
  return base === undefined || current === undefined ? undefined : { root: base, schema: current };
}

function objectOf(value: unknown): Schema | undefined {
  return value !== null && typeof value === "object" && !Array.isArray(value) ? (value as Schema) : undefined;
}
