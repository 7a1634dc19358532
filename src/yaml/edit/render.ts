import { countBefore } from "../../base/sorted.ts";
import type { Entry } from "../read/node.ts";

/** A value as a double-quoted scalar that YAML 1.1, YAML 1.2 and JSON read in the same way. */
export function quote(value: string): string {
  return escapeBreaks(JSON.stringify(value));
}

/** Escapes what JSON leaves as it is, and what YAML forbids or reads as line breaks. */
export function escapeBreaks(json: string): string {
  return json.replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/gu,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** The value of an entry: a string, or the number of a field that is not an annotation. */
export type ScalarValue = string | number;

/** Values under a key, nested if the mapping for them is still missing. */
export type NewEntry = readonly [key: string, value: ScalarValue | readonly NewEntry[]];

/** A value as a scalar: strings quoted, numbers as they are. */
export function renderScalar(value: ScalarValue): string {
  return typeof value === "number" ? String(value) : quote(value);
}

// Words of three letters and more that a reader of YAML 1.1 or 1.2 does not read as a string.
const NO_TEXT = /^(?:true|false|null|yes|off)$/iu;
const NO_WORD = /^(?:true|false|null|yes|no|on|off|y|n)$/iu;

/** Whether every reader of YAML reads a word without quotes as this string: a name, a kind, an apiVersion. */
export function isPlainWord(word: string): boolean {
  return /^[A-Za-z][-./A-Za-z0-9]*$/u.test(word) && !NO_WORD.test(word);
}

/** A key: plain if every YAML reader reads it as this string, else double-quoted. */
export function renderKey(key: string): string {
  const isPath = /^[A-Za-z][A-Za-z0-9._/-]*$/u.test(key) && key.includes("/");
  const isWord = /^[A-Za-z]{3,}(?:-[A-Za-z]+)*$/u.test(key) && !NO_TEXT.test(key);
  return isPath || isWord ? key : quote(key);
}

/** Entries as lines of a block, with their indentation and without a line break at the end. */
export function blockLines(entries: readonly NewEntry[], column: number, step: number): string[] {
  const lines: string[] = [];
  const indent = " ".repeat(column);
  for (const [key, value] of entries) {
    if (typeof value !== "object") lines.push(`${indent}${renderKey(key)}: ${renderScalar(value)}`);
    else lines.push(`${indent}${renderKey(key)}:`, ...blockLines(value, column + step, step));
  }
  return lines;
}

/** How a flow mapping is written around the new entries. */
export interface FlowStyle {
  readonly quoteKeys: boolean;
  /** `: `, or `:` as in compact JSON. */
  readonly colon: string;
  /** `, ` or `,`; not used if each entry has its own line. */
  readonly comma: string;
  /** The indentation of an entry and of a level, if each entry has its own line. */
  readonly lines: { readonly indent: string; readonly step: string; readonly eol: string } | undefined;
}

/** The separator of two entries. */
export function flowSeparator(style: FlowStyle): string {
  return style.lines === undefined ? style.comma : `,${style.lines.eol}${style.lines.indent}`;
}

/** Entries in flow style, without braces. */
export function flowEntries(entries: readonly NewEntry[], style: FlowStyle): string {
  return entries
    .map(([key, value]) => `${style.quoteKeys ? quote(key) : renderKey(key)}${style.colon}${flowValue(value, style)}`)
    .join(flowSeparator(style));
}

/** A value in flow style: a string, or a mapping with its braces. */
export function flowValue(value: ScalarValue | readonly NewEntry[], style: FlowStyle): string {
  if (typeof value !== "object") return renderScalar(value);
  if (style.lines === undefined) return `{${flowEntries(value, style)}}`;
  const { indent, step, eol } = style.lines;
  const inner: FlowStyle = { ...style, lines: { indent: indent + step, step, eol } };
  return `{${eol}${indent}${step}${flowEntries(value, inner)}${eol}${indent}}`;
}

// The order of our entries in a mapping, which does not depend on the order of the references.

const byBytes = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** A fixed order keeps diffs small. */
export function sorted(entries: readonly (readonly [string, ScalarValue])[]): [string, ScalarValue][] {
  return entries.map(([key, value]): [string, ScalarValue] => [key, value]).sort((a, b) => byBytes(a[0], b[0]));
}

const OWN_DOMAIN = /^(?:[a-z]+\.)?rollstamp\.dev\//u;

/** Returns the last of our existing entries that sorts before a key. An index, as both may be many. */
export function lastOwnEntryBefore(kept: readonly Entry[]): (key: string) => Entry | undefined {
  const ours = kept.flatMap((entry, at) => (OWN_DOMAIN.test(entry.key) ? [{ entry, at }] : []));
  ours.sort((a, b) => byBytes(a.entry.key, b.entry.key));
  // For each entry: the one that comes last in the text, among this entry and those that sort before it.
  const last = ours.map((one) => one);
  for (let i = 1; i < last.length; i++) {
    const [before, here] = [last[i - 1], last[i]];
    if (before !== undefined && here !== undefined && before.at > here.at) last[i] = before;
  }
  return (key) => {
    if (!OWN_DOMAIN.test(key)) return undefined;
    return last[countBefore(ours.length, (i) => byBytes(ours[i]?.entry.key ?? "", key) < 0) - 1]?.entry;
  };
}
