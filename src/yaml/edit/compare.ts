import { hasNumberBetween } from "../../base/sorted.ts";
import { EVENT_ID } from "js-yaml";
import { styleAt, typeAt } from "../read/event-table.ts";
import { stableJson } from "../read/json.ts";
import { entriesOf, get, kindOf, resolve, stringOf, toJson, type Entry } from "../read/node.ts";
import { NONE, scalarText, type YamlTree } from "../read/tree.ts";
import type { IntendedTree } from "./splice.ts";

/** The text before an edit, and the parsed text after it. */
export interface Compared {
  readonly before: YamlTree;
  readonly after: YamlTree;
  /** The intended changes, by the mapping before the edit. */
  readonly bases: ReadonlyMap<number, IntendedTree>;
  /** These mappings, in order. */
  readonly baseNodes: readonly number[];
}

/**
 * Compares a node with the node after the edit: the same events, except for intended changes. Returns the node before
 * the edit at which they differ; NONE if they do not.
 */
export function difference(compared: Compared, old: number, now: number): number {
  const { before, after, bases } = compared;
  const here = bases.get(old);
  if (here !== undefined)
    return here.changes.length > 0 || here.value !== undefined
      ? changedStep(compared, old, now, here)
      : changedMapping(compared, old, now, here);
  if (!hasBase(compared, old)) return areSame(before, old, after, now) ? NONE : old;
  const type = typeAt(before.events, old);
  if (!isSameHead(before, old, after, now)) return old;
  if (type !== EVENT_ID.MAPPING && type !== EVENT_ID.SEQUENCE) return old;
  const children = childrenOf(before, old);
  const others = childrenOf(after, now);
  if (children.length !== others.length) return old;
  for (const [i, child] of children.entries()) {
    const part = difference(compared, child, others[i] ?? NONE);
    if (part !== NONE) return part;
  }
  return NONE;
}

function hasBase({ before, baseNodes }: Compared, node: number): boolean {
  return hasNumberBetween(baseNodes, node, before.next[node] ?? 0);
}

/** A mapping with intended changes of entries: its other entries must be unchanged. */
function changedMapping(compared: Compared, old: number, now: number, intended: IntendedTree): number {
  const { before, after } = compared;
  const known = rawEntries(before, old);
  // A block mapping that loses all its entries becomes `{}`.
  if (!isSameHead(before, old, after, now) && rawEntries(after, now).length > 0) return old;
  if (kindOf(after, now) !== "mapping") return old;
  return changedEntries(compared, old, known, now, intended);
}

/** Like `difference`, for a mapping of which only the `known` entries were parsed again. */
export function changedEntries(
  compared: Compared,
  old: number,
  known: readonly Entry[],
  now: number,
  intended: IntendedTree,
): number {
  const { before, after } = compared;
  const found = rawEntries(after, now);
  const kept = found.filter(({ key }) => !intended.steps.has(key));
  const others = known.filter(({ key }) => !intended.steps.has(key));
  if (kept.length !== others.length || found.length - kept.length > intended.steps.size) return old;
  for (const [i, { keyNode, valueNode }] of others.entries()) {
    const same = kept[i];
    if (same === undefined || !areSame(before, keyNode, after, same.keyNode)) return keyNode;
    const part = difference(compared, valueNode, same.valueNode);
    if (part !== NONE) return part;
  }
  for (const [step, inner] of intended.steps) {
    const was = get(before, old, step);
    const is = get(after, now, step);
    const part = changedStep(compared, was, is, inner);
    if (part !== NONE) return was === NONE ? old : part;
  }
  return NONE;
}

/** Returns NONE if a value is the intended one, else the node where it is. */
function changedStep(compared: Compared, was: number, is: number, intended: IntendedTree): number {
  const { before, after } = compared;
  const place = was === NONE ? 0 : was;
  if (intended.value !== undefined)
    return is !== NONE && stableJson(toJson(after, is)) === stableJson(intended.value) ? NONE : place;
  if (intended.changes.length === 0 && kindOf(before, was) === "mapping" && kindOf(after, is) === "mapping")
    return changedMapping(compared, resolve(before, was), resolve(after, is), intended);
  return isWritten(compared, was, is, intended) ? NONE : place;
}

/**
 * Whether a mapping whose entries changed, or that was made or removed with them, has the intended entries and no others.
 */
export function isWritten(compared: Compared, was: number, is: number, intended: IntendedTree): boolean {
  const { before, after } = compared;
  const values = new Map<string, string | number | Entry | IntendedTree>();
  if (kindOf(before, was) === "mapping")
    for (const entry of entriesOf(before, was)) values.set(entry.key, stringOf(before, entry.valueNode) ?? entry);
  for (const [step, inner] of intended.steps) values.set(step, inner);
  for (const { set, remove } of intended.changes) {
    for (const key of remove) values.delete(key);
    for (const [key, value] of set) values.set(key, value);
  }
  const kind = kindOf(after, is);
  const found = kind === "mapping" ? entriesOf(after, is) : [];
  if (kind !== "mapping" && kind !== "none" && kind !== "null") return false;
  const left = new Map(found.map((entry) => [entry.key, entry.valueNode]));
  for (const [key, value] of values) {
    const node = left.get(key) ?? NONE;
    left.delete(key);
    if (!isValue(compared, was, key, value, node)) return false;
  }
  return left.size === 0;
}

function isValue(
  compared: Compared,
  was: number,
  key: string,
  value: string | number | Entry | IntendedTree,
  node: number,
): boolean {
  const { before, after } = compared;
  if (typeof value === "string") return stringOf(after, node) === value;
  if (typeof value === "number") return kindOf(after, node) === "number" && toJson(after, node) === value;
  if ("steps" in value)
    return (
      changedStep(compared, kindOf(before, was) === "mapping" ? get(before, was, key) : NONE, node, value) === NONE
    );
  // Other edits may be inside of the entry.
  return node !== NONE && difference(compared, value.valueNode, node) === NONE;
}

function childrenOf(tree: YamlTree, node: number): number[] {
  const children: number[] = [];
  const end = (tree.next[node] ?? 0) - 1;
  for (let child = node + 1; child < end; child = tree.next[child] ?? end) children.push(child);
  return children;
}

/** All entries of a mapping, including duplicate keys. */
function rawEntries(tree: YamlTree, mapping: number): Entry[] {
  const children = childrenOf(tree, resolve(tree, mapping));
  const entries: Entry[] = [];
  for (let i = 0; i + 1 < children.length; i += 2) {
    const keyNode = children[i] ?? NONE;
    entries.push({ key: scalarText(tree, resolve(tree, keyNode)), keyNode, valueNode: children[i + 1] ?? NONE });
  }
  return entries;
}

/** Whether two nodes have the same events with the same texts. */
export function areSame(a: YamlTree, from: number, b: YamlTree, other: number): boolean {
  const length = (a.next[from] ?? from) - from;
  if (other === NONE || length !== (b.next[other] ?? other) - other) return false;
  for (let i = 0; i < length; i++) if (!isSameHead(a, from + i, b, other + i)) return false;
  return true;
}

/** Whether two events have the same type, style, anchor, tag and text. */
function isSameHead(a: YamlTree, i: number, b: YamlTree, j: number): boolean {
  const type = typeAt(a.events, i);
  if (type !== typeAt(b.events, j)) return false;
  if (type === EVENT_ID.SCALAR || type === EVENT_ID.MAPPING || type === EVENT_ID.SEQUENCE) {
    if (styleAt(a.events, i) !== styleAt(b.events, j)) return false;
  }
  // Called for every compared event, and most texts have no anchors, tags and aliases.
  if ((a.events.marked.size > 0 || b.events.marked.size > 0) && marksOf(a, i) !== marksOf(b, j)) return false;
  return type !== EVENT_ID.SCALAR || isSameRawText(a, i, b, j) || scalarText(a, i) === scalarText(b, j);
}

const LONG = 64;

function isSameRawText(a: YamlTree, i: number, b: YamlTree, j: number): boolean {
  const from = Math.max(a.events.starts[i] ?? 0, 0);
  const to = Math.max(a.events.ends[i] ?? 0, 0);
  const start = Math.max(b.events.starts[j] ?? 0, 0);
  const end = Math.max(b.events.ends[j] ?? 0, 0);
  if (to - from !== end - start) return false;
  // Most are short and faster to compare in place.
  if (to - from > LONG) return a.text.slice(from, to) === b.text.slice(start, end);
  for (let k = 0; k < to - from; k++) if (a.text.charCodeAt(from + k) !== b.text.charCodeAt(start + k)) return false;
  return true;
}

function marksOf(tree: YamlTree, node: number): string {
  const marked = tree.events.marked.get(node);
  if (marked === undefined) return "";
  const anchor = marked.anchorStart < 0 ? "" : tree.text.slice(marked.anchorStart, marked.anchorEnd);
  const tag =
    marked.type === EVENT_ID.ALIAS || marked.tagStart < 0 ? "" : tree.text.slice(marked.tagStart, marked.tagEnd);
  return `${anchor} ${tag}`;
}
