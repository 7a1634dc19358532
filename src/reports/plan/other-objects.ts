import { objectKey } from "../../base/identity.ts";
import { isStampKey } from "../../base/stamp-keys.ts";
import { addTo } from "../../base/grouped.ts";
import type { Item } from "../../yaml/read/items.ts";
import { toJson, type Json } from "../../yaml/read/node.ts";
import { isMapping } from "../../yaml/read/json.ts";
import { isSameText } from "./same-text.ts";
import type { Side } from "./side.ts";

/**
 * How many objects come, go or differ that are none of the workloads which are told: a number of replicas, a Service.
 * Where no pod changes that is all there is to say of them; stamps are compared as stamping would make them.
 */
export function otherObjects(base: Side, head: Side, told: ReadonlySet<Item>): number {
  // A cluster's objects have what nobody wrote.
  if (base.isLive || head.isLive) return 0;
  const before = byIdentity(base.analysis.items);
  const after = byIdentity(head.analysis.items);
  let count = 0;
  for (const key of new Set([...before.keys(), ...after.keys()])) {
    const [from, to] = [before.get(key) ?? [], after.get(key) ?? []];
    for (let nth = 0; nth < Math.max(from.length, to.length); nth += 1) {
      const [one, other] = [from[nth], to[nth]];
      if ((one !== undefined && told.has(one)) || (other !== undefined && told.has(other))) continue;
      if (one === undefined || other === undefined || differs(one, other)) count += 1;
    }
  }
  return count;
}

/** Objects without a name of their own have one in common: they are told apart by their order. */
function byIdentity(items: readonly Item[]): ReadonlyMap<string, readonly Item[]> {
  const found = new Map<string, Item[]>();
  for (const item of items) {
    addTo(found, objectKey(item), item);
  }
  return found;
}

function differs(a: Item, b: Item): boolean {
  return !isSameText(a, b) && meaningOf(a) !== meaningOf(b);
}

function meaningOf({ tree, node }: Item): string {
  return JSON.stringify(unstamped(toJson(tree, node)));
}

/** Without stamps, and with keys in an order of their own. */
function unstamped(value: Json): Json {
  if (Array.isArray(value)) return value.map(unstamped);
  if (!isMapping(value)) return value;
  const entries = Object.entries(value).filter(([key]) => !isStampKey(key));
  return Object.fromEntries(
    entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, of]) => [key, unstamped(of)] as const),
  );
}
