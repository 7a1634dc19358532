import type { Json } from "./node.ts";

// Access to JSON values of unchecked type. A value of another type counts as missing.

export type Mapping = { readonly [key: string]: Json };

const NO_FIELDS: Mapping = Object.freeze(Object.create(null));

/** True for a mapping. */
export function isMapping(value: Json | undefined): value is { [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The fields of a mapping; none of any other value. */
export function fieldsOf(value: Json | undefined): Mapping {
  return isMapping(value) ? value : NO_FIELDS;
}

/** The value of a key; undefined if the value is not a mapping. */
export function fieldOf(value: Json | undefined, key: string): Json | undefined {
  return fieldsOf(value)[key];
}

/** The items of a list; none of any other value. */
export function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

/** A string; undefined for any other value. */
export function textOf(value: Json | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** A number; undefined for any other value. */
export function numberOf(value: Json | undefined): number | undefined {
  return typeof value === "number" ? value : undefined;
}

/** A string; "" for any other value. */
export function textOrEmpty(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

/** The strings of a list. */
export function textsOf(value: Json | undefined): readonly string[] {
  return listOf(value).filter((item) => typeof item === "string");
}

/** The value at a path of keys and indexes; undefined if a step is missing. */
export function valueAt(value: Json | undefined, path: readonly string[]): Json | undefined {
  let found = value;
  for (const step of path) found = Array.isArray(found) ? found[Number(step)] : fieldsOf(found)[step];
  return found;
}

/** The allowed values that a list contains, in the order in which they are allowed. */
export function someOf<T extends string>(value: Json | undefined, allowed: readonly T[]): readonly T[] {
  const given = listOf(value);
  return allowed.filter((candidate) => given.includes(candidate));
}

/** One of the allowed values, or the default. */
export function oneOf<T extends string>(value: Json | undefined, allowed: readonly T[], fallback: T): T {
  return allowed.find((candidate) => candidate === value) ?? fallback;
}

/** JSON with sorted keys: the same string for values that differ only in the order of keys. */
export function stableJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(stableJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value ?? null);
  let text = "";
  for (const [key, field] of Object.entries(value).sort(byKey))
    if (field !== undefined) text += `${text === "" ? "" : ","}${JSON.stringify(key)}:${stableJson(field)}`;
  return `{${text}}`;
}

function byKey([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}

// kustomize reads JSON with Go's decoder, which ignores the case of keys.

/** A key as Go's JSON decoder compares it: lower case, also for the two letters beyond ASCII that fold to ASCII. */
export function folded(key: string): string {
  return /[\u017f\u212a]/u.test(key)
    ? key.replaceAll("\u017f", "s").replaceAll("\u212a", "k").toLowerCase()
    : key.toLowerCase();
}

/**
 * The value of a key of lower-case ASCII letters, in any letter case. As in Go, the last match counts. Keys that fold to
 * such a key have its length.
 */
export function foldedGet(mapping: Mapping, key: string): Json | undefined {
  const match = Object.keys(mapping).findLast(
    (name) => name === key || (name.length === key.length && folded(name) === key),
  );
  return match === undefined ? undefined : mapping[match];
}
