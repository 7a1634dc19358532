import { COLLECTION_STYLE, EVENT_ID, YAMLException, type Event } from "js-yaml";
import { buildTable, type CountedTable, type TableBuilder } from "./event-table.ts";
import { parseLenient } from "./lenient.ts";

/**
 * A large file is parsed in pieces. The events of a piece are packed before the next piece is parsed, so memory depends
 * on the piece, not on the file. A file that cannot be cut safely is one piece. The events are the same as for the
 * whole text (test/yaml/read/pieces.test.ts).
 */
type Pieces =
  | { readonly form: "documents"; readonly cuts: readonly number[] }
  | {
      readonly form: "items";
      /** The offset after the line of the key `items`. The beginning of the root mapping is before it. */
      readonly itemsAt: number;
      /** Where further pieces of the list begin. */
      readonly cuts: readonly number[];
      /** The rest of the root mapping. */
      readonly restAt: number;
    };

/** The approximate length of a piece: some thousand events, which the garbage collector handles in one cycle. */
export const PIECE_LENGTH: number = 1 << 16;

/** Where the text may be cut; undefined if it must be parsed as a whole. */
export function piecesOf(text: string, length: number = PIECE_LENGTH): Pieces | undefined {
  if (text.length < 2 * length) return undefined;
  // A lone CR breaks lines, too, but no host writes it. Directives apply to everything after them.
  if (text.includes("\r") && /\r(?!\n)/u.test(text)) return undefined;
  if (text.startsWith("%") || text.includes("\n%")) return undefined;
  return documentPieces(text, length) ?? itemPieces(text, length);
}

/** A document marker counts wherever it begins a line: no scalar may contain it (YAML 1.2.2, c-forbidden). */
function documentPieces(text: string, length: number): Pieces | undefined {
  const marker = /\n---(?=[ \t\r\n])/gu;
  const cuts = cutsAt(text, marker, 0, text.length, length);
  return cuts.length === 0 ? undefined : { form: "documents", cuts };
}

/** The offsets of matching lines, each at least `length` after the one before it. */
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
 * The list of a ResourceList as hosts send it: a block sequence under the key `items` of the root. The content of an
 * item is to the right of its dash, so a dash in the column of the list begins the next item. YAML forbids continuation
 * lines of scalars and flow collections in that column, and js-yaml rejects them.
 */
function itemPieces(text: string, length: number): Pieces | undefined {
  const key = /(?:^|\n)items:[ \t]*\r?\n/gu;
  const found = key.exec(text);
  const itemsAt = key.lastIndex;
  // A second document, or text that looks like one.
  if (found === null || text.includes("\n---", itemsAt - 1) || text.includes("\n...", itemsAt - 1)) return undefined;
  const dash = /(?:[ \t]*(?:#[^\r\n]*)?\r?\n)*( *)-[ \r\n]/uy;
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

// The number of characters per event in manifests with short lines. If the table is too small, it grows.
const CHARACTERS_OF_AN_EVENT = 14;

/**
 * Parses the text in pieces; undefined if this is not possible. If the text is invalid, only parsing the whole text gives
 * the right error.
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

// The events around the content of a piece: the document and its root, and their ends.
const BEFORE = 2;
const BEHIND = 2;

function readItems(text: string, pieces: Pieces & { form: "items" }, table: TableBuilder, maxDepth: number): boolean {
  const { itemsAt, cuts, restAt } = pieces;
  const head = parseLenient(text.slice(0, itemsAt), maxDepth);
  const empty = head.at(-BEHIND - 1);
  // The key `items` is the last one of the root mapping, and its value follows.
  if (!isOne(head, EVENT_ID.MAPPING) || empty?.type !== EVENT_ID.SCALAR || empty.valueStart >= 0) return false;
  if (empty.anchorStart >= 0 || empty.tagStart >= 0) return false;
  addAll(table, head, 0, head.length - BEHIND - 1, 0);

  const ends = [itemsAt, ...cuts, restAt];
  for (let i = 1; i < ends.length; i++) {
    const from = ends[i - 1] ?? itemsAt;
    // In the whole text, the list is one level deeper.
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

/** True for the events of one document whose root is a block collection of this type without anchor and tag. */
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
