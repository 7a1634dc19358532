import { objectKey } from "../../base/identity.ts";
import { quietly } from "../../base/errors.ts";
import { addTo } from "../../base/grouped.ts";
import type { Limits } from "../../base/limits.ts";
import { isMarkedCopy, partsOfCopyName } from "../../kubernetes/sources/copies.ts";
import { addObjects, removeObject, type NewObject } from "../../yaml/edit/objects.ts";
import { applySplices, type Splice } from "../../yaml/edit/splice.ts";
import { readManifests, type Item } from "../../yaml/read/items.ts";
import { fieldsOf } from "../../yaml/read/json.ts";
import { endOf, entriesOf, getString, itemsOf, kindOf, startOf, stringOf, toJson } from "../../yaml/read/node.ts";
import { readTree, type YamlTree } from "../../yaml/read/tree.ts";
import { mergeOwn, type Merged, type MergeTexts, type Three } from "./merge-texts.ts";

// Copies of sources in files (layout Versioned): contract, section 10. Two branches that change a source both add a copy at
// the same place and change the same names, which git cannot merge.

/** A version of a file in which pod templates name the sources, and there are no copies. */
export interface WithoutCopies {
  readonly text: string;
  /** The names of copies by their place. */
  readonly names: ReadonlyMap<string, string>;
  /** The copies by their source, in the order of the file. */
  readonly copies: ReadonlyMap<string, readonly NewObject[]>;
}

/** Removes copies and their names; undefined if the text cannot be parsed. */
export function withoutCopies(text: string, limits: Limits): WithoutCopies | undefined {
  return quietly(() => {
    const tree = readTree(text, "", limits);
    const { items } = readManifests(tree);
    const names = new Map<string, string>();
    const copies = new Map<string, NewObject[]>();
    const splices: Splice[] = [];
    for (const item of items) {
      const source = sourceKeyOf(item);
      if (source !== undefined) {
        addTo(copies, source, fieldsOf(toJson(tree, item.node)));
        for (const splice of removeObject(item)) splices.push(splice);
        continue;
      }
      for (const { id, node, name } of namesIn(item)) {
        const stem = partsOfCopyName(name)?.name;
        if (stem === undefined) continue;
        names.set(id, name);
        splices.push(renamed(tree, node, name, stem));
      }
    }
    return { text: applySplices(text, splices), names, copies };
  });
}

/** Identifies the source of a copy; undefined for other objects. */
function sourceKeyOf(item: Item): string | undefined {
  const stem = isMarkedCopy(item) ? partsOfCopyName(item.name)?.name : undefined;
  return stem === undefined ? undefined : objectKey({ ...item, name: stem });
}

interface PlacedName {
  /** The object, and the path from there by the names of list elements: the same in every version of a file. */
  readonly id: string;
  readonly node: number;
  readonly name: string;
}

const NAMES: ReadonlySet<string> = new Set(["name", "secretName"]);

/** The names in an object, without its own. */
function namesIn(item: Item): readonly PlacedName[] {
  const { tree } = item;
  const found: PlacedName[] = [];
  const visit = (node: number, path: readonly string[]): void => {
    if (kindOf(tree, node) === "sequence")
      for (const [i, element] of itemsOf(tree, node).entries())
        visit(element, [
          ...path,
          getString(tree, element, "mountPath") ?? getString(tree, element, "name") ?? String(i),
        ]);
    if (kindOf(tree, node) !== "mapping") return;
    for (const { key, valueNode } of entriesOf(tree, node)) {
      const name = NAMES.has(key) && path[0] !== "metadata" ? stringOf(tree, valueNode) : undefined;
      if (name === undefined) visit(valueNode, [...path, key]);
      else found.push({ id: JSON.stringify([objectKey(item), ...path, key]), node: valueNode, name });
    }
  };
  visit(item.node, []);
  return found;
}

function renamed(tree: YamlTree, node: number, from: string, to: string): Splice {
  const offset = startOf(tree, node);
  const written = tree.text.slice(offset, endOf(tree, node));
  return { offset, remove: written.length, insert: written.replace(from, () => to) };
}

/** The versions of a merge. */
export interface Sides {
  readonly base: WithoutCopies | undefined;
  readonly ours: WithoutCopies;
  readonly theirs: WithoutCopies;
}

/**
 * Adds the copies of both sides to the result of a merge without them, ours first, and the names that one side has changed,
 * or else ours. A copy that one side has removed is removed. The next stamp names what the merged sources need. Undefined if
 * the text cannot be parsed.
 */
export function withCopiesAgain(text: string, { base, ours, theirs }: Sides, limits: Limits): string | undefined {
  return quietly(() => {
    const tree = readTree(text, "", limits);
    const splices: Splice[] = [];
    for (const item of readManifests(tree).items) {
      for (const { id, node, name } of namesIn(item)) {
        const [o, a, b] = [base, ours, theirs].map((side) => side?.names.get(id));
        const chosen = o === a ? b : a;
        if (chosen !== undefined && partsOfCopyName(chosen)?.name === name)
          splices.push(renamed(tree, node, name, chosen));
      }
      const key = objectKey(item);
      const [before, own, other] = [base, ours, theirs].map((side) => byName(side?.copies.get(key) ?? []));
      const kept = new Map([...(own ?? []), ...(other ?? [])]);
      for (const name of before?.keys() ?? [])
        if (own?.has(name) !== true || other?.has(name) !== true) kept.delete(name);
      for (const splice of addObjects(item, [...kept.values()])) splices.push(splice);
    }
    return applySplices(text, splices);
  });
}

function byName(copies: readonly NewObject[]): Map<string, NewObject> {
  return new Map(copies.map((copy) => [String(fieldsOf(copy["metadata"])["name"]), copy]));
}

/** Whether there are copies or names of copies in a version. */
export function hasCopies({ names, copies }: WithoutCopies): boolean {
  return names.size + copies.size > 0;
}

/** Merges three versions of a file as `mergeOwn`, and copies of sources never conflict on their own. */
export async function mergeWithCopies(three: Three, merge: MergeTexts, limits: Limits): Promise<Merged | undefined> {
  const ours = withoutCopies(three.ours, limits);
  const theirs = withoutCopies(three.theirs, limits);
  if (ours === undefined || theirs === undefined || !(hasCopies(ours) || hasCopies(theirs)))
    return mergeOwn(three, merge, limits);
  const base = three.base === "" ? undefined : withoutCopies(three.base, limits);
  const plain = { base: base?.text ?? three.base, ours: ours.text, theirs: theirs.text };
  const merged = (await mergeOwn(plain, merge, limits)) ?? (await merge(plain));
  const whole = merged.conflicts > 0 ? undefined : withCopiesAgain(merged.text, { base, ours, theirs }, limits);
  // What else is in conflict is shown in the whole text.
  return whole === undefined ? mergeOwn(three, merge, limits) : { text: whole, conflicts: 0 };
}
