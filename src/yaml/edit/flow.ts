import { EVENT_ID, SCALAR_STYLE } from "js-yaml";
import { onceFor } from "../../base/grouped.ts";
import { eventAt } from "../read/event-table.ts";
import { endOf, endOfTree, ownEntries, startOf, type Entry } from "../read/node.ts";
import { NONE, type YamlTree } from "../read/tree.ts";
import { behindColon, eolAt, lineStart } from "./lines.ts";
import { flowEntries, flowSeparator, flowValue, type FlowStyle, type NewEntry } from "./render.ts";
import type { Splice } from "./splice.ts";

/**
 * Inserts entries into a flow mapping: after `after`, else before the first entry. `kept` is the number of entries that
 * stay; 0 if the new entries replace all.
 */
export function flowInsert(
  tree: YamlTree,
  mapping: number,
  keyNode: number,
  entries: readonly NewEntry[],
  after?: Entry,
  kept?: number,
): Splice[] {
  const existing = ownEntries(tree, mapping);
  const style = flowStyle(tree, mapping, keyNode, existing);
  const separator = flowSeparator(style);
  const text = flowEntries(entries, style);
  const first = existing[0];
  if (after !== undefined) return [{ offset: endOfEntry(tree, after), remove: 0, insert: separator + text }];
  if (first === undefined)
    return [{ offset: endOfEmptyLine(tree, mapping) ?? braceOf(tree, mapping) + 1, remove: 0, insert: text }];
  const stays = (kept ?? existing.length) > 0;
  return [{ offset: startOf(tree, first.keyNode), remove: 0, insert: stays ? text + separator : text }];
}

const EMPTY_LINE = /[ \t]*\r?\n[ \t]*(?=\r?\n)/uy;

/** The end of the line in an empty mapping from which the merge driver has removed the only entries. */
function endOfEmptyLine(tree: YamlTree, mapping: number): number | undefined {
  EMPTY_LINE.lastIndex = braceOf(tree, mapping) + 1;
  return EMPTY_LINE.test(tree.text) ? EMPTY_LINE.lastIndex : undefined;
}

/** After the value of an entry. Without a value, after its colon and a space: `{key: , …}`. */
function endOfEntry(tree: YamlTree, { keyNode, valueNode }: Entry): number {
  const end = endOfTree(tree, valueNode);
  const colon = behindColon(tree, keyNode);
  if (end >= colon) return end;
  return tree.text[colon] === " " ? colon + 1 : colon;
}

// White space and comments, up to the comma after an entry.
const COMMA_BEHIND = /(?:\s|(?<=\s)#[^\r\n]*(?=[\r\n]|$))*,/uy;

/** After the comma that follows an entry; the end of the entry if there is none. */
function behindComma(text: string, end: number): number {
  COMMA_BEHIND.lastIndex = end;
  return COMMA_BEHIND.test(text) ? COMMA_BEHIND.lastIndex : end;
}

/** The offset of the opening brace of a flow mapping: its tag and anchor are before it. */
function braceOf(tree: YamlTree, mapping: number): number {
  const event = eventAt(tree.events, mapping);
  return event?.type === EVENT_ID.MAPPING ? event.start : 0;
}

/** Removes entries of a flow mapping, each with a comma. */
export function flowRemove(tree: YamlTree, mapping: number, gone: readonly Entry[]): Splice[] {
  const existing = ownEntries(tree, mapping);
  const goneKeys = new Set(gone.map(({ keyNode }) => keyNode));
  const splices: Splice[] = [];
  let lastKept: Entry | undefined;
  for (let i = 0; i < existing.length; i++) {
    const entry = existing[i];
    if (entry === undefined) continue;
    if (!goneKeys.has(entry.keyNode)) {
      lastKept = entry;
      continue;
    }
    let end = i;
    while (goneKeys.has(existing[end + 1]?.keyNode ?? NONE)) end += 1;
    const next = existing[end + 1];
    const last = existing[end] ?? entry;
    const from =
      next === undefined && lastKept !== undefined ? endOfEntry(tree, lastKept) : startOf(tree, entry.keyNode);
    let to = next === undefined ? endOfEntry(tree, last) : startOf(tree, next.keyNode);
    // The comma after the last entry is removed with it: `{ , }` is not a mapping.
    if (next === undefined && lastKept === undefined) to = behindComma(tree.text, to);
    splices.push({ offset: from, remove: to - from, insert: "" });
    i = end;
  }
  return splices;
}

/** Replaces the null value or the alias of an entry in a flow mapping with a mapping. */
export function flowReplaceValue(tree: YamlTree, parent: number, entry: Entry, entries: readonly NewEntry[]): Splice[] {
  const style = flowStyle(tree, parent, entry.keyNode, ownEntries(tree, parent));
  const value = flowValue(entries, style);
  const event = eventAt(tree.events, entry.valueNode);
  const isWritten =
    event?.type === EVENT_ID.ALIAS ||
    (event?.type === EVENT_ID.SCALAR && (event.valueStart >= 0 || event.tagStart >= 0));
  if (isWritten) {
    const offset = startOf(tree, entry.valueNode);
    return [{ offset, remove: endOf(tree, entry.valueNode) - offset, insert: value }];
  }
  const colon = behindColon(tree, entry.keyNode);
  return colon === NONE
    ? [{ offset: endOf(tree, entry.keyNode), remove: 0, insert: `: ${value}` }]
    : [{ offset: colon, remove: 0, insert: ` ${value}` }];
}

/** Whether a blank follows the comma between two entries; in a mapping with fewer, the first such comma of the text. */
function hasBlanks(tree: YamlTree, [first, second]: readonly Entry[]): boolean {
  if (first === undefined || second === undefined) return beginsWithBlanks(tree);
  return /\s/u.test(tree.text[startOf(tree, second.keyNode) - 1] ?? "");
}

const beginsWithBlanks: (tree: YamlTree) => boolean = onceFor(
  ({ text }: YamlTree) => /["}\]],(\s?)"/u.exec(text)?.[1] === " ",
);

/** Finds how the entries of a flow mapping, or of its parent, are written. */
function flowStyle(tree: YamlTree, mapping: number, keyNode: number, own: readonly Entry[]): FlowStyle {
  const { text } = tree;
  const first = own[0];
  const model = first?.keyNode ?? keyNode;
  const event = eventAt(tree.events, model);
  const quoteKeys = event?.type === EVENT_ID.SCALAR && event.style === SCALAR_STYLE.DOUBLE_QUOTED;
  const colon = model === NONE ? NONE : behindColon(tree, model);
  // After an unquoted key, the colon needs a space.
  const isCompact = quoteKeys && colon !== NONE && !/\s/u.test(text[colon] ?? " ");
  const style: FlowStyle = {
    quoteKeys,
    colon: isCompact ? ":" : ": ",
    comma: isCompact && !hasBlanks(tree, own) ? "," : ", ",
    lines: undefined,
  };
  const brace = braceOf(tree, mapping);
  const start = first === undefined ? endOfEmptyLine(tree, mapping) : startOf(tree, first.keyNode);
  if (start === undefined) return style;
  const from = lineStart(tree, start);
  const indent = text.slice(from, start);
  if (from <= brace || !/^[ \t]*$/u.test(indent)) return style;
  const outer = /^[ \t]*/u.exec(text.slice(lineStart(tree, brace)))?.[0] ?? "";
  const step = indent.length > outer.length ? indent.slice(outer.length) : "  ";
  return { ...style, lines: { indent, step, eol: eolAt(tree, brace) } };
}
