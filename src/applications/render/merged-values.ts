import { RollstampError } from "../../base/errors.ts";
import type { Limits } from "../../base/limits.ts";
import { escapedName } from "../tools/set-path.ts";
import { kubectlJson } from "../../yaml/read/kubectl-view.ts";
import { type Json } from "../../yaml/read/node.ts";
import { isMapping } from "../../yaml/read/json.ts";
import { readTree } from "../../yaml/read/tree.ts";
import { setValues, type Value, type Values } from "./set-values.ts";

// Values of a HelmRelease as Flux puts them together (fluxcd/pkg, chartutil: ChartValuesFromReferences and MergeMaps).

/** What an object gives, in its order. */
export type GivenValues =
  | { readonly is: "document"; readonly text: string; readonly shown: string }
  | {
      readonly is: "path";
      readonly path: string;
      readonly text: string;
      /** Nothing in the text means anything to helm. */
      readonly isLiteral: boolean;
      readonly shown: string;
    };

/**
 * The values of a release. Those of the release itself are merged in before each value at a path, and once more in the
 * end; and as in Flux a mapping that only one side had is no copy. So a value at a path stays where it was put into such
 * a mapping, and gives way to the release's own elsewhere. Throws a RollstampError.
 */
export function mergedValues(given: readonly GivenValues[], own: Json | undefined, limits: Limits): Values {
  const values = own === undefined ? new Map<string, Value>() : mappingOf(own);
  let result: Values = new Map();
  for (const one of given) {
    if (one.is === "document") {
      result = merged(result, documentValues(one.text, one.shown, limits));
      continue;
    }
    result = merged(result, values);
    try {
      putAt(result, one);
    } catch (cause) {
      if (!(cause instanceof RollstampError)) throw cause;
      throw new RollstampError(
        cause.code,
        `${one.shown} can't be put at its targetPath ${one.path}: in it ${cause.message}`,
      );
    }
  }
  return merged(result, values);
}

/** One over the other; a mapping that both have is merged. */
export function merged(base: Values, over: Values): Values {
  const result = new Map(base);
  for (const [key, value] of over) {
    const under = result.get(key);
    result.set(key, value instanceof Map && under instanceof Map ? merged(under, value) : value);
  }
  return result;
}

/** The values of a text; none where it says nothing. Throws a RollstampError for what is no mapping. */
export function documentValues(text: string, shown: string, limits: Limits): Values {
  const tree = readTree(text, shown, limits);
  const [document] = tree.documents;
  const json = document === undefined ? null : kubectlJson(tree, document);
  if (json === null) return new Map();
  if (isMapping(json)) return mappingOf(json);
  throw new RollstampError("input", `the values of ${shown} are no mapping`);
}

function putAt(values: Values, { path, text, isLiteral }: Extract<GivenValues, { is: "path" }>): void {
  if (isLiteral) return setValues(values, `${path}=${text.replace(/[\\,[\]{}]/gu, String.raw`\$&`)}`, true);
  const isQuoted = ["'", '"'].some((quote) => text.startsWith(quote) && text.endsWith(quote));
  return setValues(values, `${path}=${isQuoted ? text.replace(/^['"]+|['"]+$/gu, "") : text}`, isQuoted);
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
    return `{${[...value].map(([key, one]) => `${JSON.stringify(key)}:${valuesText(one)}`).join(",")}}`;
  }
  if (Array.isArray(value)) return `[${value.map(valuesText).join(",")}]`;
  return typeof value === "bigint" ? String(value) : JSON.stringify(value);
}

/** What a file can't say: where a whole number of --set stands, and which; helm prints a large one otherwise. */
export function wholeNumbers(value: Value, path = ""): readonly (readonly [string, string])[] {
  if (typeof value === "bigint") return [[path, String(value)]];
  if (Array.isArray(value)) return value.flatMap((one, at) => wholeNumbers(one, `${path}[${at}]`));
  if (!(value instanceof Map)) return [];
  return [...value].flatMap(([key, one]) => wholeNumbers(one, `${path}${path === "" ? "" : "."}${escapedName(key)}`));
}
