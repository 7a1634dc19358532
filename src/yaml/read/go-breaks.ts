import { CHOMPING_MODE, getScalarValue, SCALAR_STYLE, type ScalarEvent } from "js-yaml";
import { isJsonText } from "./json-values.ts";

// For Go's readers, three more characters break lines (yamlprivateh.go, is_break): U+0085, which they read as a line
// feed, and U+2028 and U+2029, which are kept and never folded. For YAML 1.2 and JSON they are ordinary characters.

/** One such character. */
export const OTHER_BREAK: RegExp = /[\u0085\u2028\u2029]/u;

/** True if the text contains such characters and is not JSON. */
export function hasOtherBreaks(text: string): boolean {
  // Each search looks for one character, which is fast. Texts rarely contain one.
  const isThere = text.includes("\u0085") || text.includes("\u2028") || text.includes("\u2029");
  return isThere && !isJsonText(text);
}

const EACH_BREAK = new RegExp(OTHER_BREAK, "gu");

/** The text with line feeds instead of these characters. It is parsed in place of the text, with the same offsets. */
export function withUsualBreaks(text: string): string {
  return text.replaceAll(EACH_BREAK, "\n");
}

/**
 * Decodes a scalar as Go's readers do (scannerc.go). js-yaml decodes the same text, except for such characters, and for
 * empty lines after an escaped line break in double quotes: it drops them, and Go's readers (and YAML 1.2) read a line
 * feed for each.
 */
export function goScalarText(text: string, event: ScalarEvent, otherBreaks: boolean): string {
  if (event.valueStart < 0) return "";
  const raw = text.slice(event.valueStart, event.valueEnd);
  const value = textOf(text, raw, event, otherBreaks);
  return event.style === SCALAR_STYLE.DOUBLE_QUOTED && ESCAPED_SURROGATE.test(raw)
    ? value.replace(/\p{Cs}/gu, "\ufffd")
    : value;
}

// Go's strings are UTF-8: encoding/json reads half of a pair as U+FFFD.
const ESCAPED_SURROGATE = /\\[uU](?:0000)?[dD][89a-fA-F]/u;

function textOf(text: string, raw: string, event: ScalarEvent, otherBreaks: boolean): string {
  if (!otherBreaks && !(event.style === SCALAR_STYLE.DOUBLE_QUOTED && ESCAPED_BREAK.test(raw)))
    return getScalarValue(text, event);
  switch (event.style) {
    case SCALAR_STYLE.LITERAL_BLOCK:
    case SCALAR_STYLE.FOLDED_BLOCK:
      return blockText(raw, event);
    case SCALAR_STYLE.DOUBLE_QUOTED:
      return joined(raw, ESCAPE_OR_BREAKS, (part) => decoded(part, event));
    case SCALAR_STYLE.SINGLE_QUOTED:
      return joined(raw, BREAKS, (part) => part.replaceAll("''", "'"));
    default:
      return joined(raw, BREAKS, (part) => part);
  }
}

const ONE = String.raw`(?:\r\n|[\r\n\u0085\u2028\u2029])`;
const MORE = `(?:[ \\t]*${ONE})*[ \\t]*`;
// Scans blanks from the first one only: a scan from each of them is quadratic. An escaped blank is content.
const RUN = `(?<breaks>(?:(?<!(?<!\\\\)[ \\t])[ \\t]+)?${ONE}${MORE})`;
const BREAKS = new RegExp(RUN, "gu");
const ESCAPED_BREAK = /\\[\r\n]/u;
const ESCAPE_OR_BREAKS = new RegExp(`\\\\(?:(?<escaped>${ONE}${MORE})|[^])|${RUN}`, "gu");

/** The decoded text between breaks, and the result of the breaks. */
function joined(raw: string, breaks: RegExp, decode: (part: string) => string): string {
  let result = "";
  let from = 0;
  for (const match of raw.matchAll(breaks)) {
    const { breaks: run, escaped } = match.groups ?? {};
    if (run === undefined && escaped === undefined) continue;
    result += decode(raw.slice(from, match.index));
    const [first = "", ...others] = breaksOf(run ?? escaped ?? "");
    const rest = others.join("");
    if (escaped !== undefined) result += rest;
    else if (first === "\n") result += rest === "" ? " " : rest;
    else result += first + rest;
    from = match.index + match[0].length;
  }
  return result + decode(raw.slice(from));
}

function breaksOf(run: string): string[] {
  return (run.match(new RegExp(ONE, "gu")) ?? []).map(usual);
}

/** A break as Go's readers decode it: only the two of Unicode are kept. */
function usual(lineBreak: string): string {
  return lineBreak === "\u2028" || lineBreak === "\u2029" ? lineBreak : "\n";
}

function decoded(part: string, event: ScalarEvent): string {
  return getScalarValue(part, { ...event, valueStart: 0, valueEnd: part.length, fast: false });
}

function blockText(raw: string, { style, indent, chomping }: ScalarEvent): string {
  const isFolded = style === SCALAR_STYLE.FOLDED_BLOCK;
  let result = "";
  let leading = "";
  let trailing = "";
  let wasBlank = false;
  for (const [, line = "", end = ""] of raw.matchAll(new RegExp(`([^\\r\\n\\u0085\\u2028\\u2029]*)(${ONE}|$)`, "gu"))) {
    const content = indent < 0 ? "" : line.slice(indent);
    // At the end of the text, kubectl's line reader adds a break.
    const lineBreak = end === "" ? "\n" : usual(end);
    if (content === "") {
      if (end !== "") trailing += lineBreak;
      continue;
    }
    const isBlank = /^[ \t]/u.test(content);
    if (isFolded && leading === "\n" && !wasBlank && !isBlank) result += trailing === "" ? " " : "";
    else result += leading;
    result += trailing + content;
    [leading, trailing, wasBlank] = [lineBreak, "", isBlank];
  }
  if (chomping === CHOMPING_MODE.STRIP) return result;
  return result + leading + (chomping === CHOMPING_MODE.KEEP ? trailing : "");
}
