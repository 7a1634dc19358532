import { EVENT_ID } from "js-yaml";
import { typeAt } from "../read/event-table.ts";
import { endOf, ownEntries, startOf } from "../read/node.ts";
import { NONE, type YamlTree } from "../read/tree.ts";

// Most lines are short, and their ends near. JSON may be one line of megabytes: there the table of the
// text's lines is asked, which is made once, as a search for each edit takes quadratic time.
const NEAR = 2048;

const LF = 10;
const CR = 13;

/** What lines are asked of. */
type Text = Pick<YamlTree, "text" | "lines">;

const isBreak = (code: number): boolean => code === LF || code === CR;

/** The offset at which the line of `offset` begins. */
export function lineStart({ text, lines }: Text, offset: number): number {
  const near = Math.max(offset - NEAR, 0);
  for (let at = offset; at > near; at--) if (isBreak(text.charCodeAt(at - 1))) return at;
  return near === 0 ? 0 : lines.lineAt(offset).start;
}

/** The offset of the line break that ends the line of `offset`, or the text's length. */
export function lineEnd({ text, lines }: Text, offset: number): number {
  const near = Math.min(offset + NEAR, text.length);
  for (let at = offset; at < near; at++) if (isBreak(text.charCodeAt(at))) return at;
  if (near === text.length) return near;
  const { next } = lines.lineAt(offset);
  if (next === undefined) return text.length;
  return text.charCodeAt(next - 1) === LF && text.charCodeAt(next - 2) === CR ? next - 2 : next - 1;
}

/** The offset behind the line break that ends the line of `offset`, or the text's length. */
export function nextLine(tree: Text, offset: number): number {
  const end = lineEnd(tree, offset);
  return end + breakAt(tree.text, end).length;
}

function breakAt(text: string, offset: number): string {
  if (text[offset] === "\r") return text[offset + 1] === "\n" ? "\r\n" : "\r";
  return text[offset] === "\n" ? "\n" : "";
}

/** The line break in use around an offset: of its own line, else of the text's first one, else LF. */
export function eolAt(tree: Text, offset: number): string {
  return breakAt(tree.text, lineEnd(tree, offset)) || breakAt(tree.text, lineEnd(tree, 0)) || "\n";
}

/** The column (from 0) at which a key's entry begins: of its `?` where the key is explicit. */
export function columnOf(tree: YamlTree, keyNode: number): number {
  const start = startOf(tree, keyNode);
  const from = lineStart(tree, start);
  const line = tree.text.slice(from, start);
  const prefix = line.startsWith("\uFEFF") ? line.slice(1) : line;
  // Asked for every edit, and explicit keys are rare.
  const explicit = prefix.includes("?") ? /^(.*?)\?[ \t]+$/u.exec(prefix) : null;
  return explicit?.[1] === undefined ? prefix.length : explicit[1].length;
}

/** The column of the entries of a block mapping. */
export function columnOfEntries(tree: YamlTree, mapping: number): number {
  const first = ownEntries(tree, mapping)[0];
  return first === undefined ? 0 : columnOf(tree, first.keyNode);
}

const DEFAULT_STEP = 2;

/** By how many columns a block mapping stands to the right of the key that it belongs to. */
export function stepOf(tree: YamlTree, mapping: number): number {
  const keyNode = typeAt(tree.events, mapping - 1) === EVENT_ID.SCALAR ? mapping - 1 : NONE;
  if (keyNode === NONE) return DEFAULT_STEP;
  const step = columnOfEntries(tree, mapping) - columnOf(tree, keyNode);
  return step > 0 ? step : DEFAULT_STEP;
}

/** The offset behind the colon of an entry's key; NONE where a flow entry has a key only. */
export function behindColon(tree: YamlTree, keyNode: number): number {
  // Between a key and its colon stands white space; line breaks and comments only behind `? key`.
  const rest = /(?:[ \t]|\r?\n|(?<=\s)#[^\r\n]*)*/uy;
  rest.lastIndex = endOf(tree, keyNode);
  rest.exec(tree.text);
  const at = Math.max(rest.lastIndex, endOf(tree, keyNode));
  return tree.text[at] === ":" ? at + 1 : NONE;
}
