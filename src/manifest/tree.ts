import { EVENT_ID, getScalarValue, type Event, YAMLException } from "js-yaml";
import { RollstampError, type Place } from "../ground/errors.ts";
import { aliasGrowth } from "./alias-growth.ts";
import { buildTable, eventAt, isFast, typeAt, type CountedTable, type EventTable } from "./event-table.ts";
import type { Limits } from "../ground/limits.ts";
import { parseLenient } from "./lenient.ts";
import { piecesOf, PIECE_LENGTH } from "./pieces.ts";
import { placeAt } from "./position.ts";
import { readPieces } from "./read-pieces.ts";

/**
 * A YAML text as a flat list of events with offsets into the text. A node is the index of the
 * event that begins it; `next[node]` is the index behind its subtree. Nothing is decoded before it
 * is asked for, and the text itself stays the source of truth (docs/decisions/0001-events.md).
 */
export interface YamlTree {
  /** The name for messages: a path, or `stdin`. */
  readonly file: string;
  readonly text: string;
  readonly events: EventTable;
  readonly next: Int32Array;
  /** The root node of each document. */
  readonly documents: readonly number[];
  /** Alias event → the node that its anchor names. */
  readonly aliases: ReadonlyMap<number, number>;
  /** Key that stands again in its mapping → the one that counts, which is the last. Most texts have none. */
  readonly repeated: ReadonlyMap<number, number>;
  /** The limits under which it was read: they hold for all that is made of it. */
  readonly limits: Limits;
}

/** No node: what a look-up that finds nothing gives. */
export const NONE = -1;

/**
 * Reads YAML or JSON. Throws a RollstampError (`input`) with file, line and column for text that
 * can't be read, keys that are no scalars, unknown or recursive aliases, and what is beyond the limits.
 */
export function readTree(text: string, file: string, limits: Limits): YamlTree {
  return indexEvents(text, file, readTable(text, file, limits), limits);
}

/** The events of a text, read in pieces of about `pieceLength` where it can be, else at once. */
export function readTable(
  text: string,
  file: string,
  { depth }: Pick<Limits, "depth">,
  pieceLength: number = PIECE_LENGTH,
): CountedTable {
  const pieces = piecesOf(text, pieceLength);
  const read = pieces === undefined ? undefined : readPieces(text, pieces, depth);
  if (read !== undefined) return read;
  const events = parse(text, file, depth);
  const table = buildTable(events.length);
  for (const event of events) table.add(event, 0);
  return table.done();
}

function parse(text: string, file: string, maxDepth: number): readonly Event[] {
  try {
    return parseLenient(text, maxDepth);
  } catch (cause) {
    if (!(cause instanceof YAMLException)) throw cause;
    throw syntaxError(cause, text, file, maxDepth);
  }
}

/** The text of a scalar as YAML decodes it, before its type is looked at. */
export function scalarText(tree: YamlTree, node: number): string {
  const { events } = tree;
  if (typeAt(events, node) !== EVENT_ID.SCALAR) return "";
  if (isFast(events, node)) return tree.text.slice(events.starts[node], events.ends[node]);
  const event = eventAt(events, node);
  return event?.type === EVENT_ID.SCALAR ? getScalarValue(tree.text, event) : "";
}

function syntaxError(cause: YAMLException, text: string, file: string, maxDepth: number): RollstampError {
  // js-yaml quotes the input in some of its reasons and in its snippet: a value could be a secret.
  const reason = cause.reason.replace(/: .*$/su, "").replace(/\s*"[^"]*"/gu, "");
  const place = placeAt(text, file, cause.mark?.position ?? 0);
  if (reason.startsWith("nesting exceeded")) return tooDeep(maxDepth, place);
  return new RollstampError("input", `this is not valid YAML: ${reason}`, {
    place,
    remedy: "Mend the YAML at this place.",
  });
}

function tooDeep(maxDepth: number, place: Place): RollstampError {
  return new RollstampError("input", `the YAML nests deeper than ${maxDepth} levels`, {
    place,
    remedy:
      "Kubernetes manifests nest less than 100 levels: check that this file is one. --max-depth raises the limit.",
  });
}

/** Works out subtree ends, documents, aliases and keys that stand twice; refuses what is beyond the limits. */
function indexEvents(text: string, file: string, { table, length }: CountedTable, most: Limits): YamlTree {
  const next = new Int32Array(length);
  const documents: number[] = [];
  const aliases = new Map<number, number>();
  let anchors = new Map<string, number>();
  const repeated = new Map<number, number>();
  const tree: YamlTree = { file, text, events: table, next, documents, aliases, repeated, limits: most };
  // What an alias stands for counts wherever it is used: its values, and how deep they nest.
  const growth = table.marked.size === 0 ? undefined : aliasGrowth();

  // One frame a collection that is open: its event, whether the next child is a key, and where its
  // keys begin in `keys` (or the set that takes over where they are many).
  const open: number[] = [];
  const atKey: boolean[] = [];
  const keysFrom: number[] = [];
  const keySets: (Set<string> | undefined)[] = [];
  const keys: number[] = [];
  // The mappings in which a key stands twice.
  const repeating = new Set<number>();

  for (let i = 0; i < length; i++) {
    const type = typeAt(table, i);
    const marked = table.marked.size === 0 ? undefined : table.marked.get(i);
    const top = open.length - 1;
    if (marked !== undefined && marked.anchorStart >= 0) {
      const name = text.slice(marked.anchorStart, marked.anchorEnd);
      const target = anchors.get(name);
      if (type !== EVENT_ID.ALIAS) anchors.set(name, i);
      else if (target === undefined || open.includes(target)) {
        throw wrongAlias(tree, marked.anchorStart - 1, target === undefined);
      } else {
        aliases.set(i, target);
        const used = growth?.used(target, (next[target] ?? target + 1) - target);
        if ((used?.total ?? 0) > most.aliasedValues) throw tooManyAliases(tree, marked.anchorStart - 1);
        if (open.length - 1 + (used?.levels ?? 0) > most.depth)
          throw tooDeep(most.depth, placeAt(text, file, marked.anchorStart - 1));
      }
    }
    switch (type) {
      case EVENT_ID.DOCUMENT:
        documents.push(i + 1);
        if (documents.length > most.documents) throw tooMany(tree, "documents", 0);
        anchors = new Map();
        open.push(i);
        atKey.push(false);
        keysFrom.push(-1);
        keySets.push(undefined);
        continue;
      case EVENT_ID.MAPPING:
      case EVENT_ID.SEQUENCE:
        if (top >= 0 && atKey[top] === true) throw noScalarKey(tree, i);
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
        if (type === EVENT_ID.ALIAS && top >= 0 && atKey[top] === true && !isScalar(table, aliases.get(i)))
          throw noScalarKey(tree, i);
        if (top >= 0 && atKey[top] === true && noteKey(tree, i, keys, keysFrom[top] ?? 0, keySets, top))
          repeating.add(open[top] ?? NONE);
        break;
      default:
        break;
    }
    // A whole child is behind us: in a mapping, a value follows a key and a key a value.
    const parent = open.length - 1;
    if (parent >= 0 && (keysFrom[parent] ?? -1) >= 0) atKey[parent] = atKey[parent] !== true;
  }
  for (const mapping of repeating) noteRepeated(tree, mapping, repeated);
  return tree;
}

/** Notes which keys of a mapping stand again in it. */
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
    // Readers part in what two merges bring: each overrides the one before it, or none.
    if (key === "<<" && counts !== node) throw mergedTwice(tree, counts ?? node);
    if (counts !== undefined && counts !== node) repeated.set(node, counts);
  }
}

function mergedTwice(tree: YamlTree, node: number): RollstampError {
  return new RollstampError("input", "the merge key '<<' stands twice in one mapping", {
    place: placeAt(tree.text, tree.file, Math.max(tree.events.starts[node] ?? 0, 0)),
    remedy: "Write one, with a list: '<<: [*a, *b]'.",
  });
}

const isScalar = (table: EventTable, node: number | undefined): boolean =>
  typeAt(table, node ?? NONE) === EVENT_ID.SCALAR;

const keyText = (tree: YamlTree, node: number): string => scalarText(tree, tree.aliases.get(node) ?? node);

function noScalarKey(tree: YamlTree, node: number): RollstampError {
  const marked = tree.events.marked.get(node);
  const offset = marked?.type === EVENT_ID.ALIAS ? marked.anchorStart - 1 : (tree.events.starts[node] ?? 0);
  return new RollstampError("input", "a mapping or a list stands here as a key", {
    place: placeAt(tree.text, tree.file, offset),
    remedy:
      "Is this a template that was not rendered, such as '{{ .Values.name }}'? Render it first, or put it in quotes.",
  });
}

function wrongAlias(tree: YamlTree, offset: number, isUnknown: boolean): RollstampError {
  return new RollstampError(
    "input",
    isUnknown ? "this alias has no anchor before it" : "this alias refers to a node that contains it",
    {
      place: placeAt(tree.text, tree.file, offset),
      remedy: "Define the anchor before its alias, or put the text in quotes if it is to begin with '*'.",
    },
  );
}

/** The error for aliases that stand for more values than may be. */
function tooManyAliases(tree: YamlTree, offset: number): RollstampError {
  return new RollstampError("input", "aliases and merge keys expand to too much here", {
    place: placeAt(tree.text, tree.file, offset),
    remedy: "Write the values out: a manifest needs no nested aliases. --max-aliased-values raises the limit.",
  });
}

/** The error for an input of more documents or items than may be. */
export function tooMany(tree: YamlTree, what: string, offset: number): RollstampError {
  return new RollstampError("input", `the input has more than ${tree.limits.documents} ${what}`, {
    place: placeAt(tree.text, tree.file, offset),
    remedy: "Give it in parts, or raise the limit: --max-documents.",
  });
}

/** From so many keys on a set is quicker than comparing each with each. */
const MANY_KEYS = 12;

/** Notes a key of the mapping of a frame; true where it has stood there before. */
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

/** Compares two scalars in place: most keys differ in length already. */
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
