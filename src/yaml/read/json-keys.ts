import type { Json } from "./node.ts";

// JSON as kustomize reads it: by Go's decoder, to which a key is one in any letter case.

/** A mapping of JSON. */
export type Mapping = { readonly [key: string]: Json };

/** True for a mapping. */
export function isMapping(value: Json | undefined): value is Mapping {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * A key as Go's JSON decoder compares it: in any letter case, with the two letters beyond ASCII that fold to
 * letters of it.
 */
export function folded(key: string): string {
  return /[\u017f\u212a]/u.test(key)
    ? key.replaceAll("\u017f", "s").replaceAll("\u212a", "k").toLowerCase()
    : key.toLowerCase();
}

/**
 * What a mapping has under a key of small ASCII letters, in any letter case; the last one counts, as to Go. Such a key is
 * as long as each that folds to it.
 */
export function foldedGet(mapping: Mapping, key: string): Json | undefined {
  const keys = Object.keys(mapping);
  for (let at = keys.length - 1; at >= 0; at--) {
    const one = keys[at] ?? "";
    if (one === key || (one.length === key.length && folded(one) === key)) return mapping[one];
  }
  return undefined;
}
