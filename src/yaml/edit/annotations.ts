import {
  entriesOf,
  isMergeKey,
  itemsOf,
  kindOf,
  ownEntries,
  resolve,
  stringOf,
  toJson,
  type Entry,
} from "../read/node.ts";
import { keysOf } from "../read/each-mapping.ts";
import type { Item } from "../read/items.ts";
import { NONE, scalarText, type YamlTree } from "../read/tree.ts";
import {
  isFlow,
  keyOf,
  notAMapping,
  notAText,
  refuseShared,
  walk,
  type AnnotationsPlace,
  type Step,
  refuseAnchors,
  sharedPart,
} from "./annotation-places.ts";
import { blockInsert, blockRemove, hasHeaderComment, headerEnd, replaceNull, setScalar } from "./block.ts";
import { flowInsert, flowRemove, flowReplaceValue } from "./flow.ts";
import { type NewEntry, type ScalarValue, lastOwnEntryBefore, sorted } from "./render.ts";
import type { Splice, EntryChanges } from "./splice.ts";
import { groupedBy, once } from "../../base/grouped.ts";

/**
 * The splices for changes of the mapping in one place. Only the lines of changed entries are touched. A missing or null mapping is
 * made, and a mapping that becomes empty is removed. Throws a RollstampError if the place is shared through an alias,
 * an anchor or a merge key.
 */
export function editAnnotations(place: AnnotationsPlace, changes: EntryChanges): Splice[] {
  const [first, ...others] = splicesFor(place, changes);
  return first === undefined ? [] : [{ ...first, intended: { ...place, changes } }, ...others];
}

/**
 * The splices that remove labels from the mapping in a place, including all duplicates. A mapping that becomes empty
 * stays as `{}`: the same run may remove the annotations next to it, and their parent must not be removed twice.
 */
export function takeLabels(place: AnnotationsPlace, labels: ReadonlySet<string>): Splice[] {
  const { item } = place;
  const { tree } = item;
  const changes: EntryChanges = { set: new Map(), remove: labels };
  const walked = walk(place);
  const last = walked.at(-1);
  if (last?.entry === undefined || last.borrowed || kindOf(tree, last.node) !== "mapping" || isFlow(tree, last.node))
    return editAnnotations(place, changes);
  const keys = keysOf(tree, last.node);
  if (keys.some((keyNode) => isMergeKey(tree, keyNode))) return editAnnotations(place, changes);
  const gone = keys
    .map((keyNode) => ({
      key: scalarText(tree, resolve(tree, keyNode)),
      keyNode,
      valueNode: tree.next[keyNode] ?? NONE,
    }))
    .filter(({ key }) => labels.has(key));
  refuseShared(item, place, walked);
  refuseAnchors(item, gone);
  const splices = blockRemove(tree, gone);
  const [first, ...others] = gone.length === keys.length ? [emptied(tree, last.entry), ...splices] : splices;
  return first === undefined ? [] : [{ ...first, intended: { ...place, changes } }, ...others];
}

/** Writes `{}` after the colon and the tag of an entry whose lines are removed. */
function emptied(tree: YamlTree, { keyNode, valueNode }: Entry): Splice {
  return { offset: headerEnd(tree, valueNode, keyNode), remove: 0, insert: " {}" };
}

function splicesFor(place: AnnotationsPlace, changes: EntryChanges): Splice[] {
  const { item } = place;
  const { tree } = item;
  const walked = walk(place);
  const node = place.path.length === 0 ? place.base : (walked.at(-1)?.node ?? NONE);
  const current = kindOf(tree, node) === "mapping" ? entriesOf(tree, node) : [];
  const nodes = new Map(current.map(({ key, valueNode }) => [key, valueNode]));
  const set = [...changes.set].filter(([key, value]) => {
    const found = nodes.get(key);
    return found === undefined || !isValue(tree, found, value);
  });
  const gone = current.filter((entry) => changes.remove.has(entry.key));
  if (set.length === 0 && gone.length === 0) return [];

  refuseShared(item, place, walked);
  const written = new Set(set.map(([key]) => key));
  refuseAnchors(item, [...gone, ...current.filter(({ key }) => written.has(key))]);
  // Values from an alias or a merge cannot be edited in their place, because others use them. The workload gets its own
  // full copy of such a mapping.
  const last = walked.at(-1);
  if (last !== undefined && last.borrowed) {
    const merged = new Map<string, ScalarValue>();
    for (const entry of current) {
      if (changes.remove.has(entry.key) || changes.set.has(entry.key)) continue;
      const text = stringOf(tree, entry.valueNode);
      if (text === undefined) throw notAText(item, entry, place);
      merged.set(entry.key, text);
    }
    for (const [key, value] of changes.set) merged.set(key, value);
    return writeOut(item, walked, merged);
  }
  if (node === NONE || kindOf(tree, node) === "null") return create(item, walked, place, sorted(set));
  if (kindOf(tree, node) !== "mapping") throw notAMapping(item, node, place);
  return editMapping(item, walked, node, set, gone);
}

function isValue(tree: YamlTree, node: number, value: ScalarValue): boolean {
  return typeof value === "number"
    ? kindOf(tree, node) === "number" && toJson(tree, node) === value
    : stringOf(tree, node) === value;
}

/** Makes the missing mappings down to the annotations, in the deepest existing one. */
function create(item: Item, walked: readonly Step[], place: AnnotationsPlace, entries: readonly NewEntry[]): Splice[] {
  const { tree } = item;
  const missing = walked.findIndex((step) => kindOf(tree, step.node) !== "mapping");
  const step = walked[missing];
  if (step === undefined) throw new Error("the annotations exist");
  if (step.entry !== undefined && kindOf(tree, step.node) !== "null") throw notAMapping(item, step.node, place);
  let nested: readonly NewEntry[] = entries;
  for (const inner of walked.slice(missing + 1).toReversed()) nested = [[inner.key, nested]];
  if (step.entry !== undefined) {
    return isFlow(tree, step.parent)
      ? flowReplaceValue(tree, step.parent, step.entry, nested)
      : replaceNull(tree, step.parent, step.entry, nested);
  }
  return insert(tree, step.parent, keyOf(tree, step.parent, walked, missing), [[step.key, nested]]);
}

function insert(
  tree: YamlTree,
  mapping: number,
  keyNode: number,
  entries: readonly NewEntry[],
  after?: Entry,
): Splice[] {
  return isFlow(tree, mapping)
    ? flowInsert(tree, mapping, keyNode, entries, after)
    : blockInsert(tree, mapping, keyNode, entries, after);
}

/** The `<<` of a mapping. For kubectl it overrides the keys before it, so what overrides merged keys follows it. */
function mergeIn(tree: YamlTree, mapping: number): Entry | undefined {
  return ownEntries(tree, mapping).find(({ keyNode }) => isMergeKey(tree, keyNode));
}

/** Sets and removes entries of an existing mapping. */
function editMapping(
  item: Item,
  walked: readonly Step[],
  node: number,
  set: readonly (readonly [string, ScalarValue])[],
  gone: readonly Entry[],
): Splice[] {
  const { tree } = item;
  const existing = ownEntries(tree, node);
  const splices: Splice[] = [];
  const added: [string, ScalarValue][] = [];
  const ownByKey = new Map(existing.map((entry) => [entry.key, entry]));
  for (const [key, value] of sorted(set)) {
    const entry = ownByKey.get(key);
    if (entry === undefined) added.push([key, value]);
    else splices.push(...setScalar(item, entry, value, isFlow(tree, node)));
  }
  // A merged entry is in another place, and it is also visible there.
  const merges = once(() => mergedKeys(tree, existing));
  const [merge] = gone.flatMap(({ key }) => merges().get(key) ?? []);
  if (merge !== undefined) throw sharedPart(item, merge.keyNode);
  const goneKeys = new Set(gone.map(({ keyNode }) => keyNode));
  const kept = existing.filter((entry) => !goneKeys.has(entry.keyNode));
  if (kept.length === 0 && added.length === 0) return removeEmptied(tree, walked);
  const keyNode = walked.at(-1)?.entry?.keyNode ?? NONE;
  // Each new entry follows the last of our entries that sorts before it, or comes first. So stamping in several steps
  // gives the same text as stamping once. What overrides a merged key follows the `<<`, as for kubectl the later one counts.
  const lastBefore = lastOwnEntryBefore(kept);
  const groups = groupedBy(added, ([key]) => merges().get(key) ?? lastBefore(key));
  for (const [after, entries] of groups) {
    splices.push(
      ...(isFlow(tree, node)
        ? flowInsert(tree, node, keyNode, entries, after, kept.length)
        : blockInsert(tree, node, keyNode, entries, after)),
    );
  }
  for (const splice of isFlow(tree, node) ? flowRemove(tree, node, gone) : blockRemove(tree, gone))
    splices.push(splice);
  return splices;
}

/** The keys that come from merges, each with the `<<` that has it. */
function mergedKeys(tree: YamlTree, entries: readonly Entry[]): ReadonlyMap<string, Entry> {
  const found = new Map<string, Entry>();
  for (const entry of entries) {
    if (!isMergeKey(tree, entry.keyNode)) continue;
    const { valueNode } = entry;
    const sources = kindOf(tree, valueNode) === "sequence" ? itemsOf(tree, valueNode) : [valueNode];
    for (const source of sources)
      for (const { key } of entriesOf(tree, source)) if (!found.has(key)) found.set(key, entry);
  }
  return found;
}

/** Removes the mapping whose last entries are removed, and the parents that contain nothing else. */
function removeEmptied(tree: YamlTree, walked: readonly Step[]): Splice[] {
  const last = walked.at(-1);
  if (last?.entry === undefined) return [];
  // A flow mapping keeps its braces, and a key keeps its comment: `annotations: {} # why`.
  if (isFlow(tree, last.node)) return flowRemove(tree, last.node, ownEntries(tree, last.node));
  let from = walked.length - 1;
  let entry: Entry = last.entry;
  while (!hasHeaderComment(tree, entry)) {
    const outer = walked[from - 1]?.entry;
    if (outer === undefined || ownEntries(tree, walked[from]?.parent ?? NONE).length !== 1)
      return blockRemove(tree, [entry]);
    entry = outer;
    from -= 1;
  }
  const inner = ownEntries(tree, walked[from]?.node ?? NONE);
  return [emptied(tree, entry), ...blockRemove(tree, inner)];
}

/** Replaces an alias, or overrides merged annotations, with the workload's own copy of the mapping. */
function writeOut(item: Item, walked: readonly Step[], values: ReadonlyMap<string, ScalarValue>): Splice[] {
  const { tree } = item;
  const step = walked.at(-1);
  if (step?.entry === undefined) throw new Error("only an existing mapping is written out");
  const entries = sorted([...values]);
  const existing = ownEntries(tree, step.parent).find((entry) => entry.key === step.key);
  if (existing === undefined) {
    const keyNode = keyOf(tree, step.parent, walked, walked.length - 1);
    return insert(tree, step.parent, keyNode, [[step.key, entries]], mergeIn(tree, step.parent));
  }
  if (isMergeKey(tree, existing.keyNode)) throw sharedPart(item, existing.valueNode);
  return isFlow(tree, step.parent)
    ? flowReplaceValue(tree, step.parent, existing, entries)
    : replaceNull(tree, step.parent, existing, entries);
}
