import { sourceRequire } from "../../base/source-require.ts";

// Regular expressions that users write, in RE2's language and with its guarantee: the time is linear
// in the name, whatever the expression.

/** An expression of a list of names. */
export interface NameExpression {
  readonly text: string;
  /** It is a plain name: what it names can be told missing. */
  readonly isName: boolean;
  /** True where it matches the whole name. */
  readonly matches: (name: string) => boolean;
}

/** An expression that RE2 does not take, and why. */
export interface BadExpression {
  readonly text: string;
  readonly problem: string;
}

// A name in such a list is an expression as well: its dots stand for any character.
const NAME = /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/u;

/** True for what is a name, and no regular expression but for its dots. */
export function isPlainName(text: string): boolean {
  return NAME.test(text);
}

/** RE2, which few runs need: it is read when it is first wanted. */
export function loadRe2(): typeof import("re2js") {
  return typeof require === "function" ? require("re2js") : sourceRequire(import.meta.url)("re2js");
}

/**
 * Compiles an expression of at most so many characters (docs/limits.md). RE2 itself is loaded where a plain
 * comparison won't do.
 */
export function compileExpression(text: string, longest: number): NameExpression | BadExpression {
  if (NAME.test(text)) return { text, isName: true, matches: (name) => matchesDots(text, name) };
  // Linear is not short: so many states for each character of each name would take minutes.
  if (text.length > longest) return { text, problem: `it has more than ${longest} characters` };
  const { RE2JS } = loadRe2();
  try {
    // Matched as a whole, alternatives and all: `app|db` is the two names, nothing more.
    const expression = RE2JS.compile(text);
    return { text, isName: false, matches: (name) => expression.matches(name) };
  } catch (cause) {
    return { text, problem: cause instanceof Error ? cause.message : "it can't be read" };
  }
}

function matchesDots(text: string, name: string): boolean {
  return name.length === text.length && [...text].every((char, i) => char === "." || char === name[i]);
}

// A comma that doesn't stand as in `{1,2}` or `{1,}`: behind a brace with digits, before its end.
const SEPARATOR = /(?<!\{\d{1,9}),|,(?!\d{0,9}\})/u;

/** Splits a list at its commas; the comma of a repetition is none of them. */
export function splitExpressions(list: string): string[] {
  return list
    .split(SEPARATOR)
    .map((part) => part.trim())
    .filter((part) => part !== "");
}
