import { trimmedParts } from "../../base/words.ts";
import { groupedBy } from "../../base/grouped.ts";
import type { Limits, Spend } from "../../base/limits.ts";
import { sourceRequire } from "../../base/source-require.ts";

// Regular expressions that users write, in the syntax of RE2 and with its guarantee: matching is linear in the length
// of the name for every expression.

/** An expression in a list of names. */
export interface NameExpression {
  readonly text: string;
  /** Whether it is a plain name. Only a plain name can be reported as missing. */
  readonly isName: boolean;
  /** Whether it matches the whole name. */
  readonly matches: (name: string) => boolean;
}

/** An expression that RE2 rejects, and why. */
export interface BadExpression {
  readonly text: string;
  readonly problem: string;
}

// A name in such a list is an expression, too: its dots match any character.
const NAME = /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/u;

/** True for a name whose only special characters are dots. */
export function isPlainName(text: string): boolean {
  return NAME.test(text);
}

/** Few runs need RE2, so it is loaded late. */
export function loadRe2(): typeof import("re2js") {
  return typeof require === "function" ? require("re2js") : sourceRequire(import.meta.url)("re2js");
}

/**
 * Compiles an expression of at most `longest` characters (docs/why/limits.md). RE2 is loaded only if comparing names is not
 * enough.
 */
export function compileExpression(text: string, longest: number): NameExpression | BadExpression {
  if (NAME.test(text)) return { text, isName: true, matches: (name) => matchesDots(text, name) };
  // Linear time is not enough: with very long expressions, the states of RE2 for each character of each name take
  // minutes.
  if (text.length > longest) return { text, problem: `it has more than ${longest} characters` };
  const { RE2JS } = loadRe2();
  try {
    // It must match the whole name: `app|db` matches two names, nothing more.
    const expression = RE2JS.compile(text);
    return { text, isName: false, matches: (name) => expression.matches(name) };
  } catch (cause) {
    return { text, problem: cause instanceof Error ? cause.message : "it is invalid" };
  }
}

function matchesDots(text: string, name: string): boolean {
  return name.length === text.length && [...text].every((char, i) => char === "." || char === name[i]);
}

// A comma outside of `{1,2}` and `{1,}`.
const SEPARATOR = /(?<!\{\d{1,9}),|,(?!\d{0,9}\})/u;

/** Splits a list at its commas, but not at the comma of a repetition. */
export function splitExpressions(list: string): string[] {
  return trimmedParts(list, SEPARATOR);
}

/** A set of names to match. Plain names are looked up, so that the cost is not names × expressions. */
export interface NameSet {
  /** The names that an expression matches, in their order. */
  readonly matching: (expression: NameExpression, limits: Limits) => readonly string[];
}

/** Makes a set of names. `spend` counts the comparisons. */
export function nameSet(names: Iterable<string>, spend: Spend): NameSet {
  const all = new Set(names);
  let byLength: Map<number, string[]> | undefined;
  const masked = new Map<string, ReadonlyMap<string, readonly string[]>>();
  // A dot matches any character: finds the names of the same length that differ only at the dots.
  const alike = (text: string, limits: Limits): readonly string[] => {
    byLength ??= groupedBy(all, (name) => name.length);
    const sameLength = byLength.get(text.length) ?? [];
    const dots = dotsOf(text);
    const key = `${text.length}:${dots.join()}`;
    let index = masked.get(key);
    if (index === undefined) {
      spend(sameLength.length * text.length, limits);
      masked.set(key, (index = groupedBy(sameLength, (name) => withDots(name, dots))));
    }
    return index.get(text) ?? [];
  };
  return {
    matching: (expression, limits) => {
      const { text, isName } = expression;
      if (isName) return text.includes(".") ? alike(text, limits) : all.has(text) ? [text] : [];
      return [...all].filter((name) => {
        spend(text.length * name.length, limits);
        return expression.matches(name);
      });
    },
  };
}

/** Returns the first expression of a list that matches one of the names. */
type ExpressionList = (names: readonly string[], limits: Limits) => NameExpression | undefined;

/** A list of expressions. Plain names are looked up; `spend` counts the comparisons for the others. */
export function expressionList(all: readonly NameExpression[], spend: Spend): ExpressionList {
  const plain = new Map<string, number>();
  const dotted = new Map<number, Map<string, Dotted>>();
  const others: { readonly position: number; readonly expression: NameExpression }[] = [];
  for (const [position, expression] of all.entries()) {
    const { text, isName } = expression;
    if (!isName) others.push({ position, expression });
    else if (!text.includes(".")) setFirst(plain, text, position);
    else {
      const dots = dotsOf(text);
      const sameLength = dotted.get(text.length) ?? new Map<string, Dotted>();
      dotted.set(text.length, sameLength);
      const group = sameLength.get(dots.join()) ?? { dots, texts: new Map<string, number>() };
      sameLength.set(dots.join(), group);
      setFirst(group.texts, text, position);
    }
  }
  return (names, limits) => {
    let first = all.length;
    for (const name of names) {
      first = Math.min(first, plain.get(name) ?? first);
      for (const { dots, texts } of dotted.get(name.length)?.values() ?? []) {
        spend(dots.length, limits);
        first = Math.min(first, texts.get(withDots(name, dots)) ?? first);
      }
      for (const { position, expression } of others) {
        if (position >= first) break;
        spend(expression.text.length * name.length, limits);
        if (expression.matches(name)) first = position;
      }
    }
    return all[first];
  };
}

/** Names of a list with dots, which match any character, at the same positions. */
interface Dotted {
  readonly dots: readonly number[];
  readonly texts: Map<string, number>;
}

function setFirst(places: Map<string, number>, text: string, position: number): void {
  if (!places.has(text)) places.set(text, position);
}

function dotsOf(text: string): number[] {
  return [...text.matchAll(/\./gu)].map(({ index }) => index);
}

function withDots(name: string, dots: readonly number[]): string {
  let text = "";
  let from = 0;
  for (const dot of dots) {
    text += `${name.slice(from, dot)}.`;
    from = dot + 1;
  }
  return text + name.slice(from);
}
