import { EVENT_ID, getScalarValue, parseEvents, type Event, type ScalarEvent, YAMLException } from "js-yaml";
import { RollstampError } from "../errors.ts";
import { relaxClosingBrackets } from "./closing-brackets.ts";
import { placeAt } from "./position.ts";

/**
 * A YAML text as a flat list of events with offsets into the text. A node is the index of the
 * event that begins it; `next[node]` is the index behind its subtree. Nothing is decoded before it
 * is asked for, and the text itself stays the source of truth (docs/decisions/0001-events.md).
 */
export interface YamlTree {
  /** The name for messages: a path, or `stdin`. */
  readonly file: string;
  readonly text: string;
  readonly events: readonly Event[];
  readonly next: Int32Array;
  /** The root node of each document. */
  readonly documents: readonly number[];
  /** Alias event → the node that its anchor names. */
  readonly aliases: ReadonlyMap<number, number>;
}

/** Limits that keep hostile input from exhausting the process. */
export interface Limits {
  /** The deepest nesting of a document. Real CRDs stay below 60. */
  readonly maxDepth: number;
}

export const DEFAULT_LIMITS: Limits = { maxDepth: 500 };

/** No node: what a look-up that finds nothing gives. */
export const NONE = -1;

/**
 * Reads YAML or JSON. Throws a RollstampError (`input`) with file, line and column for text that
 * can't be read, duplicate keys, unknown or recursive aliases, and nesting over the limit.
 */
export function readTree(text: string, file: string, limits: Limits = DEFAULT_LIMITS): YamlTree {
  return indexEvents(text, file, parse(text, file, limits));
}

function parse(text: string, file: string, limits: Limits): readonly Event[] {
  try {
    return parseEvents(text, { maxDepth: limits.maxDepth });
  } catch (cause) {
    if (!(cause instanceof YAMLException)) throw cause;
    const relaxed = cause.reason === "deficient indentation" ? relaxClosingBrackets(text) : text;
    if (relaxed === text || relaxed.length !== text.length) throw syntaxError(cause, text, file, limits);
    try {
      return parseEvents(relaxed, { maxDepth: limits.maxDepth });
    } catch (second) {
      if (!(second instanceof YAMLException)) throw second;
      throw syntaxError(second, text, file, limits);
    }
  }
}

/** The text of a scalar as YAML decodes it, before its type is looked at. */
export function scalarText(tree: YamlTree, node: number): string {
  const event = tree.events[node];
  if (event === undefined || event.type !== EVENT_ID.SCALAR) return "";
  if (event.fast) return tree.text.slice(event.valueStart, event.valueEnd);
  return getScalarValue(tree.text, event);
}

function syntaxError(cause: YAMLException, text: string, file: string, limits: Limits): RollstampError {
  // js-yaml quotes the input in some of its reasons and in its snippet: a value could be a secret.
  const reason = cause.reason.replace(/: .*$/su, "").replace(/\s*"[^"]*"/gu, "");
  const place = placeAt(text, file, cause.mark?.position ?? 0);
  if (reason.startsWith("nesting exceeded")) {
    return new RollstampError("input", `the YAML nests deeper than ${limits.maxDepth} levels`, {
      place,
      remedy: "Kubernetes manifests nest less than 100 levels: check that this file is one.",
    });
  }
  return new RollstampError("input", `this is not valid YAML: ${reason}`, {
    place,
    remedy: "Mend the YAML at this place.",
  });
}

/** Works out subtree ends, documents and aliases in one pass, and refuses duplicate keys. */
function indexEvents(text: string, file: string, events: readonly Event[]): YamlTree {
  const next = new Int32Array(events.length);
  const documents: number[] = [];
  const aliases = new Map<number, number>();
  let anchors = new Map<string, number>();
  const tree: YamlTree = { file, text, events, next, documents, aliases };

  // One frame a collection that is open: its event, whether the next child is a key, and where its
  // keys begin in `keys` (or the set that takes over where they are many).
  const open: number[] = [];
  const atKey: boolean[] = [];
  const keysFrom: number[] = [];
  const keySets: (Set<string> | undefined)[] = [];
  const keys: string[] = [];

  for (let i = 0; i < events.length; i++) {
    const event = events[i];
    if (event === undefined) break;
    const top = open.length - 1;
    switch (event.type) {
      case EVENT_ID.DOCUMENT:
        documents.push(i + 1);
        anchors = new Map();
        open.push(i);
        atKey.push(false);
        keysFrom.push(-1);
        keySets.push(undefined);
        continue;
      case EVENT_ID.MAPPING:
      case EVENT_ID.SEQUENCE:
        if (event.anchorStart >= 0) anchors.set(text.slice(event.anchorStart, event.anchorEnd), i);
        open.push(i);
        atKey.push(event.type === EVENT_ID.MAPPING);
        keysFrom.push(event.type === EVENT_ID.MAPPING ? keys.length : -1);
        keySets.push(undefined);
        continue;
      case EVENT_ID.POP: {
        const closed = open.pop();
        atKey.pop();
        const from = keysFrom.pop();
        keySets.pop();
        if (closed === undefined || from === undefined) break;
        next[closed] = i + 1;
        if (from >= 0) keys.length = from;
        break;
      }
      case EVENT_ID.ALIAS: {
        const target = anchors.get(text.slice(event.anchorStart, event.anchorEnd));
        if (target === undefined || open.includes(target))
          throw wrongAlias(tree, event.anchorStart - 1, target === undefined);
        aliases.set(i, target);
        next[i] = i + 1;
        break;
      }
      case EVENT_ID.SCALAR:
        if (event.anchorStart >= 0) anchors.set(text.slice(event.anchorStart, event.anchorEnd), i);
        next[i] = i + 1;
        if (top >= 0 && atKey[top] === true) noteKey(tree, i, event, keys, keysFrom[top] ?? 0, keySets, top);
        break;
      default:
        break;
    }
    // A whole child is behind us: in a mapping, a value follows a key and a key a value.
    const parent = open.length - 1;
    if (parent >= 0 && (keysFrom[parent] ?? -1) >= 0) atKey[parent] = atKey[parent] !== true;
  }
  return tree;
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

/** From so many keys on a set is quicker than comparing each with each. */
const MANY_KEYS = 12;

function noteKey(
  tree: YamlTree,
  node: number,
  event: ScalarEvent,
  keys: string[],
  from: number,
  keySets: (Set<string> | undefined)[],
  frame: number,
): void {
  const key = event.fast ? tree.text.slice(event.valueStart, event.valueEnd) : scalarText(tree, node);
  let set = keySets[frame];
  let known = false;
  if (set === undefined) {
    for (let k = from; k < keys.length && !known; k++) known = keys[k] === key;
    keys.push(key);
    if (keys.length - from > MANY_KEYS) {
      set = new Set(keys.slice(from));
      keySets[frame] = set;
    }
  } else {
    known = set.has(key);
    set.add(key);
  }
  if (!known) return;
  throw new RollstampError("input", "this key stands twice in one mapping", {
    place: placeAt(tree.text, tree.file, Math.max(event.valueStart, 0)),
    remedy: "Keep one of the two: the hosts would refuse it, or take one of them silently.",
  });
}
