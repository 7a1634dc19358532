import { isMap, isScalar, isSeq, parseAllDocuments, type Document, type Node, type Pair, type YAMLMap } from "yaml";
import { RollstampError } from "../../base/errors.ts";
import { Lines } from "../../yaml/read/position.ts";

// Inserts lines into YAML files of the user without changing any other byte. The library `yaml` finds the offsets; printing
// its document would re-indent lists and fold lines.

/** A file to insert into. If it has several documents, the last one is used. */
export interface Authored {
  readonly text: string;
  readonly document: Document.Parsed;
}

/** Reads a file. Throws a RollstampError if it is not a YAML mapping. */
export function readAuthored(text: string, file: string): Authored {
  const wrong = (offset: number, message: string): RollstampError =>
    new RollstampError("input", message, {
      place: new Lines(text).placeAt(file, offset),
      remedy: "Fix the file first.",
    });
  const documents = parseAllDocuments(text, { keepSourceTokens: false });
  const list = Array.isArray(documents) ? documents : [];
  const [error] = list.flatMap(({ errors }) => errors);
  // The first line is the reason; the others quote the file.
  if (error !== undefined) throw wrong(error.pos[0], error.message.split("\n")[0]?.replace(/ at line .*$/u, "") ?? "");
  const document = list.at(-1);
  if (document === undefined || !isMap(document.contents))
    throw wrong(document?.range[0] ?? 0, "the file must be a mapping");
  return { text, document };
}

/** The value at a path. */
export function valueAt({ document }: Authored, path: readonly string[]): unknown {
  const node: unknown = document.getIn(path, true);
  return isSeq(node) || isMap(node) || isScalar(node) ? node.toJSON() : undefined;
}

/** Appends an item to the list at a path, and creates what is missing on the way. The lines are those of a block item. */
export function addToList(authored: Authored, path: readonly string[], item: readonly string[]): string {
  const { text, document } = authored;
  const list: unknown = document.getIn(path, true);
  const last = isSeq(list) ? list.items.at(-1) : undefined;
  if (!isSeq(list) || last === undefined) {
    // As far from the key as in the first other list.
    const [, key = "", dash = "  "] = /^([ -]*)[^\s#-][^\n#]*:[ \t]*(?:#.*)?\r?\n([ ]*)-(?=\s)/mu.exec(text) ?? [];
    return addKey(authored, path, asItem(item, dash.slice(key.length)));
  }
  const [start, end] = rangeOf(last);
  if (list.flow === true) return insertAt(text, end, `, ${inFlow(item)}`);
  const line = text.lastIndexOf("\n", start - 1) + 1;
  return insertAfterLine(text, end, asItem(item, text.slice(line, text.indexOf("-", line))));
}

/** Sets a key that is missing or empty, and creates what is missing on the way: to a word, or to a block of lines. */
export function addKey(authored: Authored, path: readonly string[], value: string | readonly string[]): string {
  const { text, document } = authored;
  let parent: unknown = document.contents;
  let depth = 0;
  for (; depth < path.length - 1; depth++) {
    const next: unknown = isMap(parent) ? parent.get(path[depth], true) : undefined;
    if (!isMap(next)) break;
    parent = next;
  }
  if (!isMap(parent)) throw new Error("the document must be a mapping");
  const keys = path.slice(depth);
  const [key = ""] = keys;
  const entry = parent.items.find((pair) => isScalar(pair.key) && pair.key.value === key);
  const first = rangeOf(entry?.key ?? parent.items[0]?.key)[0];
  const indent = " ".repeat(first - (text.lastIndexOf("\n", first - 1) + 1));
  const lines = nested(keys, value).map((line) => indent + line);
  if (entry !== undefined) return fillEntry(text, entry, lines.slice(1));
  if (parent.flow === true) return insertIntoFlow(text, parent, keys, value);
  const last = parent.items.at(-1);
  return insertAfterLine(text, last === undefined ? text.length : rangeOf(last.value ?? last.key)[1], lines);
}

function nested([key = "", ...below]: readonly string[], value: string | readonly string[]): string[] {
  if (below.length === 0) return typeof value === "string" ? [`${key}: ${value}`] : [`${key}:`, ...value];
  return [`${key}:`, ...nested(below, value).map((line) => `  ${line}`)];
}

function asItem(item: readonly string[], indent: string): string[] {
  return item.map((line, i) => `${indent}${i === 0 ? "- " : "  "}${line}`);
}

/** An item of a single line in a flow list. */
function inFlow([line = ""]: readonly string[]): string {
  return line.includes(": ") ? `{${line}}` : line;
}

function insertIntoFlow(
  text: string,
  parent: YAMLMap,
  keys: readonly string[],
  value: string | readonly string[],
): string {
  const list = typeof value === "string" ? value : `[${inFlow(value.map((line) => line.replace(/^\s*- /u, "")))}]`;
  const inner = keys.reduceRight((made, key, i) => (i === 0 ? `${key}: ${made}` : `{${key}: ${made}}`), list);
  const last = parent.items.at(-1);
  if (last === undefined) return insertAt(text, rangeOf(parent)[0] + 1, inner);
  return insertAt(text, rangeOf(last.value ?? last.key)[1], `, ${inner}`);
}

/** Fills a key without a value, or with an empty list or mapping. */
function fillEntry(text: string, { key, value }: Pair, lines: readonly string[]): string {
  const colon = text.indexOf(":", rangeOf(key)[1]) + 1;
  const end = value === null ? colon : Math.max(rangeOf(value)[1], colon);
  return text.slice(0, colon) + lines.map((line) => eolOf(text) + line).join("") + text.slice(end);
}

function insertAt(text: string, offset: number, insert: string): string {
  return text.slice(0, offset) + insert + text.slice(offset);
}

/** Inserts lines after the line of `offset`. */
function insertAfterLine(text: string, offset: number, lines: readonly string[]): string {
  const eol = eolOf(text);
  // A block scalar ends after its line break.
  const lineEnd = text[offset - 1] === "\n" ? offset - 1 : text.indexOf("\n", offset);
  const next = lineEnd < 0 ? text.length : lineEnd + 1;
  const isLineStart = next === 0 || text[next - 1] === "\n";
  return insertAt(text, next, lines.map((line) => (isLineStart ? line + eol : eol + line)).join(""));
}

/** The line break of a file. */
export function eolOf(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}

function rangeOf(node: unknown): readonly [number, number] {
  const { range } = (node ?? {}) as Partial<Node>;
  return range === undefined || range === null ? [0, 0] : [range[0], range[1]];
}
