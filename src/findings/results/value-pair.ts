import { sumOf } from "../../base/grouped.ts";
import type { Json } from "../../yaml/read/node.ts";
import { escapedUnits, printable } from "./terminal.ts";

/** Longer values are shortened to the part that differs. */
const LONGEST_VALUE = 60;
/** How much context is shown around the part that differs. */
const AROUND = 12;
/** How much of a long difference is shown, from its beginning. */
const MOST_DIFFERING = 120;
const LEFT_OUT = "…";

/** Two different values as they are printed, which never look equal. */
export interface ShownPair {
  readonly from: string;
  readonly to: string;
}

export interface PairOptions {
  /** The maximum number of characters; by default a line's worth. */
  readonly longest?: number;
}

/**
 * Two different values, each in one line. Long values lose their common beginning and end. If they would look equal,
 * invisible characters are escaped: a number and the same number as a string, a space at the end, control characters
 * and their escapes.
 */
export function valuePair(from: Json, to: Json, { longest = LONGEST_VALUE }: PairOptions = {}): ShownPair {
  const pair = shown([...lineOf(from)], [...lineOf(to)], longest);
  return looksOf(pair.from) === looksOf(pair.to) ? shown(exactly(from), exactly(to), longest) : pair;
}

/** A value in one line, shortened at its end, but not in its first `atLeast` characters. */
export function shownValue(value: Json, atLeast = 0): string {
  const characters = [...lineOf(value)];
  const longest = Math.max(LONGEST_VALUE, atLeast);
  return characters.length <= longest
    ? characters.join("")
    : `${characters.slice(0, Math.max(LONGEST_VALUE - 1, atLeast)).join("")}${LEFT_OUT}`;
}

/** An empty string is invisible. */
function lineOf(value: Json): string {
  return typeof value === "string" && value !== "" ? value : JSON.stringify(value);
}

function shown(from: readonly string[], to: readonly string[], longest: number): ShownPair {
  if (lengthOf(from) <= longest && lengthOf(to) <= longest) return { from: from.join(""), to: to.join("") };
  const least = Math.min(from.length, to.length);
  let start = 0;
  while (start < least && from[start] === to[start]) start += 1;
  let end = 0;
  while (end < least - start && from.at(-1 - end) === to.at(-1 - end)) end += 1;
  return { from: part(from, start, end), to: part(to, start, end) };
}

/**
 * A string without most of what it has in common with the other one: its first `start` and last `end` characters are cut.
 */
function part(text: readonly string[], start: number, end: number): string {
  // The ellipsis takes a place too: it replaces at least two characters.
  const first = start <= AROUND + 1 ? 0 : start - AROUND;
  const last = end <= AROUND + 1 ? text.length : text.length - end + AROUND;
  const kept = fitting(text.slice(first, last));
  return `${first === 0 ? "" : LEFT_OUT}${kept.join("")}${first + kept.length < text.length ? LEFT_OUT : ""}`;
}

/** The first pieces of a string, if it is too long to show. */
function fitting(pieces: readonly string[]): readonly string[] {
  if (lengthOf(pieces) <= MOST_DIFFERING + 2 * AROUND) return pieces;
  let length = 0;
  return pieces.slice(
    0,
    pieces.findIndex((piece) => (length += [...piece].length) > MOST_DIFFERING + AROUND),
  );
}

/** An escaped character is as long as its escape. */
function lengthOf(pieces: readonly string[]): number {
  return sumOf(pieces, (piece) => [...piece].length);
}

/** A string as a reader sees it: two that look equal are equal, as far as Unicode knows. */
function looksOf(text: string): string {
  return printable(text)
    .normalize("NFKC")
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .replace(/[\p{Cn}\p{Co}\p{Cs}]/gu, "\ufffd")
    .replace(/[\s\u2800]+/gu, " ")
    .trim();
}

/** A value as JSON in visible ASCII characters, one element per character: different values give different texts. */
function exactly(value: Json): readonly string[] {
  const text = JSON.stringify(value)
    .replace(/[^\x20-\x7e]/gu, escapedUnits)
    .replace(/ (?= )/gu, escapedUnits);
  return text.match(/\\u[0-9a-f]{4}|\\.|./gu) ?? [];
}
