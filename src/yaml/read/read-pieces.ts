import { COLLECTION_STYLE, EVENT_ID, YAMLException, type Event } from "js-yaml";
import { buildTable, type CountedTable, type TableBuilder } from "./event-table.ts";
import { parseLenient } from "./lenient.ts";
import type { Pieces } from "./pieces.ts";

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
