import type { Keys } from "./hash-v1.ts";

/** The keys that several uses of one source see together. Where all see one set, it is that set itself. */
export function keysOfAll(all: readonly Keys[]): Keys {
  const [only] = all;
  if (only !== undefined && all.every((keys) => keys === only)) return only;
  const keys = new Set<string>();
  for (const some of all) {
    if (some === "*") return "*";
    for (const key of some) keys.add(key);
  }
  return keys;
}
