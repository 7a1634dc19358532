import { EVENT_ID } from "js-yaml";
import { typeAt } from "../read/event-table.ts";
import { OTHER_BREAK } from "../read/go-breaks.ts";
import { endOf, ownEntries, startOf } from "../read/node.ts";
import { NONE, type YamlTree } from "../read/tree.ts";

// Most lines are short. But JSON may be one line of megabytes, where a search for each edit is quadratic: the table of
// lines, which is made once, is used there.
const NEAR = 2048;

const LF = 10;
const CR = 13;

/** The text and the table of its lines. */
type Text = Pick<YamlTree, "text" | "lines" | "otherBreaks">;

/** Whether a line of the tree ends with the character before an offset. */
export const isBehindBreak = (tree: Text, offset: number): boolean => breakAt(tree, offset - 1) !== "";

/** The offset at which the line of `offset` begins. */
export function lineStart({ text, lines, otherBreaks }: Text, offset: number): number {
  const near = Math.max(offset - NEAR, 0);
  for (let i = offset; i > near; i--) if (isBreak(text, i - 1, otherBreaks)) return i;
  return near === 0 ? 0 : lines.lineAt(offset).start;
}

function isBreak(text: string, offset: number, otherBreaks: boolean): boolean {
  const code = text.charCodeAt(offset);
  return code === LF || code === CR || (otherBreaks && OTHER_BREAK.test(text[offset] ?? ""));
}

/** The offset of the line break at the end of the line of `offset`, or the length of the text. */
export function lineEnd({ text, lines, otherBreaks }: Text, offset: number): number {
  const near = Math.min(offset + NEAR, text.length);
  for (let i = offset; i < near; i++) if (isBreak(text, i, otherBreaks)) return i;
  if (near === text.length) return near;
  const { next } = lines.lineAt(offset);
  if (next === undefined) return text.length;
  return text.charCodeAt(next - 1) === LF && text.charCodeAt(next - 2) === CR ? next - 2 : next - 1;
}

/** The offset after the line break at the end of the line of `offset`, or the length of the text. */
export function nextLine(tree: Text, offset: number): number {
  const end = lineEnd(tree, offset);
  return end + breakAt(tree, end).length;
}

function breakAt({ text, otherBreaks }: Text, offset: number): string {
  if (text[offset] === "\r" && text[offset + 1] === "\n") return "\r\n";
  return isBreak(text, offset, otherBreaks) ? (text[offset] ?? "") : "";
}

/** The line break in use around an offset: of its line, else of the first line of the text, else LF. */
export function eolAt(tree: Text, offset: number): string {
  return breakAt(tree, lineEnd(tree, offset)) || breakAt(tree, lineEnd(tree, 0)) || "\n";
}

/** The column (from 0) at which the entry of a key begins: at its `?` if the key is explicit. */
export function columnOf(tree: YamlTree, keyNode: number): number {
  const start = startOf(tree, keyNode);
  const from = lineStart(tree, start);
  const line = tree.text.slice(from, start);
  const prefix = line.startsWith("\uFEFF") ? line.slice(1) : line;
  // Called for every edit, and explicit keys are rare.
  const explicit = prefix.includes("?") ? /^(.*?)\?[ \t]+$/u.exec(prefix) : null;
  return explicit?.[1] === undefined ? prefix.length : explicit[1].length;
}

/** The column of the entries of a block mapping. */
export function columnOfEntries(tree: YamlTree, mapping: number): number {
  const first = ownEntries(tree, mapping)[0];
  return first === undefined ? 0 : columnOf(tree, first.keyNode);
}

const DEFAULT_STEP = 2;

/** The indentation of a block mapping relative to its key. */
export function stepOf(tree: YamlTree, mapping: number): number {
  const keyNode = typeAt(tree.events, mapping - 1) === EVENT_ID.SCALAR ? mapping - 1 : NONE;
  if (keyNode === NONE) return DEFAULT_STEP;
  const step = columnOfEntries(tree, mapping) - columnOf(tree, keyNode);
  return step > 0 ? step : DEFAULT_STEP;
}

/** The offset after the colon of an entry; NONE if a flow entry is only a key. */
export function behindColon(tree: YamlTree, keyNode: number): number {
  // Between a key and its colon there is white space. Line breaks and comments are possible only after `? key`.
  const rest = /(?:[ \t]|\r?\n|(?<=\s)#[^\r\n]*)*/uy;
  rest.lastIndex = endOf(tree, keyNode);
  rest.exec(tree.text);
  const colon = Math.max(rest.lastIndex, endOf(tree, keyNode));
  return tree.text[colon] === ":" ? colon + 1 : NONE;
}

/** A part of the text that has the same meaning on its own, and the column of its first line. */
export interface Piece {
  readonly from: number;
  readonly to: number;
  readonly column: number;
}

/** All lines between two markers. */
export function documentPiece({ text, documents }: YamlTree, start: number): Piece | undefined {
  if (documents.length === 1) return { from: 0, to: text.length, column: 0 };
  const to = nextMarker(text, start);
  if (to === undefined) return undefined;
  const before = text.lastIndexOf("\n---", start);
  return { from: before < 0 ? 0 : before + 1, to, column: 0 };
}

const MARKER = /\n---(?=[ \t\r\n]|$)/gu;

/** Where the next document marker begins, or the text ends; undefined if lone CRs may hide one. */
export function nextMarker(text: string, start: number): number | undefined {
  MARKER.lastIndex = start;
  const found = MARKER.exec(text);
  const to = found === null ? text.length : found.index + 1;
  // A lone CR breaks lines, too, but no host writes it.
  return /\r(?!\n)/u.test(text.slice(start, to)) ? undefined : to;
}
