import { EVENT_ID, type ScalarEvent, YAMLException } from "js-yaml";
import { RollstampError, type Place } from "../../base/errors.ts";
import { eventAt, hasMarker, isFast, tableOf, typeAt, type CountedTable, type EventTable } from "./event-table.ts";
import type { Limits } from "../../base/limits.ts";
import { goScalarText, hasOtherBreaks, withUsualBreaks } from "./go-breaks.ts";
import { readJsonValues } from "./json-values.ts";
import { parseLenient } from "./lenient.ts";
import { piecesOf, PIECE_LENGTH, readPieces } from "./pieces.ts";
import { Lines } from "./position.ts";
import { tagProblem } from "./go-scalars.ts";
import {
  mergedTwice,
  noScalarKey,
  tooDeep,
  tooMany,
  tooManyAliases,
  withoutMarker,
  wrongAlias,
  wrongTag,
  aliasGrowth,
} from "./tree-errors.ts";

/**
 * A YAML text as a flat list of events with offsets into the text. A node is the index of its first event; `next[node]`
 * is the index after its subtree. Values are decoded on demand, and the text stays the source of truth
 * (docs/why/decisions.md).
 */
export interface YamlTree {
  /** The name for messages: a path, or `stdin`. */
  readonly file: string;
  readonly text: string;
  /** The lines of the text, for locations in messages. */
  readonly lines: Lines;
  readonly events: EventTable;
  readonly next: Int32Array;
  /** The root node of each document. */
  readonly documents: readonly number[];
  /** Alias event → the node of its anchor. */
  readonly aliases: ReadonlyMap<number, number>;
  /** Duplicate key → the key that counts, which is the last one. Most texts have none. */
  readonly repeated: ReadonlyMap<number, number>;
  /** Whether characters break lines that do not in YAML 1.2. */
  readonly otherBreaks: boolean;
  /** The limits under which the text was parsed. They apply to everything that is made from it. */
  readonly limits: Limits;
}

/** No node: the result of a failed lookup. */
export const NONE = -1;

/**
 * Parses YAML or JSON. Throws a RollstampError (`input`) with file, line and column for invalid text, keys that are not
 * scalars, unknown or recursive aliases, and exceeded limits.
 */
export function readTree(text: string, file: string, limits: Limits): YamlTree {
  return indexEvents(text, file, readTable(text, file, limits), limits);
}

/** The events of the text, parsed in pieces of about `pieceLength` if possible. */
export function readTable(
  given: string,
  file: string,
  { depth }: Pick<Limits, "depth">,
  pieceLength: number = PIECE_LENGTH,
): CountedTable {
  const text = hasOtherBreaks(given) ? withUsualBreaks(given) : given;
  const pieces = piecesOf(text, pieceLength);
  const read = pieces === undefined ? undefined : readPieces(text, pieces, depth);
  return read ?? readAtOnce(text, file, depth);
}

function readAtOnce(text: string, file: string, maxDepth: number): CountedTable {
  try {
    return tableOf(parseLenient(text, maxDepth));
  } catch (cause) {
    if (!(cause instanceof YAMLException)) throw cause;
    const values = readJsonValues(text, maxDepth);
    if (values !== undefined) return values;
    throw syntaxError(cause, text, file, maxDepth);
  }
}

/** The text of a scalar as YAML decodes it, before its type is resolved. */
export function scalarText(tree: YamlTree, node: number): string {
  const { events } = tree;
  if (typeAt(events, node) !== EVENT_ID.SCALAR) return "";
  if (isFast(events, node)) return tree.text.slice(events.starts[node], events.ends[node]);
  const event = eventAt(events, node);
  if (event?.type !== EVENT_ID.SCALAR) return "";
  return goScalarText(tree.text, event, tree.otherBreaks);
}

function syntaxError(cause: YAMLException, text: string, file: string, maxDepth: number): RollstampError {
  // js-yaml quotes the input in some of its reasons and in its snippet, which could be a secret.
  const reason = cause.reason.replace(/: .*$/su, "").replace(/\s*"[^"]*"/gu, "");
  const place = new Lines(text).placeAt(file, cause.mark?.position ?? 0);
  if (reason.startsWith("nesting exceeded")) return tooDeep(maxDepth, place);
  return new RollstampError("input", `this is not valid YAML: ${reason}`, {
    place,
    remedy: "Fix the YAML at this location.",
  });
}

/** Computes subtree ends, documents, aliases and duplicate keys. Rejects what exceeds the limits. */
function indexEvents(text: string, file: string, { table, length, next }: CountedTable, most: Limits): YamlTree {
  const documents: number[] = [];
  const isMarked = table.marked.size > 0;
  const aliases = isMarked ? new Map<number, number>() : undefined;
  let anchors = isMarked ? new Map<string, number>() : undefined;
  const tree = {
    file,
    text,
    lines: new Lines(text),
    events: table,
    next,
    documents,
    aliases: aliases ?? NO_NODES,
    repeated: NO_NODES,
    otherBreaks: hasOtherBreaks(text),
    limits: most,
  };
  // An aliased node counts at each use: its values and its depth.
  const growth = isMarked ? aliasGrowth() : undefined;

  // One frame per open collection: its event, whether the next child is a key, and where its keys begin in `keys` (or
  // the set that replaces them if there are many).
  const open: number[] = [];
  const atKey: boolean[] = [];
  const keysFrom: number[] = [];
  const keySets: (Set<string> | undefined)[] = [];
  const keys: number[] = [];
  // The mappings with duplicate keys.
  let repeating: Set<number> | undefined;

  for (let i = 0; i < length; i++) {
    const type = typeAt(table, i);
    const marked = isMarked ? table.marked.get(i) : undefined;
    const top = open.length - 1;
    if (marked !== undefined && marked.anchorStart >= 0) {
      const name = text.slice(marked.anchorStart, marked.anchorEnd);
      const target = anchors?.get(name);
      if (type !== EVENT_ID.ALIAS) anchors?.set(name, i);
      else if (target === undefined || open.includes(target)) {
        throw wrongAlias(placeOf(tree, marked.anchorStart - 1), target === undefined);
      } else {
        aliases?.set(i, target);
        const used = growth?.used(target, valuesOf(table, target, next[target] ?? target + 1));
        if ((used?.total ?? 0) > most.aliasedValues) throw tooManyAliases(placeOf(tree, marked.anchorStart - 1));
        if (open.length - 1 + (used?.levels ?? 0) > most.depth)
          throw tooDeep(most.depth, placeOf(tree, marked.anchorStart - 1));
      }
    }
    switch (type) {
      case EVENT_ID.DOCUMENT:
        documents.push(i + 1);
        if (documents.length > 1 && !hasMarker(table, i)) throw withoutMarker(placeOf(tree, table.starts[i + 1] ?? 0));
        if (documents.length > most.documents) throw tooMany("documents", most, placeOf(tree, 0));
        if (isMarked) anchors = new Map();
        open.push(i);
        atKey.push(false);
        keysFrom.push(-1);
        keySets.push(undefined);
        continue;
      case EVENT_ID.MAPPING:
      case EVENT_ID.SEQUENCE:
        if (top >= 0 && atKey[top] === true) throw noScalarKey(placeOfKey(tree, i));
        open.push(i);
        growth?.opened();
        atKey.push(type === EVENT_ID.MAPPING);
        keysFrom.push(type === EVENT_ID.MAPPING ? keys.length : -1);
        keySets.push(undefined);
        continue;
      case EVENT_ID.POP: {
        const closed = open.pop();
        atKey.pop();
        const from = keysFrom.pop();
        keySets.pop();
        if (closed === undefined || from === undefined) break;
        next[closed] = i + 1;
        if (typeAt(table, closed) !== EVENT_ID.DOCUMENT) growth?.closed(closed, table.marked.has(closed));
        if (from >= 0) keys.length = from;
        break;
      }
      case EVENT_ID.ALIAS:
      case EVENT_ID.SCALAR:
        next[i] = i + 1;
        if (marked?.type === EVENT_ID.SCALAR && marked.tagStart >= 0) refuseWrongTag(tree, i, marked);
        if (type === EVENT_ID.ALIAS && top >= 0 && atKey[top] === true && !isScalar(table, aliases?.get(i)))
          throw noScalarKey(placeOfKey(tree, i));
        if (top >= 0 && atKey[top] === true && noteKey(tree, i, keys, keysFrom[top] ?? 0, keySets, top))
          (repeating ??= new Set()).add(open[top] ?? NONE);
        break;
      default:
        break;
    }
    // After a complete child: in a mapping, keys and values alternate.
    const parent = open.length - 1;
    if (parent >= 0 && (keysFrom[parent] ?? -1) >= 0) atKey[parent] = atKey[parent] !== true;
  }
  if (repeating !== undefined) {
    const repeated = new Map<number, number>();
    for (const mapping of repeating) noteRepeated(tree, mapping, repeated);
    tree.repeated = repeated;
  }
  return tree;
}

// Most texts have neither aliases nor duplicate keys, and a repository has thousands of texts.
const NO_NODES: ReadonlyMap<number, number> = new Map();

/** Records the duplicate keys of a mapping. */
function noteRepeated(tree: YamlTree, mapping: number, repeated: Map<number, number>): void {
  const end = (tree.next[mapping] ?? 0) - 1;
  const last = new Map<string, number>();
  const all: (readonly [key: string, node: number])[] = [];
  for (let node = mapping + 1; node < end; node = tree.next[tree.next[node] ?? end] ?? end) {
    const key = keyText(tree, node);
    all.push([key, node]);
    last.set(key, node);
  }
  for (const [key, node] of all) {
    const counts = last.get(key);
    // Parsers disagree about two merges: each overrides the one before it, or none does.
    if (key === "<<" && counts !== node) throw mergedTwice(placeOf(tree, tree.events.starts[counts ?? node] ?? 0));
    if (counts !== undefined && counts !== node) repeated.set(node, counts);
  }
}

function placeOf({ lines, file }: YamlTree, offset: number): Place {
  return lines.placeAt(file, Math.max(offset, 0));
}

function placeOfKey(tree: YamlTree, node: number): Place {
  const marked = tree.events.marked.get(node);
  return placeOf(tree, marked?.type === EVENT_ID.ALIAS ? marked.anchorStart - 1 : (tree.events.starts[node] ?? 0));
}

const isScalar = (table: EventTable, node: number | undefined): boolean =>
  typeAt(table, node ?? NONE) === EVENT_ID.SCALAR;

const keyText = (tree: YamlTree, node: number): string => scalarText(tree, tree.aliases.get(node) ?? node);

/** Throws if a value does not match its tag. */
function refuseWrongTag(tree: YamlTree, node: number, { tagStart, tagEnd }: ScalarEvent): void {
  const tag = tree.text.slice(tagStart, tagEnd);
  const problem = tagProblem(tag, scalarText(tree, node));
  if (problem === undefined) return;
  throw wrongTag(tag, problem, placeOf(tree, tagStart));
}

/** With more keys than this, a set is faster than comparing each with each. */
const MANY_KEYS = 12;

/** Records a key of the frame's mapping; true if it is a duplicate. */
function noteKey(
  tree: YamlTree,
  node: number,
  keys: number[],
  from: number,
  keySets: (Set<string> | undefined)[],
  frame: number,
): boolean {
  let set = keySets[frame];
  let known = false;
  if (set === undefined) {
    for (let k = from; k < keys.length && !known; k++) known = isSameText(tree, keys[k] ?? NONE, node);
    keys.push(node);
    if (keys.length - from > MANY_KEYS) {
      set = new Set(keys.slice(from).map((key) => keyText(tree, key)));
      keySets[frame] = set;
    }
  } else {
    const key = keyText(tree, node);
    known = set.has(key);
    set.add(key);
  }
  return known;
}

/** Compares two scalars in place. Most keys differ in length. */
function isSameText(tree: YamlTree, a: number, b: number): boolean {
  const { events, text } = tree;
  if (!isFast(events, a) || !isFast(events, b)) return keyText(tree, a) === keyText(tree, b);
  const startOfA = events.starts[a] ?? 0;
  const startOfB = events.starts[b] ?? 0;
  const length = (events.ends[a] ?? 0) - startOfA;
  if (length !== (events.ends[b] ?? 0) - startOfB) return false;
  for (let k = 0; k < length; k++) if (text.charCodeAt(startOfA + k) !== text.charCodeAt(startOfB + k)) return false;
  return true;
}

/** A scalar is copied, digested and compared at each use: this many characters count as one value. */
const CHARACTERS_OF_A_VALUE = 100;

/** The values of an aliased node. */
function valuesOf(table: EventTable, target: number, end: number): number {
  const from = table.starts[target] ?? NONE;
  // Ends of collections and empty nodes have no position: the text ends at the last node with a position.
  let to = NONE;
  for (let last = end - 1; last >= target && to <= from; last--) {
    const marked = table.marked.get(last);
    const aliasEnd = marked?.type === EVENT_ID.ALIAS ? marked.anchorEnd : NONE;
    to = Math.max(table.starts[last] ?? NONE, table.ends[last] ?? NONE, aliasEnd);
  }
  const characters = from < 0 || to < from ? 0 : to - from;
  return end - target + Math.floor(characters / CHARACTERS_OF_A_VALUE);
}
