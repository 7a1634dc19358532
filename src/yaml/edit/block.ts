import { EVENT_ID, SCALAR_STYLE } from "js-yaml";
import { RollstampError } from "../../base/errors.ts";
import { eventAt, typeAt } from "../read/event-table.ts";
import { describe, placeOf, type Item } from "../read/items.ts";
import { endOf, ownEntries, startOf, type Entry } from "../read/node.ts";
import { NONE, type YamlTree } from "../read/tree.ts";
import {
  behindColon,
  columnOf,
  columnOfEntries,
  eolAt,
  isBehindBreak,
  lineEnd,
  lineStart,
  nextLine,
  stepOf,
} from "./lines.ts";
import { blockLines, renderScalar, type NewEntry, type ScalarValue } from "./render.ts";
import type { Splice } from "./splice.ts";

/**
 * Inserts entries into a block mapping: after the line of `after`, else before its first line and the comments that
 * belong to it.
 */
export function blockInsert(
  tree: YamlTree,
  mapping: number,
  keyNode: number,
  entries: readonly NewEntry[],
  after?: Entry,
): Splice[] {
  const { text } = tree;
  const first = ownEntries(tree, mapping)[0];
  if (first === undefined) return [];
  const column = columnOfEntries(tree, mapping);
  const lines = blockLines(entries, column, stepOf(tree, mapping));
  if (after !== undefined) return [insertLines(tree, lastOffset(tree, after.valueNode), lines)];
  const firstStart = startOf(tree, first.keyNode);
  const header = headerEnd(tree, mapping, keyNode);
  if (header !== NONE && lineStart(tree, firstStart) > header) return [insertLines(tree, header, lines)];
  // The first entry shares its line with a dash: the new lines are inserted after the dash.
  const eol = eolAt(tree, firstStart);
  const indented = lines.map((line, i) => (i === 0 ? line.trimStart() : line)).join(eol);
  const from = lineStart(tree, firstStart);
  const position = from + (text[from] === "\uFEFF" ? 1 : 0) + column;
  return [{ offset: position, remove: 0, insert: `${indented}${eol}${" ".repeat(column)}` }];
}

/** The offset after the key, its colon, and the tag and anchor of the mapping; NONE for a mapping without a key. */
export function headerEnd(tree: YamlTree, mapping: number, keyNode: number): number {
  if (keyNode === NONE) return NONE;
  const event = eventAt(tree.events, mapping);
  const properties = event?.type === EVENT_ID.MAPPING ? Math.max(event.anchorEnd, event.tagEnd) : NONE;
  return Math.max(behindColon(tree, keyNode), properties);
}

/** Inserts lines after the line of `offset`. */
export function insertLines(tree: YamlTree, offset: number, lines: readonly string[]): Splice {
  const eol = eolAt(tree, offset);
  // A block scalar ends after its line break, which is already the next line.
  const position = isBehindBreak(tree, offset) ? offset : nextLine(tree, offset);
  const atBreak = position === 0 || isBehindBreak(tree, position);
  return atBreak
    ? { offset: position, remove: 0, insert: lines.map((line) => line + eol).join("") }
    : { offset: position, remove: 0, insert: lines.map((line) => eol + line).join("") };
}

/** The end of the last scalar of a node. */
function lastOffset(tree: YamlTree, node: number): number {
  let end = endOf(tree, node);
  for (let i = node; i < (tree.next[node] ?? node + 1); i++) {
    const type = typeAt(tree.events, i);
    if (type === EVENT_ID.SCALAR || type === EVENT_ID.ALIAS) end = Math.max(end, endOf(tree, i));
  }
  return end;
}

/** Replaces the null value or the alias of an entry in a block mapping with a mapping. */
export function replaceNull(tree: YamlTree, parent: number, entry: Entry, entries: readonly NewEntry[]): Splice[] {
  const colon = behindColon(tree, entry.keyNode);
  const column = columnOf(tree, entry.keyNode);
  const lines = blockLines(entries, column + stepOf(tree, parent), stepOf(tree, parent));
  if (colon === NONE) return [insertLines(tree, endOf(tree, entry.keyNode), [`${" ".repeat(column)}:`, ...lines])];
  const insertion = insertLines(tree, colon, lines);
  const event = eventAt(tree.events, entry.valueNode);
  const written =
    event?.type === EVENT_ID.ALIAS ||
    (event?.type === EVENT_ID.SCALAR && (event.valueStart >= 0 || event.tagStart >= 0));
  if (!written) return [insertion];
  const start = startOf(tree, entry.valueNode);
  const end = endOf(tree, entry.valueNode);
  if (lineStart(tree, start) > colon) {
    const from = lineStart(tree, start);
    return [insertion, { offset: from, remove: nextLine(tree, end) - from, insert: "" }];
  }
  return [{ offset: colon, remove: end - colon, insert: "" }, insertion];
}

/** Removes entries of a block mapping, line by line. Lines with only a comment stay. */
export function blockRemove(tree: YamlTree, entries: readonly Entry[]): Splice[] {
  const { text } = tree;
  const lines = new Map<number, number>();
  const cover = (from: number, to: number): void => {
    for (let line = lineStart(tree, from); line <= to && line < text.length; line = nextLine(tree, line)) {
      lines.set(line, nextLine(tree, line));
      if (nextLine(tree, line) === line) break;
    }
  };
  const splices: Splice[] = [];
  for (const entry of entries) {
    const key = startOf(tree, entry.keyNode);
    const from = lineStart(tree, key);
    const prefix = text.slice(from, key);
    const next = tree.next[entry.valueNode] ?? 0;
    const sharesLine = !/^\uFEFF?[ \t]*(?:\?[ \t]+)?$/u.test(prefix);
    if (sharesLine && typeAt(tree.events, next) !== EVENT_ID.POP && !hasComment(tree, key, startOf(tree, next))) {
      // The entry shares its line with a dash: the next one moves to the dash.
      splices.push({ offset: key, remove: startOf(tree, next) - key, insert: "" });
      continue;
    }
    cover(key, Math.max(behindColon(tree, entry.keyNode) - 1, key));
    for (let i = entry.valueNode; i < next; i++) {
      const event = eventAt(tree.events, i);
      if (event?.type !== EVENT_ID.SCALAR && event?.type !== EVENT_ID.ALIAS) continue;
      const end = endOf(tree, i);
      const isBlock = event.type === EVENT_ID.SCALAR && isBlockScalar(event.style);
      if (event.type === EVENT_ID.SCALAR && event.valueStart < 0) continue;
      const start = startOf(tree, i);
      cover(start, isBlock ? Math.max(end - 1, start) : end);
      // After an explicit key (`? key`), the colon and the header of a block scalar have their own lines.
      const colon = behindColon(tree, i);
      if (colon !== NONE) cover(colon - 1, colon - 1);
      if (isBlock) cover(endOfLineBefore(tree, event.valueStart), event.valueStart);
    }
    if (!sharesLine) continue;
    // The dash stays, with an empty mapping if there is nothing else.
    lines.delete(from);
    const offset = from + prefix.trimEnd().length;
    const insert = typeAt(tree.events, next) === EVENT_ID.POP ? " {}" : "";
    splices.push({ offset, remove: lineEnd(tree, key) - offset, insert });
  }
  for (const [offset, end] of lines) splices.push({ offset, remove: end - offset, insert: "" });
  return splices;
}

/** True if a line between two offsets contains only a comment. */
function hasComment(tree: YamlTree, from: number, to: number): boolean {
  for (let line = nextLine(tree, from); line < to; line = nextLine(tree, line)) {
    if (/^[ \t]*#/u.test(tree.text.slice(line, lineEnd(tree, line)))) return true;
  }
  return false;
}

/** The offset of the line break before the line of an offset. */
function endOfLineBefore(tree: YamlTree, offset: number): number {
  const { text } = tree;
  const from = lineStart(tree, offset);
  return Math.max(from - (text[from - 1] === "\n" && text[from - 2] === "\r" ? 2 : 1), 0);
}

function isBlockScalar(style: number): boolean {
  return style === SCALAR_STYLE.LITERAL_BLOCK || style === SCALAR_STYLE.FOLDED_BLOCK;
}

/** True if there is a comment after the colon of an entry, in its line. */
export function hasHeaderComment(tree: YamlTree, entry: Entry): boolean {
  const colon = behindColon(tree, entry.keyNode);
  return /^\s+#/u.test(tree.text.slice(colon, lineEnd(tree, colon)));
}

/** Replaces the value of an entry in a block or flow mapping with a scalar. */
export function setScalar(item: Item, entry: Entry, value: ScalarValue, inFlow: boolean): Splice[] {
  const { tree } = item;
  const event = eventAt(tree.events, entry.valueNode);
  const colon = behindColon(tree, entry.keyNode);
  if (event?.type === EVENT_ID.ALIAS) return [replace(tree, entry.valueNode, value)];
  if (event?.type !== EVENT_ID.SCALAR) {
    throw new RollstampError(
      "input",
      `the annotation '${entry.key}' of ${describe(item)}'s pod template must be a string`,
      {
        place: placeOf(tree, entry.valueNode),
        remedy: "Remove this annotation: rollstamp writes it again.",
      },
    );
  }
  if (event.valueStart < 0 && event.tagStart < 0 && event.anchorStart < 0) {
    const end = endOf(tree, entry.keyNode);
    if (colon !== NONE) return [{ offset: colon, remove: 0, insert: ` ${renderScalar(value)}` }];
    if (inFlow) return [{ offset: end, remove: 0, insert: `: ${renderScalar(value)}` }];
    // An explicit key of a block (`? key`): with a colon in its line, both would become the key.
    return [insertLines(tree, end, [`${" ".repeat(columnOf(tree, entry.keyNode))}: ${renderScalar(value)}`])];
  }
  if (isBlockScalar(event.style)) {
    // Its text ends after its last line break, if the file ends with one.
    const { valueEnd } = event;
    const end = valueEnd > colon && isBehindBreak(tree, valueEnd) ? endOfLineBefore(tree, valueEnd) : valueEnd;
    return [{ offset: colon, remove: Math.max(end, colon) - colon, insert: ` ${renderScalar(value)}` }];
  }
  return [replace(tree, entry.valueNode, value)];
}

function replace(tree: YamlTree, node: number, value: ScalarValue): Splice {
  const offset = startOf(tree, node);
  return { offset, remove: endOf(tree, node) - offset, insert: renderScalar(value) };
}
