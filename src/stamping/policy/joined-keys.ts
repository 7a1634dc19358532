import type { Reference } from "../../kubernetes/workloads/types.ts";

/** Sets of fewer keys are joined as they are: only mounts of one volume by the thousand come to more. */
const FEW = 100;

/**
 * How many keys are copied where several uses of one source, each with its own keys, are taken together (keysOfAll): a
 * volume of many sources shows each the keys of all its mounts. What other sources have joined alike is copied once.
 */
export function joinedKeys(references: readonly Reference[]): number {
  if (!references.some(({ keys }) => keys !== "*" && keys.size > FEW)) return 0;
  const groups = new Map<string, Set<Reference["keys"]>>();
  for (const { kind, namespace, name, keys } of references) {
    const source = `${kind}/${namespace}/${name}`;
    const known = groups.get(source);
    if (known === undefined) groups.set(source, new Set([keys]));
    else known.add(keys);
  }
  const ids = new Map<Reference["keys"], number>();
  const joined = new Set<string>();
  let copied = 0;
  for (const sets of groups.values()) {
    if (sets.size < 2 || sets.has("*")) continue;
    const id = [...sets].map((keys) => idOf(ids, keys)).join();
    if (joined.has(id)) continue;
    joined.add(id);
    for (const keys of sets) copied += keys === "*" ? 0 : keys.size;
  }
  return copied;
}

function idOf(ids: Map<Reference["keys"], number>, keys: Reference["keys"]): number {
  let id = ids.get(keys);
  if (id === undefined) ids.set(keys, (id = ids.size));
  return id;
}
