import {
  isMap,
  isScalar,
  isSeq,
  parseAllDocuments,
  stringify,
  type Document,
  type Node,
  type Pair,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import { RollstampError } from "../../base/errors.ts";
import { Lines } from "../../yaml/read/position.ts";

// Inserts values into YAML files of the user without changing any other byte. The library `yaml` finds the offsets; printing
// its document would re-indent lists and fold lines.

/** A value to insert, printed in the style of the file. */
export type Value = string | number | boolean | readonly Value[] | { readonly [key: string]: Value };

/** A file to insert into. If it has several documents, the last one is used. */
export interface Authored {
  readonly text: string;
  readonly document: Document.Parsed;
  readonly style: Style;
}

interface Style {
  readonly eol: string;
  /** Columns from a key to the keys of its mapping. */
  readonly step: number;
  /** Columns from a key to the dashes of its list. */
  readonly dash: number;
}

/** Reads a file. Throws a RollstampError if it is not a YAML mapping. */
export function readAuthored(text: string, file: string): Authored {
  const documents = parseAllDocuments(text, { keepSourceTokens: false });
  const list = Array.isArray(documents) ? documents : [];
  for (const { errors } of list) {
    const error = errors[0];
    // The first line is the reason; the others quote the file.
    if (error !== undefined)
      throw wrong(text, file, error.pos[0], error.message.split("\n")[0]?.replace(/ at line .*$/u, "") ?? "");
  }
  const document = list.at(-1);
  if (document === undefined || !isMap(document.contents)) {
    throw wrong(text, file, document?.range[0] ?? 0, "the file must be a mapping");
  }
  return { text, document, style: styleOf(text, document.contents) };
}

function wrong(text: string, file: string, offset: number, message: string): RollstampError {
  return new RollstampError("input", message, {
    place: new Lines(text).placeAt(file, offset),
    remedy: "Fix the file first.",
  });
}

/** The value at a path. */
export function valueAt(authored: Authored, path: readonly string[]): unknown {
  const node: unknown = authored.document.getIn(path, true);
  return isSeq(node) || isMap(node) || isScalar(node) ? node.toJSON() : undefined;
}

/** Appends a value to the list at a path, and creates what is missing on the way. */
export function addToList(authored: Authored, path: readonly string[], value: Value): string {
  const list: unknown = authored.document.getIn(path, true);
  if (isSeq(list) && list.items.length > 0)
    return spliced(authored, list.flow === true ? flowItem(list, value) : blockItem(authored, list, value));
  return addKey(authored, path, [value]);
}

/** Sets a key that is missing or empty, and creates what is missing on the way. */
export function addKey(authored: Authored, path: readonly string[], value: Value): string {
  const { document } = authored;
  let parent: unknown = document.contents;
  let depth = 0;
  for (; depth < path.length - 1; depth++) {
    const next: unknown = isMap(parent) ? parent.get(path[depth], true) : undefined;
    if (!isMap(next)) break;
    parent = next;
  }
  if (!isMap(parent)) throw new Error("the document must be a mapping");
  const key = path[depth] ?? "";
  let nested = value;
  for (const outer of path.slice(depth + 1).toReversed()) nested = { [outer]: nested };
  const entry = parent.items.find((pair) => isScalar(pair.key) && pair.key.value === key);
  if (entry !== undefined) return spliced(authored, fillEntry(authored, entry, nested));
  return spliced(
    authored,
    parent.flow === true ? flowEntry(parent, { [key]: nested }) : blockEntry(authored, parent, { [key]: nested }),
  );
}

interface Insertion {
  readonly offset: number;
  readonly remove: number;
  readonly insert: string;
}

function spliced({ text }: Authored, { offset, remove, insert }: Insertion): string {
  return text.slice(0, offset) + insert + text.slice(offset + remove);
}

function blockItem(authored: Authored, list: YAMLSeq, value: Value): Insertion {
  const last = list.items.at(-1);
  const range = rangeOf(last);
  const { text } = authored;
  const line = lineStartOf(text, range[0]);
  const indent = text.slice(line, text.indexOf("-", line));
  return linesAfter(authored, range[1], asItem(value, indent, authored.style));
}

/** The lines of an item of a block list. */
function asItem(value: Value, indent: string, style: Style): string[] {
  return print(value, style).map((line, i) => `${indent}${i === 0 ? "- " : "  "}${line}`);
}

function blockEntry(authored: Authored, parent: YAMLMap, entry: { readonly [key: string]: Value }): Insertion {
  const { text, style } = authored;
  const first = parent.items[0];
  const last = parent.items.at(-1);
  const start = first === undefined ? 0 : rangeOf(first.key)[0];
  const indent = " ".repeat(start - lineStartOf(text, start));
  const end = last === undefined ? text.length : rangeOf(last.value ?? last.key)[1];
  return linesAfter(
    authored,
    end,
    print(entry, style).map((line) => indent + line),
  );
}

/** Fills a key without a value, or with an empty list or mapping. */
function fillEntry(authored: Authored, entry: Pair, value: Value): Insertion {
  const { text, style } = authored;
  const [start, keyEnd] = rangeOf(entry.key);
  const colon = text.indexOf(":", keyEnd) + 1;
  const end = entry.value === null ? colon : Math.max(rangeOf(entry.value)[1], colon);
  const indent = " ".repeat(start - lineStartOf(text, start));
  const [, ...lines] = print({ key: value }, style).map((line) => indent + line);
  return { offset: colon, remove: end - colon, insert: lines.map((line) => style.eol + line).join("") };
}

function flowItem(list: YAMLSeq, value: Value): Insertion {
  return { offset: rangeOf(list.items.at(-1))[1], remove: 0, insert: `, ${printFlow(value)}` };
}

function flowEntry(parent: YAMLMap, entry: { readonly [key: string]: Value }): Insertion {
  const inner = printFlow(entry).replace(/^\{\s*|\s*\}$/gu, "");
  const last = parent.items.at(-1);
  if (last === undefined) return { offset: rangeOf(parent)[0] + 1, remove: 0, insert: inner };
  return { offset: rangeOf(last.value ?? last.key)[1], remove: 0, insert: `, ${inner}` };
}

/** Inserts lines after the line of `offset`. */
function linesAfter({ text, style }: Authored, offset: number, lines: readonly string[]): Insertion {
  // A block scalar ends after its line break.
  const next = text[offset - 1] === "\n" ? offset : lineEndOf(text, offset);
  const atLineStart = next === 0 || text[next - 1] === "\n";
  const insert = lines.map((line) => (atLineStart ? line + style.eol : style.eol + line)).join("");
  return { offset: next, remove: 0, insert };
}

function lineStartOf(text: string, offset: number): number {
  return text.lastIndexOf("\n", offset - 1) + 1;
}

/** The offset after the line break of the line of `offset`, or the end of the text. */
function lineEndOf(text: string, offset: number): number {
  const end = text.indexOf("\n", offset);
  return end < 0 ? text.length : end + 1;
}

function print(value: Value, { step, dash }: Style): string[] {
  return stringify(value, { indent: step, indentSeq: dash > 0, lineWidth: 0 })
    .trimEnd()
    .split("\n");
}

function printFlow(value: Value): string {
  return stringify(value, { collectionStyle: "flow", lineWidth: 0, flowCollectionPadding: false }).trimEnd();
}

function rangeOf(node: unknown): readonly [number, number] {
  const { range } = (node ?? {}) as Partial<Node>;
  return range === undefined || range === null ? [0, 0] : [range[0], range[1]];
}

/** The indentation of a file, from its first nested mapping and its first nested list. */
function styleOf(text: string, root: YAMLMap): Style {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  let step: number | undefined;
  let dash: number | undefined;
  const column = (offset: number): number => offset - lineStartOf(text, offset);
  const visit = (map: YAMLMap): void => {
    for (const { key, value } of map.items) {
      const start = column(rangeOf(key)[0]);
      if (isMap(value) && value.flow !== true && value.items.length > 0) {
        step ??= column(rangeOf(value.items[0]?.key)[0]) - start;
        visit(value);
      }
      if (isSeq(value) && value.flow !== true && value.items.length > 0) {
        const line = lineStartOf(text, rangeOf(value.items[0])[0]);
        dash ??= text.indexOf("-", line) - line - start;
        for (const item of value.items) if (isMap(item)) visit(item);
      }
    }
  };
  visit(root);
  return { eol, step: step !== undefined && step > 0 ? step : 2, dash: dash ?? 2 };
}
