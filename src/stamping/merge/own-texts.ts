import { COLLECTION_STYLE } from "js-yaml";
import { blockInsert, replaceNull } from "../../yaml/edit/block.ts";
import { flowInsert, flowRemove, flowReplaceValue } from "../../yaml/edit/flow.ts";
import { lineEnd, lineStart, nextLine } from "../../yaml/edit/lines.ts";
import type { NewEntry } from "../../yaml/edit/render.ts";
import { applySplices, type Splice } from "../../yaml/edit/splice.ts";
import { styleAt } from "../../yaml/read/event-table.ts";
import { endOf, kindOf, ownEntries, startOf, type Entry } from "../../yaml/read/node.ts";
import type { YamlTree } from "../../yaml/read/tree.ts";
import { ownEntriesIn, walkTo, type AnnotationMap, type AnnotationMaps, type OwnEntry } from "./own-entries.ts";
import { groupedBy } from "../../base/grouped.ts";

/** Our entries by their mapping, in order. */
export type OwnByMap = ReadonlyMap<string, readonly OwnEntry[]>;

/** All our entries in a tree. */
export function ownByMap(tree: YamlTree, { byId }: AnnotationMaps): OwnByMap {
  const all = new Map<string, readonly OwnEntry[]>();
  for (const map of byId.values()) {
    const entries = ownEntriesIn(tree, map).map((each) => each.ownEntry);
    if (entries.length > 0) all.set(map.id, entries);
  }
  return all;
}

/** Whether a mapping with only our entries, and nothing else around it, was made by us. */
export type IsOurs = (object: string, path: readonly string[]) => boolean;

/**
 * The splices that remove all our entries. The keys of the mappings stay, except for keys of ours: a mapping that
 * contains nothing else is removed with its key, as a stamp made it.
 */
export function withoutOwn(tree: YamlTree, { byId }: AnnotationMaps, isOurs: IsOurs = () => false): Splice[] {
  return [...byId.values()].flatMap((map): Splice[] => {
    const entries = ownEntriesIn(tree, map).map(({ entry }) => entry);
    if (entries.length === 0) return [];
    if (styleAt(tree.events, map.node) === COLLECTION_STYLE.FLOW) return flowRemove(tree, map.node, entries);
    const isEmptied = ownEntries(tree, map.node).length === entries.length;
    const headers = isEmptied ? headersOf(tree, map, isOurs) : [];
    return [...headers, ...entries].map((entry) => linesOf(tree, entry, headers.includes(entry)));
  });
}

/** The mappings that stay, and the mappings above them that contain nothing else. */
function headersOf(tree: YamlTree, { object, path, parent, entry, above }: AnnotationMap, isOurs: IsOurs): Entry[] {
  if (!isOurs(object, path) || styleAt(tree.events, parent) === COLLECTION_STYLE.FLOW) return [];
  if (!isBare(tree, entry)) return [];
  const isAlone = ownEntries(tree, parent).length === 1 && above !== undefined && isBare(tree, above);
  return isAlone && isOurs(object, path.slice(0, -1)) ? [above, entry] : [entry];
}

/** Whether nothing follows a key in its line: no comment, no anchor. */
function isBare(tree: YamlTree, { keyNode }: Entry): boolean {
  const end = endOf(tree, keyNode);
  return /^[ \t]*:[ \t]*$/u.test(tree.text.slice(end, lineEnd(tree, end)));
}

/** The lines of an entry of a block mapping, or the line of its key alone. */
function linesOf(tree: YamlTree, { keyNode, valueNode }: Entry, keyAlone: boolean): Splice {
  const from = lineStart(tree, startOf(tree, keyNode));
  return { offset: from, remove: nextLine(tree, endOf(tree, keyAlone ? keyNode : valueNode)) - from, insert: "" };
}

/**
 * The text without our entries, and with the wanted ones, each after the entry that it followed. A missing mapping is
 * made if its object exists.
 */
export function withOwn(tree: YamlTree, { byId, objects }: AnnotationMaps, wanted: OwnByMap): string {
  const written: string[] = [];
  const asNew = (own: OwnEntry, isBlock: boolean): NewEntry => {
    if (own.isBlock !== isBlock) return [own.key, own.value];
    written.push(own.written + own.comment);
    return [`rollstamp.${written.length - 1}`, "@"];
  };
  const splices = [...wanted].flatMap(([id, entries]): Splice[] => {
    if (entries.length === 0) return [];
    const map = byId.get(id);
    return map === undefined ? intoObject(tree, objects, id, entries, asNew) : intoMap(tree, map, entries, asNew);
  });
  const asWritten = (insert: string): string =>
    insert.replace(/"?rollstamp\.(\d+)"?:\s*"@"/gu, (_, i: string) => written[Number(i)] ?? "");
  return applySplices(
    tree.text,
    splices.map((splice) => ({ ...splice, insert: asWritten(splice.insert) })),
  );
}

type AsNew = (own: OwnEntry, isBlock: boolean) => NewEntry;

function intoMap(tree: YamlTree, map: AnnotationMap, entries: readonly OwnEntry[], asNew: AsNew): Splice[] {
  const { node, parent, entry } = map;
  const isIn = (of: number): boolean => styleAt(tree.events, of) === COLLECTION_STYLE.FLOW;
  if (kindOf(tree, node) === "null") {
    const isFlow = isIn(parent);
    const all = entries.map((own) => asNew(own, !isFlow));
    return isFlow ? flowReplaceValue(tree, parent, entry, all) : replaceNull(tree, parent, entry, all);
  }
  const isFlow = isIn(node);
  const kept = new Map(ownEntries(tree, node).map((each) => [each.key, each]));
  return groupsByPrevious(entries, kept).flatMap(([after, group]) => {
    const all = group.map((own) => asNew(own, !isFlow));
    return isFlow
      ? flowInsert(tree, node, entry.keyNode, all, after)
      : blockInsert(tree, node, entry.keyNode, all, after);
  });
}

/** Entries by the entry that they follow. Those without one come first. */
function groupsByPrevious(
  entries: readonly OwnEntry[],
  kept: ReadonlyMap<string, Entry>,
): [after: Entry | undefined, group: OwnEntry[]][] {
  return [...groupedBy(entries, ({ behind }) => (behind === undefined ? undefined : kept.get(behind)))];
}

/** Makes the mappings that are missing on a path from an object. */
function intoObject(
  tree: YamlTree,
  objects: ReadonlyMap<string, number>,
  id: string,
  entries: readonly OwnEntry[],
  asNew: AsNew,
): Splice[] {
  const [object = "", ...path] = JSON.parse(id) as string[];
  const root = objects.get(object);
  if (root === undefined) return [];
  const { node, entry, rest } = walkTo(tree, root, path);
  const [key] = rest;
  if (key === undefined) return [];
  const kind = kindOf(tree, node);
  if (kind !== "mapping" || ownEntries(tree, node).length === 0) return [];
  const isFlow = styleAt(tree.events, node) === COLLECTION_STYLE.FLOW;
  let nested: readonly NewEntry[] = entries.map((own) => asNew(own, !isFlow));
  for (const inner of rest.slice(1).toReversed()) nested = [[inner, nested]];
  const keyNode = entry?.keyNode ?? -1;
  return isFlow ? flowInsert(tree, node, keyNode, [[key, nested]]) : blockInsert(tree, node, keyNode, [[key, nested]]);
}
