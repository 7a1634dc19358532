import { keyNames, type KeyChanges } from "../../base/names.ts";
import type { Entries } from "../../base/digest/hash-v1.ts";

/** The keys in which two contents of a source differ, as reports name them. */
export function changedKeys(before: Entries, after: Entries): KeyChanges {
  const missing = (from: Entries, other: Entries): readonly string[] =>
    keyNames([...from.keys()].filter((key) => !other.has(key)).sort());
  return {
    added: missing(after, before),
    removed: missing(before, after),
    changed: keyNames(
      [...before.keys()].filter((key) => after.has(key) && !isEqual(before.get(key), after.get(key))).sort(),
    ),
  };
}

export function isUnchanged(keys: KeyChanges): boolean {
  return keys.added.length + keys.removed.length + keys.changed.length === 0;
}

function isEqual(a: string | Uint8Array = "", b: string | Uint8Array = ""): boolean {
  return a === b || (typeof a === "string" && typeof b === "string" ? false : Buffer.from(a).equals(Buffer.from(b)));
}

/** Compares contents of sources, each pair once, because many workloads see the same pair. */
export function rememberedChanges(): typeof changedKeys {
  const known = new WeakMap<Entries, WeakMap<Entries, KeyChanges>>();
  return (before, after) => {
    const others = known.get(before) ?? new WeakMap<Entries, KeyChanges>();
    known.set(before, others);
    let keys = others.get(after);
    if (keys === undefined) others.set(after, (keys = changedKeys(before, after)));
    return keys;
  };
}
