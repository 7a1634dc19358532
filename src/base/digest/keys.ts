import type { Keys } from "./hash-v1.ts";

/**
 * The keys that several uses of one source see together. Where all see one set, it is that set itself; what some sets
 * come to together is worked out once: all the sources of two volumes have those of their mounts.
 */
export function keysOfAll(all: readonly Keys[]): Keys {
  let at = NONE_YET;
  for (const keys of new Set(all)) {
    if (keys === "*") return "*";
    let next = at.with.get(keys);
    if (next === undefined) at.with.set(keys, (next = { with: new WeakMap(), together: undefined }));
    // The first by itself is what it is.
    if (at === NONE_YET) next.together = keys;
    at = next;
  }
  if (at.together === undefined) {
    const together = new Set<string>();
    for (const keys of all) if (keys !== "*") for (const key of keys) together.add(key);
    at.together = together;
  }
  return at.together;
}

/** Sets of keys in the order of their uses, and what they come to where that has been asked. */
interface Together {
  readonly with: WeakMap<Exclude<Keys, "*">, Together>;
  together: Exclude<Keys, "*"> | undefined;
}

const NONE_YET: Together = { with: new WeakMap(), together: undefined };
