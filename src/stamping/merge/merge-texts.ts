import { applySplices } from "../../yaml/edit/splice.ts";
import { quietly } from "../../base/errors.ts";
import type { Limits } from "../../base/limits.ts";
import { getString } from "../../yaml/read/node.ts";
import { NONE, readTree, type YamlTree } from "../../yaml/read/tree.ts";
import { chosen } from "./chosen.ts";
import {
  annotationMaps,
  isOwnKey,
  isIdentified,
  walkTo,
  type AnnotationMap,
  type AnnotationMaps,
  type OwnEntry,
} from "./own-entries.ts";
import { ownByMap, withOwn, withoutOwn, type IsOurs, type OwnByMap } from "./own-texts.ts";

/** Three versions of the same file. */
export interface Three {
  readonly base: string;
  readonly ours: string;
  readonly theirs: string;
}

/** The result of git's merge of three texts. */
export interface Merged {
  readonly text: string;
  /** The number of conflicts in it, which have markers. */
  readonly conflicts: number;
}

export type MergeTexts = (three: Three) => Promise<Merged>;

interface Read {
  readonly tree: YamlTree;
  readonly maps: AnnotationMaps;
  readonly entries: OwnByMap;
}

/**
 * Merges three versions of a file as git does, except that our entries never conflict: git merges the texts without
 * them, and they are inserted into the result. Entries of an object or list item that is not in both sides, or that
 * has no name of its own, stay in the texts. Undefined if this is not possible: a side cannot be parsed, no side has our
 * entries, or both changed the comment after one of them.
 */
export async function mergeStampedTexts(three: Three, merge: MergeTexts, limits: Limits): Promise<Merged | undefined> {
  const [allOurs, allTheirs] = [read(three.ours, limits), read(three.theirs, limits)];
  if (allOurs === undefined || allTheirs === undefined) return undefined;
  // With several common ancestors, git merges those first, and the base may contain conflicts.
  const allBase = three.base === "" ? undefined : read(three.base, limits);
  // Both sides may have added it.
  const isKnown = (map: AnnotationMap): boolean =>
    isIdentified(allOurs.maps, map) &&
    isIdentified(allTheirs.maps, map) &&
    !map.owners.some((owner) => allBase?.maps.unsure.has(owner));
  const [ours, theirs] = [restrictedTo(allOurs, isKnown), restrictedTo(allTheirs, isKnown)];
  const base = allBase === undefined ? undefined : restrictedTo(allBase, isKnown);
  const count = ours.entries.size + theirs.entries.size;
  const all = allOurs.entries.size + allTheirs.entries.size;
  if (all === 0) return undefined;
  if (count === 0) return merge(three);
  // A base that cannot be parsed loses all lines that look like ours: the other entries are additions of both sides.
  const wanted = chosen(base?.entries, ours.entries, theirs.entries);
  if (wanted === undefined) return undefined;
  const repeats = Math.max(ours.tree.repeated.size, theirs.tree.repeated.size);
  const restored = ({ text, conflicts }: Merged): Merged | undefined => {
    const whole = conflicts > 0 ? undefined : withAgain(text, wanted, limits);
    // Both sides added the same key in different places: git sees no conflict, and one of the two would not count. The
    // same with an object that both moved.
    if (whole === undefined || whole.tree.repeated.size > repeats) return undefined;
    for (const id of wanted.keys()) {
      const map = whole.maps.byId.get(id);
      if (map !== undefined && !isIdentified(whole.maps, map)) return undefined;
    }
    return { text: withSameEnding(whole.tree.text, [three.ours, three.theirs]), conflicts };
  };

  const without = (isOurs?: IsOurs): Three => ({
    base: base === undefined ? withoutLines(three.base) : stripped(base, isOurs),
    ours: stripped(ours, isOurs),
    theirs: stripped(theirs, isOurs),
  });
  // One side alone may have removed the place of an entry, or added it: that is a change for git to see.
  const isPlaced = ({ id }: { readonly id: string }): boolean => ours.maps.byId.has(id) && theirs.maps.byId.has(id);
  const alike: Three = {
    base: base === undefined ? withoutLines(three.base) : equal(restrictedTo(base, isPlaced), wanted),
    ours: equal(restrictedTo(ours, isPlaced), wanted),
    theirs: equal(restrictedTo(theirs, isPlaced), wanted),
  };
  const plain = without();
  const done = restored(await merge(plain));
  if (done !== undefined) return done;
  // A first stamp added the mappings above it, and removing the last stamp removed them, while the other side has its
  // own annotations in them.
  const isMade: IsOurs = (object, path) =>
    base === undefined || [base, ours, theirs].some((side) => !hasPath(side, object, path));
  const bare = without(isMade);
  if (bare.base !== plain.base || bare.ours !== plain.ours || bare.theirs !== plain.theirs) {
    const again = restored(await merge(bare));
    if (again !== undefined) return again;
  }
  // Without stamps, lines that only stamps separate are adjacent. With the same stamps in all three texts, they are
  // not.
  const tries = [await merge(alike), await merge(three)];
  const [best] = tries.sort((a, b) => a.conflicts - b.conflicts);
  return best;
}

/** Parses the text; undefined if it is invalid. */
export function read(text: string, limits: Limits): Read | undefined {
  return quietly(() => {
    const tree = readTree(text, "", limits);
    const maps = annotationMaps(tree);
    return { tree, maps, entries: ownByMap(tree, maps) };
  });
}

/** With only the entries in some mappings as ours. The others are content. */
function restrictedTo({ tree, maps }: Read, accepts: (map: AnnotationMap) => boolean): Read {
  const byId = new Map([...maps.byId].filter(([, map]) => accepts(map)));
  const accepted = { ...maps, byId };
  return { tree, maps: accepted, entries: ownByMap(tree, accepted) };
}

export function stripped({ tree, maps }: Read, isOurs?: IsOurs): string {
  return applySplices(tree.text, withoutOwn(tree, maps, isOurs));
}

/** Adds our entries to the text; undefined if the result does not contain all of them, or would not parse as intended. */
export function withAgain(text: string, wanted: OwnByMap, limits: Limits): Read | undefined {
  const known = read(text, limits);
  if (known === undefined) return undefined;
  const again = read(withOwn(known.tree, known.maps, wanted), limits);
  if (again?.maps.objects.size !== known.maps.objects.size) return undefined;
  const isIn = ([id, entries]: readonly [string, readonly OwnEntry[]]): boolean => {
    const node = again.maps.byId.get(id)?.node ?? NONE;
    return entries.every(({ key, value }) => getString(again.tree, node, key) === value);
  };
  return [...wanted].every(isIn) ? again : undefined;
}

/** A version with the chosen entries of ours in its mappings. */
function equal(known: Read, wanted: OwnByMap): string {
  const tree = readTree(stripped(known), "", known.tree.limits);
  const placed = [...wanted].filter(([id]) => known.maps.byId.has(id));
  return withOwn(tree, annotationMaps(tree), new Map(placed));
}

function hasPath({ tree, maps }: Read, object: string, path: readonly string[]): boolean {
  const root = maps.objects.get(object);
  return root === undefined || walkTo(tree, root, path).rest.length === 0;
}

const OWN_LINE = /^[ \t]*["']?([a-z]*\.?rollstamp\.dev\/[^"':\s]+)["']?[ \t]*:.*(?:\r?\n|$)/gmu;

/** A base that cannot be parsed, without lines that look like ours: it is only used to find changes. */
function withoutLines(text: string): string {
  return text.replace(OWN_LINE, (line, key: string) => (isOwnKey(key) ? "" : line));
}

/** A file that ends with an entry of ours keeps its ending, with or without a line break. */
function withSameEnding(text: string, sides: readonly string[]): string {
  const last = lastKey(text);
  const model = last === undefined ? undefined : sides.find((side) => lastKey(side) === last);
  return model === undefined || model.endsWith("\n") ? text : text.replace(/\r?\n$/u, "");
}

/** The key of the last line, if it is ours. */
function lastKey(text: string): string | undefined {
  const line = text.slice(text.lastIndexOf("\n", text.length - 2) + 1);
  const key = /^[ \t]*["']?([\w./-]+)["']?[ \t]*:/u.exec(line)?.[1];
  return key !== undefined && isOwnKey(key) ? key : undefined;
}
