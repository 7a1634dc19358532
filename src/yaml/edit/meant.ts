import type { Item } from "../read/items.ts";
import type { Json } from "../read/node.ts";
import type { ScalarValue } from "./render.ts";

/** New values of scalar entries of one mapping, and the entries that go. */
export interface EntryChanges {
  readonly set: ReadonlyMap<string, ScalarValue>;
  readonly remove: ReadonlySet<string>;
}

/** What splices are to bring about: what comes of them is read again and compared with it. */
export type Meant = MeantEntries | MeantValue;

/** Changes of the entries of a mapping: `path` from the mapping `base`. */
export interface MeantEntries {
  readonly item: Item;
  readonly base: number;
  readonly path: readonly string[];
  readonly changes: EntryChanges;
}

/** A field of a ResourceList that gets a value. */
export interface MeantValue {
  readonly base: number;
  readonly path: readonly [field: string];
  readonly value: Json;
}

/** What is meant for a mapping: for its entries by their keys, and for itself. */
export interface MeantTree {
  readonly steps: Map<string, MeantTree>;
  readonly changes: EntryChanges[];
  value: Json | undefined;
}

/** What is meant, by the mappings that the paths start from. */
export function meantByBase(all: readonly Meant[]): ReadonlyMap<number, MeantTree> {
  const bases = new Map<number, MeantTree>();
  for (const meant of all) {
    let at = memberOf(bases, meant.base);
    for (const step of meant.path) at = memberOf(at.steps, step);
    if ("changes" in meant) at.changes.push(meant.changes);
    else at.value = meant.value;
  }
  return bases;
}

function memberOf<K>(of: Map<K, MeantTree>, key: K): MeantTree {
  const known = of.get(key);
  if (known !== undefined) return known;
  const made: MeantTree = { steps: new Map(), changes: [], value: undefined };
  of.set(key, made);
  return made;
}
