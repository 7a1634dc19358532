import { onceFor, onceForText } from "../../base/grouped.ts";
import { COLLECTION_STYLE, EVENT_ID, SCALAR_STYLE } from "js-yaml";
import { RollstampError } from "../../base/errors.ts";
import { isFast, styleAt, typeAt } from "./event-table.ts";
import { scalarKind, scalarValue, stringText, type ScalarKind } from "./scalars.ts";
import { NONE, scalarText, type YamlTree } from "./tree.ts";

/** Plain data, as in JSON. Objects have no prototype, so `__proto__` is an ordinary key. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** The type of a node, after following aliases. */
export type NodeKind = "mapping" | "sequence" | ScalarKind | "none";

/** Follows an alias to its node. */
export function resolve(tree: YamlTree, node: number): number {
  // Called for every node, and most texts have no alias.
  return tree.aliases.size === 0 ? node : (tree.aliases.get(node) ?? node);
}

/** The type of a node by YAML 1.2's core schema; `none` for NONE. */
export function kindOf(tree: YamlTree, node: number): NodeKind {
  const resolved = resolve(tree, node);
  switch (typeAt(tree.events, resolved)) {
    case EVENT_ID.MAPPING:
      return "mapping";
    case EVENT_ID.SEQUENCE:
      return "sequence";
    case EVENT_ID.SCALAR:
      return scalarKind(tree, resolved);
    default:
      return "none";
  }
}

/** The value of a string scalar; undefined for every other node. */
export function stringOf(tree: YamlTree, node: number): string | undefined {
  if (node === NONE) return undefined;
  const resolved = resolve(tree, node);
  return kindOf(tree, resolved) === "string" ? stringText(tree, resolved) : undefined;
}

/** True if the node is the boolean true. */
export function isTrue(tree: YamlTree, node: number): boolean {
  return node !== NONE && kindOf(tree, node) === "boolean" && scalarValue(tree, resolve(tree, node)) === true;
}

/** True if the node is the boolean false. */
export function isFalse(tree: YamlTree, node: number): boolean {
  return node !== NONE && kindOf(tree, node) === "boolean" && scalarValue(tree, resolve(tree, node)) === false;
}

export interface Entry {
  readonly key: string;
  readonly keyNode: number;
  readonly valueNode: number;
}

/**
 * The entries that a mapping contains itself, in order, including `<<`; [] for other nodes. For a duplicate key, the
 * last entry.
 */
export function ownEntries(tree: YamlTree, mapping: number): Entry[] {
  const resolved = resolve(tree, mapping);
  const found: Entry[] = [];
  if (typeAt(tree.events, resolved) !== EVENT_ID.MAPPING) return found;
  const end = (tree.next[resolved] ?? 0) - 1;
  for (let keyNode = resolved + 1; keyNode < end;) {
    const valueNode = tree.next[keyNode] ?? end;
    if (!isRepeated(tree, keyNode)) found.push({ key: scalarText(tree, resolve(tree, keyNode)), keyNode, valueNode });
    keyNode = tree.next[valueNode] ?? end;
  }
  return found;
}

/** True for a key that is repeated later in its mapping. The last one counts. */
export function isRepeated(tree: YamlTree, keyNode: number): boolean {
  return tree.repeated.size > 0 && tree.repeated.has(keyNode);
}

/** True for a mapping with entries of its own. */
export function hasEntries(tree: YamlTree, mapping: number): boolean {
  const resolved = resolve(tree, mapping);
  return typeAt(tree.events, resolved) === EVENT_ID.MAPPING && (tree.next[resolved] ?? 0) - 1 > resolved + 1;
}

/** True for a mapping with a key that is not among the `known` ones. */
export function hasOtherKeys(tree: YamlTree, mapping: number, known: readonly string[]): boolean {
  const resolved = resolve(tree, mapping);
  if (typeAt(tree.events, resolved) !== EVENT_ID.MAPPING) return false;
  const end = (tree.next[resolved] ?? 0) - 1;
  for (let keyNode = resolved + 1; keyNode < end; keyNode = tree.next[tree.next[keyNode] ?? end] ?? end)
    if (!known.some((key) => keyEquals(tree, keyNode, key))) return true;
  return false;
}

/** True for the key of a merge: `<<` without quotes, which kyaml also writes with the tag `!!merge`. */
export function isMergeKey(tree: YamlTree, keyNode: number): boolean {
  const { events, text } = tree;
  const start = events.starts[keyNode] ?? NONE;
  if ((events.ends[keyNode] ?? NONE) - start !== 2 || !text.startsWith("<<", start)) return false;
  return typeAt(events, keyNode) === EVENT_ID.SCALAR && styleAt(events, keyNode) === SCALAR_STYLE.PLAIN;
}

/**
 * The entries of a mapping with merges (`<<`) applied: its own keys first, then merged ones. The parser limits the size
 * of nested merges and aliases.
 */
export function entriesOf(tree: YamlTree, mapping: number): Entry[] {
  const direct = ownEntries(tree, mapping);
  if (tree.aliases.size === 0 && !direct.some((entry) => isMergeKey(tree, entry.keyNode))) return direct;
  const found = new Map<string, Entry>();
  collect(tree, direct, found);
  return [...found.values()];
}

function collect(tree: YamlTree, own: Entry[], found: Map<string, Entry>): void {
  const merges: number[] = [];
  for (const entry of own) {
    if (isMergeKey(tree, entry.keyNode)) merges.push(entry.valueNode);
    else if (!found.has(entry.key)) found.set(entry.key, entry);
  }
  for (const value of merges) {
    const sources = kindOf(tree, value) === "sequence" ? itemsOf(tree, value) : [value];
    for (const source of sources) {
      if (kindOf(tree, source) === "mapping") collect(tree, ownEntries(tree, source), found);
    }
  }
}

/** The value of a key, with merges applied; NONE if there is none. A null value is a node. */
export function get(tree: YamlTree, mapping: number, key: string): number {
  if (mapping === NONE) return NONE;
  const resolved = resolve(tree, mapping);
  if (typeAt(tree.events, resolved) !== EVENT_ID.MAPPING) return NONE;
  const end = (tree.next[resolved] ?? 0) - 1;
  let merged = false;
  let left = LOOKED_THROUGH;
  for (let keyNode = resolved + 1; keyNode < end;) {
    const valueNode = tree.next[keyNode] ?? end;
    if (keyEquals(tree, keyNode, key) && !isRepeated(tree, keyNode)) return valueNode;
    if (!merged) merged = isMergeKey(tree, keyNode);
    if (--left === 0) return indexesOf(tree)(resolved).get(key) ?? NONE;
    keyNode = tree.next[valueNode] ?? end;
  }
  return merged ? (indexesOf(tree)(resolved).get(key) ?? NONE) : NONE;
}

/** A longer mapping is indexed on first use, because a scan for each of many keys is quadratic. */
const LOOKED_THROUGH = 64;

/** The values of mappings by key, with merges applied. */
const indexesOf = onceFor((tree: YamlTree) =>
  onceForText((at: number) => new Map(entriesOf(tree, at).map(({ key, valueNode }) => [key, valueNode]))),
);

function keyEquals(tree: YamlTree, keyNode: number, key: string): boolean {
  const { events } = tree;
  if (!isFast(events, keyNode)) return scalarText(tree, resolve(tree, keyNode)) === key;
  const start = events.starts[keyNode] ?? NONE;
  return (events.ends[keyNode] ?? NONE) - start === key.length && tree.text.startsWith(key, start);
}

/** The node at a path of keys; NONE if a step is missing. */
export function getPath(tree: YamlTree, from: number, path: readonly string[]): number {
  let node = from;
  for (const key of path) node = get(tree, node, key);
  return node;
}

/** The string at a path of keys; undefined if it is missing or not a string. */
export function getString(tree: YamlTree, from: number, ...path: string[]): string | undefined {
  return stringOf(tree, getPath(tree, from, path));
}

/** The items of a sequence; [] for other nodes. */
export function itemsOf(tree: YamlTree, sequence: number): number[] {
  const items: number[] = [];
  if (sequence === NONE) return items;
  const resolved = resolve(tree, sequence);
  if (typeAt(tree.events, resolved) !== EVENT_ID.SEQUENCE) return items;
  const end = (tree.next[resolved] ?? 0) - 1;
  for (let item = resolved + 1; item < end; item = tree.next[item] ?? end) items.push(item);
  return items;
}

/** Where the text of a node begins, including its tag and anchor: an offset into the text. */
export function startOf(tree: YamlTree, node: number): number {
  const { events } = tree;
  const marked = events.marked.get(node);
  if (marked?.type === EVENT_ID.ALIAS) return marked.anchorStart - 1;
  let start = events.starts[node] ?? NONE;
  switch (typeAt(events, node)) {
    case EVENT_ID.SCALAR:
      if (start >= 0) start -= quoteLength(tree, node);
      break;
    case EVENT_ID.MAPPING:
    case EVENT_ID.SEQUENCE:
      break;
    default:
      return 0;
  }
  const properties = marked === undefined ? [] : [marked.anchorStart - 1, marked.tagStart].filter((at) => at >= 0);
  if (properties.length > 0) return Math.min(...properties, start < 0 ? Number.POSITIVE_INFINITY : start);
  // An empty scalar has no position: use the end of the node before it.
  return start < 0 ? endOf(tree, node - 1) : start;
}

/** The length of each quote around a scalar. */
function quoteLength(tree: YamlTree, node: number): number {
  const style = styleAt(tree.events, node);
  return style === SCALAR_STYLE.DOUBLE_QUOTED || style === SCALAR_STYLE.SINGLE_QUOTED ? 1 : 0;
}

/** Where the text of a scalar or alias ends, including the closing quote. */
export function endOf(tree: YamlTree, node: number): number {
  const { events } = tree;
  const marked = events.marked.get(node);
  if (marked?.type === EVENT_ID.ALIAS) return marked.anchorEnd;
  const properties = marked === undefined ? NONE : Math.max(marked.anchorEnd, marked.tagEnd);
  switch (typeAt(events, node)) {
    case EVENT_ID.SCALAR: {
      const end = events.ends[node] ?? NONE;
      if (end >= 0) return end + quoteLength(tree, node);
      if (properties >= 0) return properties;
      return node > 0 ? endOf(tree, node - 1) : 0;
    }
    case EVENT_ID.MAPPING:
    case EVENT_ID.SEQUENCE:
      return Math.max(events.starts[node] ?? NONE, properties);
    default:
      return node > 0 ? endOf(tree, node - 1) : 0;
  }
}

/** Where the text of a node ends, including all its children and a closing bracket. */
export function endOfTree(tree: YamlTree, node: number): number {
  const type = typeAt(tree.events, node);
  if (type !== EVENT_ID.MAPPING && type !== EVENT_ID.SEQUENCE) return endOf(tree, node);
  const popAt = (tree.next[node] ?? node + 2) - 1;
  let last = NONE;
  for (let child = node + 1; child < popAt; child = tree.next[child] ?? popAt) last = child;
  const start = tree.events.starts[node] ?? 0;
  const open = tree.text[start];
  const inner = last === NONE ? start + 1 : endOfTree(tree, last);
  if (styleAt(tree.events, node) !== COLLECTION_STYLE.FLOW || (open !== "{" && open !== "["))
    return last === NONE ? endOf(tree, node) : inner;
  // Between the last value and the bracket: white space, comments, a comma, the colon of a null.
  const gap = /(?:[\s,:]|(?<=[\s,])#[^\r\n]*)*/uy;
  gap.lastIndex = inner;
  gap.exec(tree.text);
  return Math.max(gap.lastIndex, inner) + 1;
}

/** A node as plain data. Throws for values that JSON does not have. */
export function toJson(tree: YamlTree, node: number): Json {
  const resolved = resolve(tree, node);
  switch (kindOf(tree, resolved)) {
    case "mapping": {
      const object = Object.create(null) as { [key: string]: Json };
      for (const entry of entriesOf(tree, resolved)) object[entry.key] = toJson(tree, entry.valueNode);
      return object;
    }
    case "sequence":
      return itemsOf(tree, resolved).map((item) => toJson(tree, item));
    case "string":
      return stringText(tree, resolved);
    case "none":
    case "null":
      return null;
    default: {
      const value = scalarValue(tree, resolved);
      if (typeof value === "number" && !Number.isFinite(value)) {
        throw new RollstampError("input", "this number is not valid in JSON", {
          place: tree.lines.placeAt(tree.file, startOf(tree, resolved)),
        });
      }
      return value;
    }
  }
}
