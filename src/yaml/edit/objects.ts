import { withoutEnd } from "../../base/trim.ts";
import { RollstampError } from "../../base/errors.ts";
import { countBelow } from "../../base/sorted.ts";
import { describe, placeIn, type Item } from "../read/items.ts";
import { isMapping } from "../read/json.ts";
import { endOfTree, startOf, type Json } from "../read/node.ts";
import { NONE } from "../read/tree.ts";
import { isFlow } from "./annotation-places.ts";
import { insertLines } from "./block.ts";
import { documentPiece, eolAt, isBehindBreak, lineStart, nextLine, nextMarker } from "./lines.ts";
import { escapeBreaks, isPlainWord, renderKey, renderScalar } from "./render.ts";
import type { Splice } from "./splice.ts";

/** An object to write, with its fields in order. */
export type NewObject = { readonly [field: string]: Json };

/**
 * The splices that add objects after an item: as documents of a stream, or as items of its list. Throws a RollstampError
 * where this is not possible.
 */
export function addObjects(item: Item, objects: readonly NewObject[]): Splice[] {
  if (objects.length === 0) return [];
  const splice = isDocument(item) ? documentsAfter(item, objects) : elementsAfter(item, objects);
  return [{ ...splice, intended: { item, objects: objects.map((object) => ({ ...object })) } }];
}

/** The splices that remove an item with its document, or from its list. */
export function removeObject(item: Item): Splice[] {
  const { from, to } = isDocument(item) ? documentOf(item) : elementOf(item);
  return [{ offset: from, remove: to - from, insert: "", intended: { item, objects: "removed" } }];
}

/** Whether an item is a whole file in JSON: nothing can be added after it. */
export function isLoneJson({ tree, node }: Item): boolean {
  return tree.documents.length === 1 && tree.documents[0] === node && isFlow(tree, node);
}

function isDocument({ tree, node }: Item): boolean {
  return tree.documents[countBelow(tree.documents, node + 1) - 1] === node;
}

function documentsAfter(item: Item, objects: readonly NewObject[]): Splice {
  const { tree } = item;
  const end = endOfTree(tree, item.node);
  const isJson = isFlow(tree, item.node);
  const lines = objects.flatMap((object) => [
    "---",
    ...(isJson
      ? jsonText(object, /[\r\n]/u.test(tree.text.slice(startOf(tree, item.node), end)))
      : blockObject(object, 0)),
  ]);
  const behind = nextMarker(tree.text, Math.max(end - 1, 0));
  if (behind === undefined) throw unsupported(item);
  const from = tree.text.lastIndexOf("\n---", startOf(tree, item.node));
  if (isBeforeValue(item, behind) || isBehindValue(item, from)) return valuesAfter(item, objects);
  // A directive belongs to the document after it.
  if (/^%/mu.test(tree.text.slice(end, behind))) return insertLines(tree, end, lines);
  const eol = eolAt(tree, startOf(tree, item.node));
  const isOpen = behind > 0 && !isBehindBreak(tree, behind);
  return { offset: behind, remove: 0, insert: (isOpen ? eol : "") + lines.map((line) => line + eol).join("") };
}

/** Whether another value of JSON follows without a marker between them, as jq prints them. */
function isBeforeValue({ tree, node }: Item, behind: number): boolean {
  const next = tree.documents[countBelow(tree.documents, node + 1)];
  return next !== undefined && isFlow(tree, next) && startOf(tree, next) < behind;
}

function valuesAfter({ tree, node }: Item, objects: readonly NewObject[]): Splice {
  const insert = objects.map((object) => eolAt(tree, startOf(tree, node)) + jsonText(object, false).join(""));
  return { offset: endOfTree(tree, node), remove: 0, insert: insert.join("") };
}

/** The lines of an object in JSON. */
function jsonText(object: NewObject, isPretty: boolean): string[] {
  return escapeBreaks(JSON.stringify(object, null, isPretty ? STEP : 0)).split("\n");
}

function documentOf(item: Item): { readonly from: number; readonly to: number } {
  const { tree, node } = item;
  const start = startOf(tree, node);
  const end = endOfTree(tree, node);
  const piece = documentPiece(tree, start);
  if (piece === undefined) throw unsupported(item);
  if (isBehindValue(item, piece.from) || isBeforeValue(item, piece.to))
    return { from: tree.text.slice(0, start).trimEnd().length, to: end };
  // Directives belong to the document after them, and need the '...' before them.
  const directives = /^%/mu.test(tree.text.slice(end, piece.to)) ? tree.text.slice(end).search(/^\.\.\./mu) : NONE;
  if (directives !== NONE) return { from: piece.from, to: end + directives };
  // A comment behind it may be about the next document.
  const next = isBehindBreak(tree, end) ? end : nextLine(tree, end);
  return /^[ \t]*#/mu.test(tree.text.slice(next, piece.to)) ? { from: piece.from, to: next } : piece;
}

/** Whether a value of JSON is before an item without a marker between them. */
function isBehindValue({ tree, node }: Item, from: number): boolean {
  const previous = tree.documents[countBelow(tree.documents, node) - 1];
  return previous !== undefined && isFlow(tree, previous) && startOf(tree, previous) >= from;
}

// Comments and line breaks may be between the dash and the object.
const DASH = /(?:^|[\r\n])( *)-((?:[ \t]*(?:#[^\r\n]*)?\r?\n)*)( +)$/u;

function elementsAfter(item: Item, objects: readonly NewObject[]): Splice {
  const { tree, node } = item;
  const dash = dashOf(item);
  if (dash === undefined) {
    const start = startOf(tree, node);
    const from = lineStart(tree, start);
    const indent = tree.text.slice(from, start);
    const isOwnLine = /^[ \t]*$/u.test(indent) && from > 0;
    const eol = eolAt(tree, start);
    const insert = objects.map((object) =>
      isOwnLine
        ? `,${eol}${indent}${jsonText(object, true).join(eol + indent)}`
        : `, ${jsonText(object, false).join("")}`,
    );
    return { offset: endOfTree(tree, node), remove: 0, insert: insert.join("") };
  }
  const { column, gap } = dash;
  const lines = objects.flatMap((object) => {
    const block = blockObject(object, column + 1 + gap);
    return block.map((line, i) => (i === 0 ? `${" ".repeat(column)}-${" ".repeat(gap)}${line.trimStart()}` : line));
  });
  return insertLines(tree, endOfTree(tree, node), lines);
}

/** The line and the column of the dash before an element of a block sequence, and the blanks behind it. */
function dashOf({
  tree,
  node,
}: Item): { readonly line: number; readonly column: number; readonly gap: number } | undefined {
  const start = startOf(tree, node);
  const from = Math.max(lineStart(tree, start) - FLOW_GAP, 0);
  const dash = DASH.exec(tree.text.slice(from, start));
  if (dash === null) return undefined;
  const [all, blanks = "", lines = "", gap = ""] = dash;
  const line = lineStart(tree, start - all.length + all.indexOf("-"));
  return { line, column: blanks.length, gap: lines === "" ? gap.length : STEP - 1 };
}

function elementOf(item: Item): { readonly from: number; readonly to: number } {
  const { tree, node } = item;
  const end = endOfTree(tree, node);
  const dash = dashOf(item);
  if (dash !== undefined) {
    return { from: dash.line, to: isBehindBreak(tree, end) ? end : nextLine(tree, end) };
  }
  // With the comma before it: rollstamp only removes what follows another element.
  const start = startOf(tree, node);
  const comma = /,\s*$/u.exec(tree.text.slice(Math.max(start - FLOW_GAP, 0), start));
  if (comma === null) throw unsupported(item);
  return { from: start - comma[0].length, to: end };
}

const FLOW_GAP = 4096;

function unsupported(item: Item): RollstampError {
  return new RollstampError("input", `no object can be added after ${describe(item)}, or removed here`, {
    place: placeIn(item, item.node),
    remedy: "Write each object as a document of its own, or use another layout than Versioned.",
  });
}

/** An object as lines of a block: text of several lines as a literal, all other strings in double quotes. */
function blockObject(object: NewObject, column: number): string[] {
  const indent = " ".repeat(column);
  return Object.entries(object).flatMap(([key, value]) => {
    const start = `${indent}${renderKey(key)}:`;
    if (isMapping(value)) {
      const inner = blockObject(value, column + STEP);
      return inner.length === 0 ? [`${start} {}`] : [start, ...inner];
    }
    if (typeof value !== "string") return [`${start} ${JSON.stringify(value)}`];
    if (PLAIN.has(key) && isPlainWord(value)) return [`${start} ${value}`];
    const literal = literalLines(value);
    if (literal === undefined) return [`${start} ${renderScalar(value)}`];
    const inner = " ".repeat(column + STEP);
    return [`${start} ${literal.header}`, ...literal.lines.map((line) => (line === "" ? "" : inner + line))];
  });
}

const STEP = 2;

/** Fields that people write without quotes. */
const PLAIN: ReadonlySet<string> = new Set(["apiVersion", "kind", "name", "namespace", "type"]);

// Characters that a literal cannot contain or that readers change; a tab is allowed inside of a line.
const NOT_LITERAL = /[^\t\n\u0020-\u007e\u00a0-\ud7ff\ue000-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]|[\u2028\u2029]/u;

/** Text of several lines as a literal block scalar; undefined if it needs quotes to be read unchanged by every reader. */
function literalLines(text: string): { readonly header: string; readonly lines: readonly string[] } | undefined {
  const content = withoutEnd(text, "\n");
  const newlines = text.length - content.length;
  const lines = content.split("\n");
  if (!text.includes("\n") || NOT_LITERAL.test(text)) return undefined;
  // A first line with blanks would need an indentation indicator, and lines of blanks are read differently.
  if (/^[ \t]|^$/u.test(lines[0] ?? "") || lines.some((line) => /^[ \t]+$|^\t/u.test(line))) return undefined;
  if (newlines <= 1) return { header: newlines === 1 ? "|" : "|-", lines };
  return { header: "|+", lines: [...lines, ...Array.from({ length: newlines - 1 }, () => "")] };
}
