import { objectKey } from "../../base/identity.ts";
import { quietly } from "../../base/errors.ts";
import { addTo } from "../../base/grouped.ts";
import { VERSION_OF } from "../../base/keys.ts";
import type { Limits } from "../../base/limits.ts";
import { isMarkedCopy, partsOfCopyName } from "../../kubernetes/sources/copies.ts";
import { addObjects, removeObject, type NewObject } from "../../yaml/edit/objects.ts";
import { applySplices, type Splice } from "../../yaml/edit/splice.ts";
import { readManifests, type Item } from "../../yaml/read/items.ts";
import { fieldsOf } from "../../yaml/read/json.ts";
import { endOf, entriesOf, getString, itemsOf, kindOf, startOf, stringOf, toJson } from "../../yaml/read/node.ts";
import { readTree, type YamlTree } from "../../yaml/read/tree.ts";
import { mergeStampedTexts, type Merged, type MergeTexts, type Three } from "./merge-texts.ts";

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

/** Removes copies and the names that `isCopy` accepts; undefined if the text cannot be parsed. */
export function withoutCopies(
  text: string,
  limits: Limits,
  isCopy: (name: string) => boolean,
): WithoutCopies | undefined {
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
        if (stem === undefined || !isCopy(name)) continue;
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
 * Adds the copies of both sides to the text without copies. A name of a copy that one side changed is taken from that side, other
 * names from ours. A copy that one side has removed is removed. The next stamp names what the merged sources need. Undefined if the text cannot be parsed.
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
      const copiesOf = (side: WithoutCopies | undefined): ByName => byName(side?.copies.get(key) ?? []);
      for (const splice of addObjects(item, inOrder(copiesOf(base), copiesOf(ours), copiesOf(theirs))))
        splices.push(splice);
    }
    return applySplices(text, splices);
  });
}

type ByName = ReadonlyMap<string, NewObject>;

/** The newest copy of each side, then what else they have added, then those of the base that both still have. */
function inOrder(base: ByName, ours: ByName, theirs: ByName): readonly NewObject[] {
  const added = [ours, theirs].map((side) => [...side].filter(([name]) => !base.has(name)));
  const kept = [...base].filter(([name]) => ours.has(name) && theirs.has(name));
  const newest = added.flatMap((copies) => copies.slice(0, 1));
  return [...new Map([...newest, ...added.flat(), ...kept]).values()];
}

function byName(copies: readonly NewObject[]): Map<string, NewObject> {
  return new Map(copies.map((copy) => [String(fieldsOf(copy["metadata"])["name"]), copy]));
}

/** Whether there are copies or names of copies in a version. */
export function hasCopies({ names, copies }: WithoutCopies): boolean {
  return names.size + copies.size > 0;
}

/**
 * Whether a name in some versions of a file is that of a copy: of one in the file or, with layout Versioned, of any that
 * looks like one, as sources may be in other files.
 */
export function copyNames(
  texts: readonly string[],
  { limits, isVersioned }: { readonly limits: Limits; readonly isVersioned: boolean },
): (name: string) => boolean {
  if (isVersioned) return () => true;
  const marked = texts.filter((text) => text.includes(VERSION_OF));
  const copies = marked
    .flatMap((text) => [...(withoutCopies(text, limits, () => false)?.copies.values() ?? [])])
    .flat();
  const names = new Set(copies.map(({ metadata }) => fieldsOf(metadata)["name"]));
  return (name) => names.has(name);
}

/** Merges three versions of a file as `mergeStampedTexts`, and copies of sources never conflict on their own. */
export async function mergeWithCopies(
  three: Three,
  merge: MergeTexts,
  { limits, isVersioned }: { readonly limits: Limits; readonly isVersioned: boolean },
): Promise<Merged | undefined> {
  const isCopy = copyNames(Object.values(three), { limits, isVersioned });
  const ours = withoutCopies(three.ours, limits, isCopy);
  const theirs = withoutCopies(three.theirs, limits, isCopy);
  if (ours === undefined || theirs === undefined || !(hasCopies(ours) || hasCopies(theirs)))
    return mergeStampedTexts(three, merge, limits);
  const base = three.base === "" ? undefined : withoutCopies(three.base, limits, isCopy);
  const alike = (side: WithoutCopies): string | undefined => withCopiesAgain(side.text, { base, ours, theirs }, limits);
  const texts = { ours: alike(ours), theirs: alike(theirs) };
  if (texts.ours === undefined || texts.theirs === undefined) return mergeStampedTexts(three, merge, limits);
  // With the same copies and names in all three texts, only the rest can be in conflict.
  const same: Three = {
    base: (base === undefined ? undefined : alike(base)) ?? three.base,
    ours: texts.ours,
    theirs: texts.theirs,
  };
  return (await mergeStampedTexts(same, merge, limits)) ?? merge(same);
}
