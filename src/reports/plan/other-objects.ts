import { objectKey } from "../../base/identity.ts";
import { isStampKey } from "../../base/stamp-keys.ts";
import { addTo } from "../../base/grouped.ts";
import type { Item } from "../../yaml/read/items.ts";
import { toJson, type Json } from "../../yaml/read/node.ts";
import { isMapping } from "../../yaml/read/json.ts";
import { isSameText } from "./same-text.ts";
import type { Side } from "./side.ts";

/**
 * How many objects are created, deleted or changed besides the workloads that a plan lists: for example a Service, or a
 * workload of which only the replicas change. Stamps do not count.
 */
export function otherObjects(base: Side, head: Side, listed: ReadonlySet<Item>): number {
  // The objects of a cluster have fields that no manifest sets.
  if (base.stamps === "Live" || head.stamps === "Live") return 0;
  const before = byIdentity(base.analysis.items);
  const after = byIdentity(head.analysis.items);
  let count = 0;
  for (const key of new Set([...before.keys(), ...after.keys()])) {
    const [from, to] = [before.get(key) ?? [], after.get(key) ?? []];
    for (let nth = 0; nth < Math.max(from.length, to.length); nth += 1) {
      const [old, current] = [from[nth], to[nth]];
      if ([old, current].some((item) => item !== undefined && listed.has(item))) continue;
      if (old === undefined || current === undefined || differs(old, current)) count += 1;
    }
  }
  return count;
}

/** Objects by identity. Objects with generated names share one, and are distinguished by their order. */
function byIdentity(items: readonly Item[]): ReadonlyMap<string, readonly Item[]> {
  const found = new Map<string, Item[]>();
  for (const item of items) addTo(found, objectKey(item), item);
  return found;
}

function differs(a: Item, b: Item): boolean {
  return !isSameText(a, b) && meaningOf(a) !== meaningOf(b);
}

function meaningOf({ tree, node }: Item): string {
  return JSON.stringify(unstamped(toJson(tree, node)));
}

/** A value without stamps, with sorted keys. */
function unstamped(value: Json): Json {
  if (Array.isArray(value)) return value.map(unstamped);
  if (!isMapping(value)) return value;
  const entries = Object.entries(value).filter(([key]) => !isStampKey(key));
  return Object.fromEntries(
    entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, inner]) => [key, unstamped(inner)] as const),
  );
}
