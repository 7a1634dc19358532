import {
  boolCoreTag,
  COLLECTION_STYLE,
  EVENT_ID,
  floatCoreTag,
  intCoreTag,
  NOT_RESOLVED,
  nullCoreTag,
  SCALAR_STYLE,
  type ScalarEvent,
} from "js-yaml";
import { RollstampError } from "../errors.ts";
import { placeAt } from "./position.ts";
import { NONE, scalarText, type YamlTree } from "./tree.ts";

/** Plain data, as JSON has it. Objects have no prototype, so `__proto__` is a key like any other. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** What a node is, behind its aliases. */
export type NodeKind = "mapping" | "sequence" | "string" | "null" | "boolean" | "number" | "none";

/** Follows an alias to the node that it stands for. */
export function resolve(tree: YamlTree, node: number): number {
  // Asked for every node that is looked at, and most texts have no alias.
  return tree.aliases.size === 0 ? node : (tree.aliases.get(node) ?? node);
}

/** The kind of a node by YAML 1.2's core schema; `none` for NONE. */
export function kindOf(tree: YamlTree, node: number): NodeKind {
  const at = resolve(tree, node);
  const event = tree.events[at];
  switch (event?.type) {
    case EVENT_ID.MAPPING:
      return "mapping";
    case EVENT_ID.SEQUENCE:
      return "sequence";
    case EVENT_ID.SCALAR:
      return scalarKind(tree, at, event);
    default:
      return "none";
  }
}

const isSet = (tag: ScalarEvent["tagStart"]): boolean => tag >= 0;

function scalarKind(tree: YamlTree, node: number, event: ScalarEvent): NodeKind {
  if (isSet(event.tagStart)) {
    const tag = tree.text.slice(event.tagStart, event.tagEnd);
    if (tag === "!" || tag === "!!str" || tag === "!<tag:yaml.org,2002:str>") return "string";
    if (event.style !== SCALAR_STYLE.PLAIN) return "string";
  } else if (event.style !== SCALAR_STYLE.PLAIN) return "string";
  if (event.valueStart < 0) return "null";
  if (!canBeTyped(tree.text.charCodeAt(event.valueStart))) return "string";
  const value = plainValue(scalarText(tree, node));
  if (value === null) return "null";
  if (typeof value === "boolean") return "boolean";
  return typeof value === "number" ? "number" : "string";
}

const TYPED_FIRST = new Set([..."-+.0123456789~nNtTfF"].map((character) => character.charCodeAt(0)));

/**
 * Whether a plain scalar that begins with this character can be something else than a string: a
 * sign, a digit, a dot, or the first letter of null, true and false.
 */
function canBeTyped(first: number): boolean {
  return TYPED_FIRST.has(first);
}

/** The value of a plain scalar by YAML 1.2's core schema. */
function plainValue(text: string): null | boolean | number | string {
  if (text !== "" && !canBeTyped(text.charCodeAt(0))) return text;
  for (const tag of [nullCoreTag, boolCoreTag, intCoreTag, floatCoreTag]) {
    const value = tag.resolve(text, false, tag.tagName);
    if (value !== NOT_RESOLVED) return value;
  }
  return text;
}

/** The text of a string scalar; undefined for every other node. */
export function stringOf(tree: YamlTree, node: number): string | undefined {
  if (node === NONE) return undefined;
  const at = resolve(tree, node);
  return kindOf(tree, at) === "string" ? scalarText(tree, at) : undefined;
}

/** True where the node is the boolean true. */
export function isTrue(tree: YamlTree, node: number): boolean {
  return node !== NONE && kindOf(tree, node) === "boolean" && /^true$/iu.test(scalarText(tree, resolve(tree, node)));
}

export interface Entry {
  readonly key: string;
  readonly keyNode: number;
  readonly valueNode: number;
}

/** The entries that a mapping writes itself, in order, `<<` among them; [] for other nodes. */
export function ownEntries(tree: YamlTree, mapping: number): Entry[] {
  const at = resolve(tree, mapping);
  const found: Entry[] = [];
  if (tree.events[at]?.type !== EVENT_ID.MAPPING) return found;
  const end = (tree.next[at] ?? 0) - 1;
  for (let keyNode = at + 1; keyNode < end;) {
    const valueNode = tree.next[keyNode] ?? end;
    found.push({ key: scalarText(tree, resolve(tree, keyNode)), keyNode, valueNode });
    keyNode = tree.next[valueNode] ?? end;
  }
  return found;
}

/** True for a mapping that writes any entry itself. */
export function hasEntries(tree: YamlTree, mapping: number): boolean {
  const at = resolve(tree, mapping);
  return tree.events[at]?.type === EVENT_ID.MAPPING && (tree.next[at] ?? 0) - 1 > at + 1;
}

/** True for the key of a merge: `<<` unquoted, as kyaml also sends it with the tag `!!merge`. */
export function isMergeKey(tree: YamlTree, keyNode: number): boolean {
  const event = tree.events[keyNode];
  if (event?.type !== EVENT_ID.SCALAR || event.style !== SCALAR_STYLE.PLAIN) return false;
  return event.valueEnd - event.valueStart === 2 && tree.text.startsWith("<<", event.valueStart);
}

// Merges of merges can multiply: hostile input is stopped, real manifests merge a handful.
const MAX_MERGES = 10_000;

/** The entries of a mapping with its merges (`<<`) applied: its own keys first, then merged ones. */
export function entriesOf(tree: YamlTree, mapping: number): Entry[] {
  const own = ownEntries(tree, mapping);
  if (tree.aliases.size === 0 && !own.some((entry) => isMergeKey(tree, entry.keyNode))) return own;
  const found = new Map<string, Entry>();
  const budget = { left: MAX_MERGES };
  collect(tree, own, found, budget);
  return [...found.values()];
}

function collect(tree: YamlTree, own: Entry[], found: Map<string, Entry>, budget: { left: number }): void {
  const merges: number[] = [];
  for (const entry of own) {
    if (isMergeKey(tree, entry.keyNode)) merges.push(entry.valueNode);
    else if (!found.has(entry.key)) found.set(entry.key, entry);
  }
  for (const value of merges) {
    const sources = kindOf(tree, value) === "sequence" ? itemsOf(tree, value) : [value];
    for (const source of sources) {
      budget.left -= 1;
      if (budget.left < 0) throw tooManyAliases(tree, value);
      if (kindOf(tree, source) === "mapping") collect(tree, ownEntries(tree, source), found, budget);
    }
  }
}

function tooManyAliases(tree: YamlTree, node: number): RollstampError {
  return new RollstampError("input", "aliases and merge keys expand to too much here", {
    place: placeAt(tree.text, tree.file, startOf(tree, node)),
    remedy: "Write the values out: a manifest needs no nested aliases.",
  });
}

/** The value of a key, merges applied; NONE where there is none. A null value is a node. */
export function get(tree: YamlTree, mapping: number, key: string): number {
  if (mapping === NONE) return NONE;
  const at = resolve(tree, mapping);
  const event = tree.events[at];
  if (event?.type !== EVENT_ID.MAPPING) return NONE;
  const end = (tree.next[at] ?? 0) - 1;
  let merged = false;
  for (let keyNode = at + 1; keyNode < end;) {
    const valueNode = tree.next[keyNode] ?? end;
    if (keyEquals(tree, keyNode, key)) return valueNode;
    if (!merged) merged = isMergeKey(tree, keyNode);
    keyNode = tree.next[valueNode] ?? end;
  }
  if (!merged) return NONE;
  return entriesOf(tree, at).find((entry) => entry.key === key)?.valueNode ?? NONE;
}

function keyEquals(tree: YamlTree, keyNode: number, key: string): boolean {
  const event = tree.events[keyNode];
  if (event?.type === EVENT_ID.SCALAR && event.fast) {
    return event.valueEnd - event.valueStart === key.length && tree.text.startsWith(key, event.valueStart);
  }
  return event !== undefined && scalarText(tree, resolve(tree, keyNode)) === key;
}

/** The node at a path of keys; NONE where a step is missing. */
export function getPath(tree: YamlTree, from: number, path: readonly string[]): number {
  let at = from;
  for (const key of path) at = get(tree, at, key);
  return at;
}

/** The string at a path of keys; undefined where it is missing or no string. */
export function getString(tree: YamlTree, from: number, ...path: string[]): string | undefined {
  return stringOf(tree, getPath(tree, from, path));
}

/** The items of a sequence; [] for other nodes. */
export function itemsOf(tree: YamlTree, sequence: number): number[] {
  const items: number[] = [];
  if (sequence === NONE) return items;
  const at = resolve(tree, sequence);
  if (tree.events[at]?.type !== EVENT_ID.SEQUENCE) return items;
  const end = (tree.next[at] ?? 0) - 1;
  for (let item = at + 1; item < end; item = tree.next[item] ?? end) items.push(item);
  return items;
}

/** Where the text of a node begins, its tag and anchor included: an offset into the text. */
export function startOf(tree: YamlTree, node: number): number {
  const event = tree.events[node];
  let start = Number.POSITIVE_INFINITY;
  switch (event?.type) {
    case EVENT_ID.ALIAS:
      return event.anchorStart - 1;
    case EVENT_ID.SCALAR:
      if (event.valueStart >= 0) start = event.valueStart - (isQuoted(event) ? 1 : 0);
      break;
    case EVENT_ID.MAPPING:
    case EVENT_ID.SEQUENCE:
      start = event.start;
      break;
    default:
      return 0;
  }
  if (event.anchorStart >= 0) start = Math.min(start, event.anchorStart - 1);
  if (event.tagStart >= 0) start = Math.min(start, event.tagStart);
  // An empty scalar has no place of its own: take the end of what stands before it.
  return Number.isFinite(start) ? start : endOf(tree, node - 1);
}

export function isQuoted(event: ScalarEvent): boolean {
  return event.style === SCALAR_STYLE.DOUBLE_QUOTED || event.style === SCALAR_STYLE.SINGLE_QUOTED;
}

/** Where the text of a scalar or alias ends: behind its closing quote. */
export function endOf(tree: YamlTree, node: number): number {
  const event = tree.events[node];
  switch (event?.type) {
    case EVENT_ID.ALIAS:
      return event.anchorEnd;
    case EVENT_ID.SCALAR:
      if (event.valueEnd >= 0) return event.valueEnd + (isQuoted(event) ? 1 : 0);
      if (event.tagEnd >= 0 || event.anchorEnd >= 0) return Math.max(event.tagEnd, event.anchorEnd);
      return node > 0 ? endOf(tree, node - 1) : 0;
    case EVENT_ID.MAPPING:
    case EVENT_ID.SEQUENCE:
      return Math.max(event.start, event.anchorEnd, event.tagEnd);
    default:
      return node > 0 ? endOf(tree, node - 1) : 0;
  }
}

/** Where the text of a node with all that it holds ends: behind the closing bracket of a flow. */
export function endOfTree(tree: YamlTree, node: number): number {
  const event = tree.events[node];
  if (event?.type !== EVENT_ID.MAPPING && event?.type !== EVENT_ID.SEQUENCE) return endOf(tree, node);
  const popAt = (tree.next[node] ?? node + 2) - 1;
  let last = NONE;
  for (let child = node + 1; child < popAt; child = tree.next[child] ?? popAt) last = child;
  const open = tree.text[event.start];
  const inner = last === NONE ? event.start + 1 : endOfTree(tree, last);
  if (event.style !== COLLECTION_STYLE.FLOW || (open !== "{" && open !== "["))
    return last === NONE ? endOf(tree, node) : inner;
  // Between the last value and the bracket: white space, comments, a comma, the colon of a null.
  const gap = /(?:[\s,:]|(?<=[\s,])#[^\r\n]*)*/uy;
  gap.lastIndex = inner;
  gap.exec(tree.text);
  return Math.max(gap.lastIndex, inner) + 1;
}

// A thousand-fold nesting of aliases is no manifest.
const MAX_VALUES = 1_000_000;

/** The node as plain data. Throws for what JSON can't hold, and for aliases that expand without end. */
export function toJson(tree: YamlTree, node: number, budget: { left: number } = { left: MAX_VALUES }): Json {
  budget.left -= 1;
  if (budget.left < 0) throw tooManyAliases(tree, node);
  const at = resolve(tree, node);
  switch (kindOf(tree, at)) {
    case "mapping": {
      const object = Object.create(null) as { [key: string]: Json };
      for (const entry of entriesOf(tree, at)) object[entry.key] = toJson(tree, entry.valueNode, budget);
      return object;
    }
    case "sequence":
      return itemsOf(tree, at).map((item) => toJson(tree, item, budget));
    case "string":
      return scalarText(tree, at);
    case "none":
    case "null":
      return null;
    default: {
      const value = plainValue(scalarText(tree, at));
      if (typeof value === "number" && !Number.isFinite(value)) {
        throw new RollstampError("input", "this number is none that JSON can hold", {
          place: placeAt(tree.text, tree.file, startOf(tree, at)),
        });
      }
      return value;
    }
  }
}
