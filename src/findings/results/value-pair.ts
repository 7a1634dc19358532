import type { Json } from "../../yaml/read/node.ts";
import { printable } from "./terminal.ts";

/** How long a value may be before only its part is shown that differs. */
const LONGEST_VALUE = 60;
/** What stands of it around the part that differs. */
const AROUND = 12;
/** How much of a long part that differs is shown: its beginning is where it differs. */
const MOST_DIFFERING = 120;
const LEFT_OUT = "…";

/** Two values that differ, as they are shown: never alike. */
export interface ShownPair {
  readonly from: string;
  readonly to: string;
}

export interface PairOptions {
  /** How many characters may stand; of more the part that differs. Absent: a line's worth. */
  readonly longest?: number;
}

/**
 * Two values that differ, each in one line. Of long ones what both have at their ends is left out. Values that would
 * look alike are written with every character that can't be seen: a number and the same as a text, a space at the
 * end, control characters beside the text that they are shown as.
 */
export function valuePair(from: Json, to: Json, { longest = LONGEST_VALUE }: PairOptions = {}): ShownPair {
  const pair = shown([...lineOf(from)], [...lineOf(to)], longest);
  return looksOf(pair.from) === looksOf(pair.to) ? shown(exactly(from), exactly(to), longest) : pair;
}

/** A value in one line, its end left out where it is long; never within its first `atLeast` characters. */
export function shownValue(value: Json, atLeast = 0): string {
  const characters = [...lineOf(value)];
  const longest = Math.max(LONGEST_VALUE, atLeast);
  return characters.length <= longest
    ? characters.join("")
    : `${characters.slice(0, Math.max(LONGEST_VALUE - 1, atLeast)).join("")}${LEFT_OUT}`;
}

/** An empty text has nothing to be seen by. */
function lineOf(value: Json): string {
  return typeof value === "string" && value !== "" ? value : JSON.stringify(value);
}

function shown(from: readonly string[], to: readonly string[], longest: number): ShownPair {
  if (from.length <= longest && to.length <= longest) return { from: from.join(""), to: to.join("") };
  const least = Math.min(from.length, to.length);
  let start = 0;
  while (start < least && from[start] === to[start]) start += 1;
  let end = 0;
  while (end < least - start && from.at(-1 - end) === to.at(-1 - end)) end += 1;
  return { from: part(from, start, end), to: part(to, start, end) };
}

/** A text without most of what it has in common with the other one: its first `start` and its last `end` characters. */
function part(text: readonly string[], start: number, end: number): string {
  // The mark takes a place as well: no single character gives way to it.
  const first = start <= AROUND + 1 ? 0 : start - AROUND;
  const last = end <= AROUND + 1 ? text.length : text.length - end + AROUND;
  const isLong = last - first > MOST_DIFFERING + 2 * AROUND;
  const kept = text.slice(first, isLong ? first + MOST_DIFFERING + AROUND : last).join("");
  return `${first === 0 ? "" : LEFT_OUT}${kept}${isLong || last < text.length ? LEFT_OUT : ""}`;
}

/** A text as a reader sees it: two that look alike are one, as far as Unicode tells. */
function looksOf(text: string): string {
  return printable(text)
    .normalize("NFKC")
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .replace(/[\p{Cn}\p{Co}\p{Cs}]/gu, "\ufffd")
    .replace(/[\s\u2800]+/gu, " ")
    .trim();
}

/** A value as JSON in characters of ASCII that can be seen: two values are two texts. An element for each character. */
function exactly(value: Json): readonly string[] {
  const text = JSON.stringify(value)
    .replace(/[^\x20-\x7e]/gu, escaped)
    .replace(/ (?= )/gu, escaped);
  return text.match(/\\u[0-9a-f]{4}|\\.|./gu) ?? [];
}

/** What JSON escapes a character as, or both halves of it. */
function escaped(character: string): string {
  return Array.from(
    { length: character.length },
    (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, "0")}`,
  ).join("");
}
