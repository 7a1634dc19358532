import { COLLECTION_STYLE, EVENT_ID, YAMLException, type Event } from "js-yaml";
import { buildTable, type CountedTable, type TableBuilder } from "./event-table.ts";
import { parseLenient } from "./lenient.ts";

/**
 * A large text in pieces that can be read one after the other: what is read of a piece can be packed
 * before the next is read, so that memory follows the piece and not the text. Where a text may not be
 * cut safely it is one piece. Read in pieces or at once, the events are the same
 * (test/yaml/read/pieces.test.ts).
 */
type Pieces =
  | { readonly form: "documents"; readonly cuts: readonly number[] }
  | {
      readonly form: "items";
      /** Behind the line of the key `items`: what stands before is the beginning of the root mapping. */
      readonly itemsAt: number;
      /** Where further pieces of the list begin. */
      readonly cuts: readonly number[];
      /** The rest of the root mapping. */
      readonly restAt: number;
    };

/** Pieces are about this long: some thousand events, which the garbage collector takes in one sweep. */
export const PIECE_LENGTH: number = 1 << 16;

/** Where a text may be cut; undefined where it is to be read at once. */
export function piecesOf(text: string, length: number = PIECE_LENGTH): Pieces | undefined {
  if (text.length < 2 * length) return undefined;
  // A lone CR breaks lines, too; no host writes it. Directives reach over all that follows them.
  if (text.includes("\r") && /\r(?!\n)/u.test(text)) return undefined;
  if (text.startsWith("%") || text.includes("\n%")) return undefined;
  return documentPieces(text, length) ?? itemPieces(text, length);
}

/**
 * A document marker is one wherever it stands at the beginning of a line: no scalar may hold it
 * (YAML 1.2.2, c-forbidden).
 */
function documentPieces(text: string, length: number): Pieces | undefined {
  const marker = /\n---(?=[ \t\r\n])/gu;
  const cuts = cutsAt(text, marker, 0, text.length, length);
  return cuts.length === 0 ? undefined : { form: "documents", cuts };
}

/** The offsets of lines that match, each at least `length` behind the one before it. */
function cutsAt(text: string, line: RegExp, from: number, to: number, length: number): number[] {
  const cuts: number[] = [];
  line.lastIndex = from + length;
  for (let match = line.exec(text); match !== null && match.index + 1 < to; match = line.exec(text)) {
    cuts.push(match.index + 1);
    line.lastIndex = match.index + length;
  }
  return cuts;
}

/**
 * The list of a ResourceList, as hosts send it: a block sequence under the root's key `items`. What
 * belongs to an item stands to the right of its dash, so a dash at the list's column begins the next
 * one. YAML forbids a scalar's or a flow collection's further lines there, and js-yaml refuses them.
 */
function itemPieces(text: string, length: number): Pieces | undefined {
  const key = /(?:^|\n)items:[ \t]*\r?\n/gu;
  const found = key.exec(text);
  const itemsAt = key.lastIndex;
  // A second document, or what looks like one.
  if (found === null || text.includes("\n---", itemsAt - 1) || text.includes("\n...", itemsAt - 1)) return undefined;
  const dash = /(?:[ \t]*(?:#[^\n]*)?\r?\n)*( *)-[ \r\n]/uy;
  dash.lastIndex = itemsAt;
  const column = dash.exec(text)?.[1];
  if (column === undefined) return undefined;
  const rest = column === "" ? /\n(?![\r\n #]|-[ \r\n])/gu : /\n(?![\r\n #])/gu;
  rest.lastIndex = itemsAt;
  const end = rest.exec(text);
  const restAt = end === null || end.index + 1 >= text.length ? text.length : end.index + 1;
  const line = new RegExp(`\\n${column}-[ \\r\\n]`, "gu");
  const cuts = cutsAt(text, line, itemsAt, restAt, length);
  return cuts.length === 0 ? undefined : { form: "items", itemsAt, cuts, restAt };
}

// As many characters as an event has in manifests with short lines: a table that is too small grows.
const CHARACTERS_OF_AN_EVENT = 14;

/**
 * Reads a text in pieces; undefined where it can't be: what is wrong with it, if anything is, only a
 * reading of the whole text tells rightly.
 */
export function readPieces(text: string, pieces: Pieces, maxDepth: number): CountedTable | undefined {
  const table = buildTable(Math.ceil(text.length / CHARACTERS_OF_AN_EVENT));
  try {
    const isRead =
      pieces.form === "documents"
        ? readDocuments(text, [0, ...pieces.cuts, text.length], table, maxDepth)
        : readItems(text, pieces, table, maxDepth);
    return isRead ? table.done() : undefined;
  } catch (cause) {
    if (cause instanceof YAMLException) return undefined;
    throw cause;
  }
}

function readDocuments(text: string, ends: readonly number[], table: TableBuilder, maxDepth: number): boolean {
  for (let i = 1; i < ends.length; i++) {
    const from = ends[i - 1] ?? 0;
    for (const event of parseLenient(text.slice(from, ends[i]), maxDepth)) table.add(event, from);
  }
  return true;
}

// What stands around the content of a piece: the document and its root, and their two ends.
const BEFORE = 2;
const BEHIND = 2;

function readItems(text: string, pieces: Pieces & { form: "items" }, table: TableBuilder, maxDepth: number): boolean {
  const { itemsAt, cuts, restAt } = pieces;
  const head = parseLenient(text.slice(0, itemsAt), maxDepth);
  const empty = head.at(-BEHIND - 1);
  // The key `items` is the root mapping's last one, and its value is yet to come.
  if (!isOne(head, EVENT_ID.MAPPING) || empty?.type !== EVENT_ID.SCALAR || empty.valueStart >= 0) return false;
  if (empty.anchorStart >= 0 || empty.tagStart >= 0) return false;
  addAll(table, head, 0, head.length - BEHIND - 1, 0);

  const ends = [itemsAt, ...cuts, restAt];
  for (let i = 1; i < ends.length; i++) {
    const from = ends[i - 1] ?? itemsAt;
    // In the whole text the list stands one level deeper.
    const events = parseLenient(text.slice(from, ends[i]), maxDepth - 1);
    if (!isOne(events, EVENT_ID.SEQUENCE)) return false;
    addAll(table, events, i === 1 ? BEFORE - 1 : BEFORE, events.length - BEHIND, from);
  }
  table.add({ type: EVENT_ID.POP }, 0);

  if (restAt < text.length) {
    const rest = parseLenient(text.slice(restAt), maxDepth);
    if (!isOne(rest, EVENT_ID.MAPPING)) return false;
    addAll(table, rest, BEFORE, rest.length - BEHIND, restAt);
  }
  addAll(table, head, head.length - BEHIND, head.length, 0);
  return true;
}

/** True for the events of one document whose root is an unmarked block collection of a type. */
function isOne(events: readonly Event[], type: typeof EVENT_ID.MAPPING | typeof EVENT_ID.SEQUENCE): boolean {
  const root = events[1];
  if (root?.type !== type || root.style !== COLLECTION_STYLE.BLOCK) return false;
  if (root.anchorStart >= 0 || root.tagStart >= 0) return false;
  for (let i = 1; i < events.length; i++) if (events[i]?.type === EVENT_ID.DOCUMENT) return false;
  return true;
}

function addAll(table: TableBuilder, events: readonly Event[], from: number, to: number, shift: number): void {
  for (let i = from; i < to; i++) {
    const event = events[i];
    if (event !== undefined) table.add(event, shift);
  }
}
