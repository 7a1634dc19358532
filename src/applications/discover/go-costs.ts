import type { Value } from "./go-values.ts";

// What functions of templates cost that take longer than to read their arguments once.

/** The steps of a call, which are counted before its work. */
export function costOf(name: string, values: readonly Value[]): number {
  return COSTS.get(name)?.(lengthOf(values[0]), lengthOf(values.at(-1))) ?? 0;
}

function lengthOf(value: Value): number {
  return typeof value === "string" ? value.length : 0;
}

/** A search may compare one string with each part of the other. */
const searching = (part: number, text: number): number => Math.floor((part * text) / 1000);
const reading = (text: number): number => text;

/** By function: the steps for its first and its last argument, by their lengths. */
const COSTS: ReadonlyMap<string, (first: number, last: number) => number> = new Map([
  ["contains", searching],
  ["replace", searching],
  ["split", searching],
  ["splitList", searching],
  ["fromYaml", reading],
  ["fromYamlArray", reading],
]);
