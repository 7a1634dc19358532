import {
  goString,
  identity,
  invalid,
  isList,
  isMap,
  isTrue,
  jsonOf,
  partsOf,
  refuseMore,
  sanitizedName,
  unsupported,
  type Value,
  type ValueMap,
} from "./go-values.ts";
import { costOf } from "./go-costs.ts";
import { formatted, escapedForHtml, readJson, readYaml } from "./go-formats.ts";
import { booleanArg, int64, intArg, listArg, mapArg, stringArg } from "./go-arguments.ts";
import { indented, refuseLonger, replaced, slug, trimmed, yamlText } from "./go-strings.ts";

// The functions of Go's text/template, of sprig and of Argo CD that ApplicationSets use.

type Lazy = () => Value;

/** Calls a function. `spend` counts the work that depends on the size of values. Throws a TemplateProblem. */
export function callFunction(name: string, args: readonly Lazy[], spend: (steps: number) => void): Value {
  if (name === "and" || name === "or") {
    let value: Value;
    for (const arg of args) {
      value = arg();
      if (isTrue(value) === (name === "or")) return value;
    }
    return value;
  }
  const call = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
  if (call === undefined) throw unsupported(`the function ${name}`);
  const values = args.map((arg) => arg());
  // Before the work, not after it: print makes one string of all.
  refuseMore(values.reduce<number>((sum, value) => sum + partsOf(value), 0));
  spend(costOf(name, values));
  const made = call(...values);
  for (const value of [...values, made]) {
    if (typeof value === "string") refuseLonger(value.length);
    spend(Math.floor(typeof value === "string" ? value.length / 100 : partsOf(value) / 10));
  }
  return made;
}

/*
 * What public repositories use: counted on 2026-11-25 in the 371 ApplicationSets with `goTemplate: true` of 13
 * repositories (of 36 that were searched), by ApplicationSet: default 18, index 17, eq 12, range 11, if 10, dig 7,
 * toJson 7, and 6, fromJson 6, gt 6, hasPrefix 6, len 6, not 6, quote 6, splitList 6, trimPrefix 6, printf 4, ternary 3,
 * add1 2, break 2, normalize 2, or 2, dict 1, mustToPrettyJson 1, nindent 1. Other public examples have cat, hasKey, lower,
 * ne, replace, slugify, toYaml, trimSuffix, trunc. The rest of the table are neighbors of these. Not used by any, and
 * unsupported: regular expressions, functions that change a mapping (set, merge), define, template and block.
 */
const FUNCTIONS: Readonly<Record<string, (...values: Value[]) => Value>> = {
  // Logic.
  not: (value) => !isTrue(value),
  eq: (first, ...others) => others.some((other) => compare(first, other) === 0),
  ne: (a, b) => compare(a, b) !== 0,
  lt: (a, b) => compare(a, b) < 0,
  le: (a, b) => compare(a, b) <= 0,
  gt: (a, b) => compare(a, b) > 0,
  ge: (a, b) => compare(a, b) >= 0,
  default: (fallback, given) => (isTrue(given) ? given : fallback),
  empty: (value) => !isTrue(value),
  coalesce: (...values) => values.find(isTrue),
  ternary: (yes, no, condition) => (booleanArg(condition) ? yes : no),
  fail: (message) => {
    throw invalid(`fails: ${stringArg(message)}`);
  },

  // Strings.
  print: (...values) => values.map((value, i) => `${needsSpace(values[i - 1], value, i)}${goString(value)}`).join(""),
  printf: (format, ...values) => formatted(stringArg(format), values),
  toString: (value: Value) => goString(value),
  lower: (value) => stringArg(value).toLowerCase(),
  upper: (value) => stringArg(value).toUpperCase(),
  title: (value) =>
    stringArg(value).replace(/(^|\s)(\S)/gu, (_, before: string, letter: string) => before + letter.toUpperCase()),
  trim: (value) => stringArg(value).trim(),
  trimAll: (set, value) => trimmed(stringArg(value), stringArg(set)),
  trimPrefix: (prefix, value) => {
    const [text, start] = [stringArg(value), stringArg(prefix)];
    return text.startsWith(start) ? text.slice(start.length) : text;
  },
  trimSuffix: (suffix, value) => {
    const [text, end] = [stringArg(value), stringArg(suffix)];
    return end !== "" && text.endsWith(end) ? text.slice(0, -end.length) : text;
  },
  trunc: (count, value) =>
    intArg(count) < 0 ? stringArg(value).slice(intArg(count)) : stringArg(value).slice(0, intArg(count)),
  replace: (old, by, value) => replaced(stringArg(value), stringArg(old), stringArg(by)),
  contains: (part, value) => stringArg(value).includes(stringArg(part)),
  hasPrefix: (prefix, value) => stringArg(value).startsWith(stringArg(prefix)),
  hasSuffix: (suffix, value) => stringArg(value).endsWith(stringArg(suffix)),
  quote: (...values) =>
    presentValues(values)
      .map((value) => JSON.stringify(goString(value)))
      .join(" "),
  squote: (...values) =>
    presentValues(values)
      .map((value) => `'${goString(value)}'`)
      .join(" "),
  cat: (...values) => presentValues(values).map(goString).join(" "),
  indent: (count, value) => indented(intArg(count), stringArg(value)),
  nindent: (count, value) => `\n${indented(intArg(count), stringArg(value))}`,
  join: (separator, value) => {
    const [parts, between] = [presentValues(isList(value) ? value : [value]), stringArg(separator)];
    refuseMore(parts.length * partsOf(between));
    return parts.map(goString).join(between);
  },
  splitList: (separator, value) => stringArg(value).split(stringArg(separator)),
  split: (separator, value) =>
    Object.fromEntries(
      stringArg(value)
        .split(stringArg(separator))
        .map((part, i) => [`_${i}`, part]),
    ),
  b64enc: (value) => Buffer.from(stringArg(value), "utf8").toString("base64"),
  b64dec: (value) => Buffer.from(stringArg(value), "base64").toString("utf8"),
  normalize: (value) => sanitizedName(stringArg(value)),
  slugify: (...values) => slug(values),

  // Lists and mappings.
  len: (value) => {
    if (typeof value === "string") return BigInt(Buffer.byteLength(value));
    if (isList(value)) return BigInt(value.length);
    if (isMap(value)) return BigInt(Object.keys(value).length);
    throw invalid("takes the length of a value that has none");
  },
  index: (value, ...keys) => keys.reduce<Value>(itemAt, value),
  list: (...values) => values,
  first: (value) => listArg(value)[0],
  last: (value) => listArg(value).at(-1),
  has: (part, value) => {
    const wanted = identity(part);
    return listArg(value ?? []).some((item) => identity(item) === wanted);
  },
  append: (value, item) => [...listArg(value), item],
  concat: (...values) => new Array<Value>().concat(...values.map(listArg)),
  dict: (...values) =>
    Object.fromEntries(
      Array.from({ length: Math.ceil(values.length / 2) }, (_, i) => [
        goString(values[i * 2]),
        i * 2 + 1 < values.length ? values[i * 2 + 1] : "",
      ]),
    ),
  get: (value, key) => ownValue(value, stringArg(key)) ?? "",
  hasKey: (value, key) => ownValue(value, stringArg(key)) !== undefined,
  dig: (...values) => {
    const [fallback, from] = values.slice(-2);
    return values.slice(0, -2).reduce<Value>((value, key) => ownValue(value, stringArg(key)), from) ?? fallback;
  },
  // sprig gives them in any order: templates that depend on it sort them.
  keys: (...values) => values.map(mapArg).flatMap((value) => Object.keys(value).sort()),
  pick: (value, ...keys) => filtered(value, keys, true),
  omit: (value, ...keys) => filtered(value, keys, false),

  // Whole numbers.
  int: (value) => int64(value),
  int64: (value) => int64(value),
  add: (...values) => wrapped(values.map(int64).reduce((a, b) => a + b, 0n)),
  add1: (value) => wrapped(int64(value) + 1n),
  sub: (a, b) => wrapped(int64(a) - int64(b)),
  mul: (...values) => values.map(int64).reduce((a, b) => wrapped(a * b), 1n),
  div: (a, b) => wrapped(int64(a) / divisor(b)),
  mod: (a, b) => int64(a) % divisor(b),
  max: (...values) => values.map(int64).reduce((a, b) => (a > b ? a : b)),
  min: (...values) => values.map(int64).reduce((a, b) => (a < b ? a : b)),

  // JSON and YAML.
  toJson: (value) => escapedForHtml(JSON.stringify(jsonOf(value))),
  mustToJson: (value) => escapedForHtml(JSON.stringify(jsonOf(value))),
  toRawJson: (value) => JSON.stringify(jsonOf(value)),
  toPrettyJson: (value) => escapedForHtml(JSON.stringify(jsonOf(value), null, 2)),
  mustToPrettyJson: (value) => escapedForHtml(JSON.stringify(jsonOf(value), null, 2)),
  fromJson: (value) => readJson(stringArg(value)),
  mustFromJson: (value) => {
    const read = readJson(stringArg(value));
    if (read === undefined) throw invalid("parses a string as JSON that is not JSON");
    return read;
  },
  toYaml: (value) => yamlText(value),
  fromYaml: (value) => mapArg(readYaml(stringArg(value)) ?? {}),
  fromYamlArray: (value) => listArg(readYaml(stringArg(value)) ?? []),
};

function presentValues(values: readonly Value[]): Value[] {
  return values.filter((value) => value !== undefined && value !== null);
}

function ownValue(value: Value, key: string): Value {
  return isMap(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function itemAt(value: Value, key: Value): Value {
  if (isMap(value)) return ownValue(value, stringArg(key));
  if (!isList(value)) throw invalid("takes an item of a value that has none");
  const index = intArg(key);
  if (index < 0 || index >= value.length) throw invalid("takes an item beyond the end of a list");
  return value[index];
}

function filtered(value: Value, keys: readonly Value[], isKept: boolean): ValueMap {
  const named = new Set(keys);
  return Object.fromEntries(Object.entries(mapArg(value)).filter(([key]) => named.has(key) === isKept));
}

function compare(a: Value, b: Value): number {
  if (typeof a !== typeof b || (typeof a === "object" && a !== null)) {
    if (a === undefined || b === undefined || a === null || b === null) return (a ?? null) === (b ?? null) ? 0 : 1;
    throw invalid("compares values of different types (int converts numbers of parameters)");
  }
  if (a === b) return 0;
  if (typeof a === "string" && typeof b === "string") return a < b ? -1 : 1;
  if (typeof a === "number" && typeof b === "number") return a < b ? -1 : 1;
  if (typeof a === "bigint" && typeof b === "bigint") return a < b ? -1 : 1;
  return 1;
}

function wrapped(value: bigint): bigint {
  return BigInt.asIntN(64, value);
}

function divisor(value: Value): bigint {
  const by = int64(value);
  if (by === 0n) throw invalid("divides by 0");
  return by;
}

/** fmt.Sprint puts a space between two values that are both not strings. */
function needsSpace(before: Value, value: Value, at: number): string {
  return at > 0 && typeof before !== "string" && typeof value !== "string" ? " " : "";
}
