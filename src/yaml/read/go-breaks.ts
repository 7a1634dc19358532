import { CHOMPING_MODE, getScalarValue, SCALAR_STYLE, type ScalarEvent } from "js-yaml";
import { isJsonText } from "./json-values.ts";

// To Go's readers three more characters break lines (yamlprivateh.go, is_break): U+0085, which they read as
// a line feed, and U+2028 and U+2029, which stay what they are and are never folded. YAML 1.2 has them as
// any other character, and so has JSON.

/** True where a text holds such characters, and is no JSON. */
export function hasOtherBreaks(text: string): boolean {
  // Each is a search for one character, which takes no time; hardly any text has one.
  const isThere = text.includes("\u0085") || text.includes("\u2028") || text.includes("\u2029");
  return isThere && !isJsonText(text);
}

/** The same text with line feeds in their places: what it consists of is read of that, at the same offsets. */
export function withUsualBreaks(text: string): string {
  return text.replace(/[\u0085\u2028\u2029]/gu, "\n");
}

/** The text of a scalar as Go's readers decode it (scannerc.go), for texts with such characters. */
export function goScalarText(text: string, event: ScalarEvent): string {
  if (event.valueStart < 0) return "";
  const raw = text.slice(event.valueStart, event.valueEnd);
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
// Blanks are gone over from the first of them only: a search from each would take their number squared.
const RUN = `(?<breaks>(?:(?<![ \\t])[ \\t]+)?${ONE}${MORE})`;
const BREAKS = new RegExp(RUN, "gu");
const ESCAPE_OR_BREAKS = new RegExp(`\\\\(?:(?<escaped>${ONE}${MORE})|[^])|${RUN}`, "gu");

/** What stands between breaks, decoded, and what the breaks come to. */
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

/** A break as it is read: only the two of Unicode stay what they are. */
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
    // At its end, kubectl's reader of lines puts a break.
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
