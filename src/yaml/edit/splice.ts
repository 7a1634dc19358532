import type { YamlTree } from "../read/tree.ts";
import type { Meant } from "./meant.ts";

/** A change of a text: at `offset`, `remove` characters go and `insert` comes. */
export interface Splice {
  readonly offset: number;
  readonly remove: number;
  readonly insert: string;
  /** What it is to bring about, with the splices behind it: src/yaml/edit/checked.ts looks whether it does. */
  readonly meant?: Meant;
}

/** The changes of each text. */
export type Edits = ReadonlyMap<YamlTree, readonly Splice[]>;

/**
 * Applies splices to a text; every byte outside them stands. Splices must not overlap; of two at
 * one offset the one given first comes first. Without splices the same string is given back.
 */
export function applySplices(text: string, splices: readonly Splice[]): string {
  if (splices.length === 0) return text;
  const ordered = splices.map((splice, order) => ({ splice, order }));
  ordered.sort((a, b) => a.splice.offset - b.splice.offset || a.order - b.order);
  const parts: string[] = [];
  let at = 0;
  for (const { splice } of ordered) {
    if (splice.offset < at) throw new Error("two edits of one place overlap");
    parts.push(text.slice(at, splice.offset), splice.insert);
    at = splice.offset + splice.remove;
  }
  parts.push(text.slice(at));
  return parts.join("");
}
