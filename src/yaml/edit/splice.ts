import type { AnnotationsPlace } from "./annotation-places.ts";
import type { ScalarValue } from "./render.ts";
import { readManifests, type Item, type Manifests } from "../read/items.ts";
import type { Json } from "../read/node.ts";
import { readTree, type YamlTree } from "../read/tree.ts";

/** A change of the text: at `offset`, `remove` characters are removed and `insert` is inserted. */
export interface Splice {
  readonly offset: number;
  readonly remove: number;
  readonly insert: string;
  /** The intended change of this splice and the ones after it, which src/yaml/edit/checked.ts verifies. */
  readonly intended?: IntendedChange;
}

/** The changes of each text. */
export type Edits = ReadonlyMap<YamlTree, readonly Splice[]>;

/**
 * Applies splices to the text; all other bytes stay. Splices must not overlap; of two at one offset, the first one given
 * comes first. Without splices, the same string is returned.
 */
export function applySplices(text: string, splices: readonly Splice[]): string {
  if (splices.length === 0) return text;
  const ordered = splices.map((splice, order) => ({ splice, order }));
  ordered.sort((a, b) => a.splice.offset - b.splice.offset || a.order - b.order);
  const parts: string[] = [];
  let copied = 0;
  for (const { splice } of ordered) {
    if (splice.offset < copied) throw new Error("two edits of one place overlap");
    parts.push(text.slice(copied, splice.offset), splice.insert);
    copied = splice.offset + splice.remove;
  }
  parts.push(text.slice(copied));
  return parts.join("");
}

/** The manifests with their edits, read again. */
export function editedManifests(manifests: Manifests, edits: Edits): Manifests {
  const { text, file, limits } = manifests.tree;
  const splices = edits.get(manifests.tree) ?? [];
  return splices.length === 0 ? manifests : readManifests(readTree(applySplices(text, splices), file, limits));
}

/** New values of scalar entries of a mapping, and entries to remove. */
export interface EntryChanges {
  readonly set: ReadonlyMap<string, ScalarValue>;
  readonly remove: ReadonlySet<string>;
}

/** The intended change of splices: the result is parsed and compared with it. */
export type IntendedChange = IntendedNodeChange | IntendedObjects;

/** The intended change of a part of an object or of a ResourceList. */
export type IntendedNodeChange = IntendedEntries | IntendedValue;

/** Changes of entries. */
export interface IntendedEntries extends AnnotationsPlace {
  readonly changes: EntryChanges;
}

/** A field of a ResourceList that gets a value. */
export interface IntendedValue {
  readonly base: number;
  readonly path: readonly [field: string];
  readonly value: Json;
}

/** An object that is removed, or that new objects follow. */
export interface IntendedObjects {
  readonly item: Item;
  readonly objects: "removed" | readonly Json[];
}

/** The intended changes of a mapping: of its entries by key, and of itself. */
export interface IntendedTree {
  readonly steps: Map<string, IntendedTree>;
  readonly changes: EntryChanges[];
  value: Json | undefined;
}

/** The intended changes, by the mapping in which their paths begin. */
export function meantByBase(all: readonly IntendedNodeChange[]): ReadonlyMap<number, IntendedTree> {
  const bases = new Map<number, IntendedTree>();
  for (const intended of all) {
    let member = memberOf(bases, intended.base);
    for (const step of intended.path) member = memberOf(member.steps, step);
    if ("changes" in intended) member.changes.push(intended.changes);
    else member.value = intended.value;
  }
  return bases;
}

function memberOf<K>(of: Map<K, IntendedTree>, key: K): IntendedTree {
  const known = of.get(key);
  if (known !== undefined) return known;
  const made: IntendedTree = { steps: new Map(), changes: [], value: undefined };
  of.set(key, made);
  return made;
}
