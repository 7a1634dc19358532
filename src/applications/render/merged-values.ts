import { withoutEnd } from "../../base/trim.ts";
import { RollstampError } from "../../base/errors.ts";
import type { Limits } from "../../base/limits.ts";
import { escapedName } from "../tools/set-path.ts";
import { kubectlJson } from "../../yaml/read/kubectl-view.ts";
import { type Json } from "../../yaml/read/node.ts";
import { isMapping } from "../../yaml/read/json.ts";
import { readTree } from "../../yaml/read/tree.ts";
import { countingItems, setValues, type CountItems, type Value, type Values } from "./set-values.ts";

// Merges values of a HelmRelease like Flux (fluxcd/pkg, chartutil: ChartValuesFromReferences and MergeMaps).

/** The values from an object. */
export type GivenValues =
  | { readonly is: "document"; readonly text: string; readonly shown: string }
  | {
      readonly is: "path";
      readonly path: string;
      readonly text: string;
      /** helm does not parse the text. */
      readonly isLiteral: boolean;
      readonly shown: string;
    };

/**
 * The values of a release. As in Flux, the values in the release are merged before each value at a path and again at the end,
 * and a mapping of only one side is not copied. So a value at a path is kept in such a mapping, and is overridden by the
 * release elsewhere. Throws a RollstampError.
 */
export function mergedValues(given: readonly GivenValues[], own: Json | undefined, limits: Limits): Values {
  const values = own === undefined ? new Map<string, Value>() : mappingOf(own);
  let result: Values = new Map();
  const count = countingItems();
  for (const entry of given) {
    if (entry.is === "document") {
      result = merged(result, documentValues(entry.text, entry.shown, limits));
      continue;
    }
    result = merged(result, values);
    try {
      putAt(result, entry, count);
    } catch (cause) {
      if (!(cause instanceof RollstampError)) throw cause;
      throw new RollstampError(
        cause.code,
        `${entry.shown} can't be put at its targetPath ${entry.path}: in it ${cause.message}`,
      );
    }
  }
  return merged(result, values);
}

/** Merges mappings; values of the second one take precedence. */
export function merged(base: Values, over: Values): Values {
  const result = new Map(base);
  for (const [key, value] of over) {
    const under = result.get(key);
    result.set(key, value instanceof Map && under instanceof Map ? merged(under, value) : value);
  }
  return result;
}

/** The values in text; empty for an empty text. Throws a RollstampError if they are not a mapping. */
export function documentValues(text: string, shown: string, limits: Limits): Values {
  const tree = readTree(text, shown, limits);
  const [document] = tree.documents;
  const json = document === undefined ? null : kubectlJson(tree, document);
  if (json === null) return new Map();
  if (isMapping(json)) return mappingOf(json);
  throw new RollstampError("input", `the values of ${shown} must be a mapping`);
}

function putAt(
  values: Values,
  { path, text, isLiteral }: Extract<GivenValues, { is: "path" }>,
  count: CountItems,
): void {
  if (isLiteral) return setValues(values, `${path}=${text.replace(/[\\,[\]{}]/gu, String.raw`\$&`)}`, true, count);
  const isQuoted = ["'", '"'].some((quote) => text.startsWith(quote) && text.endsWith(quote));
  return setValues(
    values,
    `${path}=${isQuoted ? withoutEnd(text.replace(/^['"]+/u, ""), `'"`) : text}`,
    isQuoted,
    count,
  );
}

function mappingOf(json: Json): Values {
  return isMapping(json) ? new Map(Object.entries(json).map(([key, value]) => [key, valueOf(value)])) : new Map();
}

function valueOf(json: Json): Value {
  if (Array.isArray(json)) return json.map(valueOf);
  return isMapping(json) ? mappingOf(json) : json;
}

/** Values as JSON. */
export function valuesText(value: Value): string {
  if (value instanceof Map) {
    return `{${[...value].map(([key, item]) => `${JSON.stringify(key)}:${valuesText(item)}`).join(",")}}`;
  }
  if (Array.isArray(value)) return `[${value.map(valuesText).join(",")}]`;
  return typeof value === "bigint" ? String(value) : JSON.stringify(value);
}

/** The paths of whole numbers, for --set: in a file, helm would print large ones differently. */
export function wholeNumbers(value: Value, path = ""): readonly (readonly [string, string])[] {
  if (typeof value === "bigint") return [[path, String(value)]];
  if (Array.isArray(value)) return value.flatMap((item, index) => wholeNumbers(item, `${path}[${index}]`));
  if (!(value instanceof Map)) return [];
  return [...value].flatMap(([key, item]) => wholeNumbers(item, `${path}${path === "" ? "" : "."}${escapedName(key)}`));
}
