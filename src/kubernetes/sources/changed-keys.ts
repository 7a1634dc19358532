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
