import { goText, ofRunes, runeAt, runesOf } from "../../base/go-text.ts";
import { globOf } from "../../base/glob.ts";

// The operators of variables in fluxcd/pkg/envsubst. Texts are bytes (go-text.ts).

/** What the expressions of a build may cost. Both throw if it is too much. */
export interface SubstitutionBudget {
  readonly spend: (steps: number) => void;
  /** Called before text is made, or for what is made of values that are there. */
  readonly grow: (characters: number) => void;
}

export type VariableFunction = (value: string, args: readonly string[], budget: SubstitutionBudget) => string;

const FUNCTIONS: Readonly<Record<string, VariableFunction>> = {
  ",": (value) => firstCased(value, lower),
  ",,": (value) => cased(value, lower),
  "^": (value) => firstCased(value, upper),
  "^^": (value) => cased(value, upper),
  "#": (value, args, { spend }) =>
    args.length === 0 ? String(value.length) : trimmed(value, args[0] ?? "", "shortest", spend),
  "##": (value, [pattern = ""], { spend }) => trimmed(value, pattern, "longest", spend),
  "%": (value, [pattern = ""], { spend }) => reversed(trimmed(reversed(value), reversed(pattern), "shortest", spend)),
  "%%": (value, [pattern = ""], { spend }) => reversed(trimmed(reversed(value), reversed(pattern), "longest", spend)),
  ":": substring,
  "/": (value, [old = "", by = ""]) => replacedFirst(value, old, by),
  "//": (value, [old = "", by = ""], { grow }) => replacedAll(value, old, by, grow),
  "/#": (value, [old = "", by]) =>
    by === undefined || !value.startsWith(old) ? value : `${by}${value.slice(old.length)}`,
  "/%": (value, [old = "", by]) =>
    by === undefined || !value.endsWith(old) ? value : `${value.slice(0, value.length - old.length)}${by}`,
};

/** Functions by operator. All other operators replace an empty value by their arguments. */
export function functionOf(operator: string): VariableFunction {
  return FUNCTIONS[operator] ?? orDefault;
}

/** Whether an operator replaces a missing value by its arguments. */
export function isDefault(operator: string): boolean {
  return FUNCTIONS[operator] === undefined;
}

function orDefault(value: string, args: readonly string[]): string {
  return value === "" ? args.join("") : value;
}

function upper(character: string): string {
  return single(character.toUpperCase(), character);
}

function lower(character: string): string {
  // Only the dotted capital I becomes several letters in lower case.
  return character === "\u0130" ? "i" : single(character.toLowerCase(), character);
}

/** Go maps each letter to one letter. */
function single(other: string, character: string): string {
  return [...other].length === 1 ? other : character;
}

function cased(value: string, by: (character: string) => string): string {
  return runesOf(value)
    .map(({ character }) => goText(by(character)))
    .join("");
}

function firstCased(value: string, by: (character: string) => string): string {
  const first = runeAt(value, 0);
  return first === undefined ? value : `${goText(by(first.character))}${value.slice(first.bytes.length)}`;
}

function reversed(value: string): string {
  return ofRunes(runesOf(value).toReversed());
}

/** Removes the prefix that matches a pattern. */
function trimmed(
  value: string,
  pattern: string,
  which: "shortest" | "longest",
  spend: (steps: number) => void,
): string {
  const glob = globOf(pattern, "envsubst");
  if (glob === undefined) return value;
  const isStart = (end: number): boolean => {
    spend(1);
    return glob(value.slice(0, end), spend);
  };
  if (which === "shortest") {
    for (let end = 1; end <= value.length; end += 1) if (isStart(end)) return value.slice(end);
  } else {
    for (let end = value.length; end > 0; end -= 1) if (isStart(end)) return value.slice(end);
  }
  return value;
}

/** Numbers that strconv.Atoi accepts. */
const NUMBER = /^[-+]?\d{1,18}$/u;

function substring(value: string, [from = "", count]: readonly string[]): string {
  if (!NUMBER.test(from)) return value;
  const given = Number(from);
  const start = given < 0 ? Math.max(value.length + given, 0) : given;
  if (count === undefined) return value.slice(start);
  if (!NUMBER.test(count)) return value;
  const length = Number(count);
  const end = length < 0 ? value.length + length : start + length;
  return end < start ? "" : value.slice(start, end);
}

function replacedFirst(value: string, old: string, by: string): string {
  const index = value.indexOf(old);
  return index < 0 ? value : `${value.slice(0, index)}${by}${value.slice(index + old.length)}`;
}

function replacedAll(value: string, old: string, by: string, grow: SubstitutionBudget["grow"]): string {
  // In Go, the empty string matches before each character and at the end.
  const parts = old === "" ? ["", ...runesOf(value).map(({ bytes }) => bytes), ""] : value.split(old);
  grow((parts.length - 1) * by.length);
  return parts.join(by);
}
