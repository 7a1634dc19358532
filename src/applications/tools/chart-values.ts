import type { Limits } from "../../base/limits.ts";
import { RollstampError } from "../../base/errors.ts";
import { placeOf } from "../../yaml/read/items.ts";
import { entriesOf, itemsOf, kindOf, resolve, toJson, type Entry } from "../../yaml/read/node.ts";
import { NONE, readTree, scalarText, type YamlTree } from "../../yaml/read/tree.ts";
import { countingItems, escapedName, escapedPath, type CountItems } from "./set-path.ts";
import type { GivenParameters, GivenValue } from "../../platform/ports/applications.ts";
import { formOf, wrong } from "./parameters.ts";

/** The type of a value; `any` is YAML of any form. */
export type ValueType = "string" | "number" | "boolean" | "any";

interface Default {
  readonly type: ValueType;
  readonly text: string;
}

/** A top-level key of values.yaml as a parameter. Keys of a mapping are paths as in helm --set. */
export type ValueParameter = { readonly name: string } & (
  | { readonly form: "string"; readonly value: Default }
  | { readonly form: "array"; readonly type: ValueType; readonly items: readonly string[] }
  | { readonly form: "map"; readonly entries: ReadonlyMap<string, Default> }
);

/** The top-level keys of a values.yaml, in order. Throws a RollstampError if it is not a mapping. */
export function valueParameters(text: string, file: string, limits: Limits): readonly ValueParameter[] {
  const tree = readTree(text, file, limits);
  const root = tree.documents[0] ?? NONE;
  const kind = kindOf(tree, root);
  if (kind === "none" || kind === "null") return [];
  if (kind !== "mapping") {
    throw new RollstampError("input", "the values of the chart must be a mapping", { place: placeOf(tree, root) });
  }
  return entriesOf(tree, root).map((entry) => valueParameter(tree, entry));
}

function valueParameter(tree: YamlTree, { key: name, valueNode }: Entry): ValueParameter {
  if (kindOf(tree, valueNode) === "mapping") {
    const entries = new Map<string, Default>();
    for (const entry of entriesOf(tree, valueNode)) addLeaves(tree, escapedName(entry.key), entry.valueNode, entries);
    return { name, form: "map", entries };
  }
  const items = itemsOf(tree, valueNode).map((item) => scalarDefault(tree, item));
  const type = items[0]?.type;
  if (type !== undefined && type !== "any" && items.every((item) => item?.type === type)) {
    return { name, form: "array", type, items: items.map((item) => item?.text ?? "") };
  }
  return { name, form: "string", value: leafDefault(tree, valueNode) };
}

function addLeaves(tree: YamlTree, path: string, node: number, entries: Map<string, Default>): void {
  const below = kindOf(tree, node) === "mapping" ? entriesOf(tree, node) : [];
  if (below.length === 0) entries.set(path, leafDefault(tree, node));
  else for (const entry of below) addLeaves(tree, `${path}.${escapedName(entry.key)}`, entry.valueNode, entries);
}

function leafDefault(tree: YamlTree, node: number): Default {
  return scalarDefault(tree, node) ?? { type: "any", text: JSON.stringify(toJson(tree, node)) };
}

/** The text of a scalar as written: `1.10` stays `1.10`. */
function scalarDefault(tree: YamlTree, node: number): Default | undefined {
  switch (kindOf(tree, node)) {
    case "null":
      return { type: "any", text: "" };
    case "string":
    case "number":
    case "boolean":
      return { type: scalarType(kindOf(tree, node)), text: scalarText(tree, resolve(tree, node)) };
    default:
      return undefined;
  }
}

function scalarType(kind: string): ValueType {
  return kind === "number" || kind === "boolean" ? kind : "string";
}

/** The arguments for `helm --set-json` of the parameters that are keys of values.yaml. */
export function givenValues(parameters: readonly ValueParameter[], given: GivenParameters, limits: Limits): string[] {
  const countItems = countingItems();
  return parameters.flatMap((parameter) => {
    const value = given.get(parameter.name);
    return value === undefined ? [] : setJson(parameter, value, { limits, countItems });
  });
}

function setJson(
  parameter: ValueParameter,
  value: GivenValue,
  { limits, countItems }: { readonly limits: Limits; readonly countItems: CountItems },
): string[] {
  const key = escapedName(parameter.name);
  switch (parameter.form) {
    case "string":
      if (value.string === undefined) throw wrong(parameter.name, `is ${formOf(value)}`, "a string, as in values.yaml");
      return [`${key}=${json(parameter.value.type, value.string, parameter.name, limits)}`];
    case "array":
      if (value.array === undefined)
        throw wrong(parameter.name, `is ${formOf(value)}`, "a list (array), as in values.yaml");
      return [`${key}=[${value.array.map((item) => json(parameter.type, item, parameter.name, limits)).join(",")}]`];
    case "map":
      if (value.map === undefined)
        throw wrong(parameter.name, `is ${formOf(value)}`, "a mapping (map), as in values.yaml");
      return Object.entries(value.map)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(
          ([path, text]) =>
            `${key}.${escapedPath(path, parameter.name, countItems)}=${json(parameter.entries.get(path)?.type ?? "any", text, `${parameter.name}.${path}`, limits)}`,
        );
  }
}

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/u;

/** Converts text to JSON of the type in the chart. The text may be secret, so no message contains it. */
function json(type: ValueType, text: string, name: string, limits: Limits): string {
  switch (type) {
    case "string":
      return JSON.stringify(text);
    case "number":
      if (!JSON_NUMBER.test(text))
        throw wrong(name, "must be a number", "a number, as in values.yaml; helm-values accepts any value");
      return text;
    case "boolean":
      if (text !== "true" && text !== "false")
        throw wrong(name, "must be true or false", "true or false, as in values.yaml; helm-values accepts any value");
      return text;
    case "any":
      return yamlAsJson(text, name, limits);
  }
}

function yamlAsJson(text: string, name: string, limits: Limits): string {
  // Unchanged, because JavaScript would round a long number.
  if (JSON_NUMBER.test(text)) return text;
  const tree = readTree(text, `the plugin parameter '${name}'`, limits);
  const root = tree.documents[0] ?? NONE;
  if (tree.documents.length > 1) throw wrong(name, "contains several YAML documents", "one value");
  return root === NONE ? '""' : JSON.stringify(toJson(tree, root));
}
