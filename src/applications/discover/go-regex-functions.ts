import { loadRe2 } from "../../stamping/policy/expressions.ts";
import { int, limited, text } from "./go-arguments.ts";
import { wrong, type Value } from "./go-values.ts";

// sprig's functions for regular expressions, by RE2. Where matches are looked for, and what of empty ones counts, is as
// in Go's regexp: Java's way, which the library has, is another one.

type Spend = (steps: number) => void;
type RegexFn = (spend: Spend, ...values: Value[]) => Value;

const LONGEST_EXPRESSION = 1000;
// Places times states of the expression that count as one step of a template.
const PER_STEP = 1000;

interface Match {
  readonly start: number;
  readonly end: number;
  readonly group: (name: string) => string;
}

interface Expression {
  readonly next: (at: number) => Match | undefined;
}

function compiled(spend: Spend, pattern: string, value: string): Expression {
  if (pattern.length > LONGEST_EXPRESSION)
    throw wrong(`has a regular expression of more than ${LONGEST_EXPRESSION} characters`);
  const { RE2JS } = loadRe2();
  let expression: ReturnType<typeof RE2JS.compile>;
  try {
    expression = RE2JS.compile(pattern);
  } catch {
    throw wrong(`has a regular expression that RE2 doesn't take: ${JSON.stringify(pattern.slice(0, 80))}`);
  }
  const states = expression.programSize();
  spend(Math.ceil(states / 10));
  const matcher = expression.matcher(value);
  const names = expression.namedGroups();
  const groupOf = (name: string): string => {
    const index = /^\d+$/u.test(name) ? Number(name) : Object.hasOwn(names, name) ? Number(names[name]) : -1;
    return index >= 0 && index <= matcher.groupCount() ? (matcher.group(index) ?? "") : "";
  };
  return {
    next: (at) => {
      spend(Math.ceil(((value.length - at + 1) * states) / PER_STEP));
      return matcher.find(at) ? { start: matcher.start(), end: matcher.end(), group: groupOf } : undefined;
    },
  };
}

function width(value: string, at: number): number {
  return (value.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}

/** Up to so many matches, all where that is below 0 (regexp, allMatches). */
function matches(spend: Spend, pattern: string, value: string, most: number): [number, number][] {
  const expression = compiled(spend, pattern, value);
  const found: [number, number][] = [];
  let before = -1;
  const limit = most < 0 ? Infinity : most;
  for (let at = 0; at <= value.length;) {
    const match = found.length < limit ? expression.next(at) : undefined;
    if (match === undefined) break;
    const { start, end } = match;
    const counts = end !== at || start !== before;
    at = end === at ? at + width(value, at) : end;
    before = end;
    if (counts) found.push([start, end]);
  }
  return found;
}

/** regexp, ReplaceAllString. */
function replaced(spend: Spend, pattern: string, value: string, by: (match: Match) => string): string {
  const expression = compiled(spend, pattern, value);
  let made = "";
  let last = 0;
  for (let at = 0; at <= value.length;) {
    const match = expression.next(at);
    if (match === undefined) break;
    made += value.slice(last, match.start);
    if (match.end > last || match.start === 0) made += by(match);
    limited(made);
    last = match.end;
    at = Math.max(match.end, at + width(value, at));
  }
  return limited(made + value.slice(last));
}

/** A replacement with `$1`, `${name}` and `$$` (regexp, Expand): a name without braces is as long as it can be. */
function expanded(by: string, { group }: Match): string {
  return by.replace(
    /\$(?:(\$)|\{([\p{L}\p{Nd}_]+)\}|([\p{L}\p{Nd}_]+))/gu,
    (_, dollar?: string, braced?: string, plain?: string) =>
      dollar === undefined ? group(braced ?? plain ?? "") : "$",
  );
}

const FUNCTIONS: Readonly<Record<string, RegexFn>> = {
  regexMatch: (spend, pattern, value) => compiled(spend, text(pattern), text(value)).next(0) !== undefined,
  regexFind: (spend, pattern, value) => {
    const match = compiled(spend, text(pattern), text(value)).next(0);
    return match === undefined ? "" : text(value).slice(match.start, match.end);
  },
  regexFindAll: (spend, pattern, value, most) =>
    matches(spend, text(pattern), text(value), int(most)).map(([start, end]) => text(value).slice(start, end)),
  regexReplaceAll: (spend, pattern, value, by) =>
    replaced(spend, text(pattern), text(value), (match) => expanded(text(by), match)),
  regexReplaceAllLiteral: (spend, pattern, value, by) => replaced(spend, text(pattern), text(value), () => text(by)),
  regexSplit: (spend, pattern, value, most) => split(spend, text(pattern), text(value), int(most)),
  regexQuoteMeta: (_, value) => text(value).replace(/[\\.+*?()|[\]{}^$]/gu, (character) => `\\${character}`),
};

/** Those of sprig, and those whose names begin with `must`: both fail for what is no expression. */
export const REGEX_FUNCTIONS: Readonly<Record<string, RegexFn>> = {
  ...FUNCTIONS,
  ...Object.fromEntries(
    Object.entries(FUNCTIONS)
      .filter(([name]) => name !== "regexQuoteMeta")
      .map(([name, fn]) => [`mustR${name.slice(1)}`, fn]),
  ),
  // Its error is dropped: what is no expression matches nothing.
  regexMatch: (spend, pattern, value) => {
    try {
      loadRe2().RE2JS.compile(text(pattern).slice(0, LONGEST_EXPRESSION + 1));
    } catch {
      return false;
    }
    return FUNCTIONS["regexMatch"]?.(spend, pattern, value);
  },
};

/** regexp, Split. */
function split(spend: Spend, pattern: string, value: string, most: number): string[] {
  if (most === 0) return [];
  if (pattern !== "" && value === "") return [""];
  const parts: string[] = [];
  let from = 0;
  let end = 0;
  for (const [start, stop] of matches(spend, pattern, value, most)) {
    if (most > 0 && parts.length === most - 1) break;
    end = start;
    if (stop !== 0) parts.push(value.slice(from, end));
    from = stop;
  }
  if (end !== value.length) parts.push(value.slice(from));
  return parts;
}
