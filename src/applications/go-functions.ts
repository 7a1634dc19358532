import { isObject, type Json } from "../manifest/node.ts";

// The functions of Go's templates and of sprig that ApplicationSets use.

/** Undefined is what Go calls `<no value>`. */
export type Value = Json | undefined;

/** Why a template makes nothing: `wrong` is Argo CD's error too, `unknown` is ours alone. */
export class TemplateProblem extends Error {
  readonly is: "wrong" | "unknown";

  constructor(is: "wrong" | "unknown", message: string) {
    super(message);
    this.is = is;
  }
}

type Lazy = () => Value;
type Fn = (...values: Value[]) => Value;

/** What a function makes of its arguments. Throws a TemplateProblem. */
export function call(name: string, args: readonly Lazy[]): Value {
  if (name === "and" || name === "or") {
    let value: Value;
    for (const arg of args) {
      value = arg();
      if (isTrue(value) === (name === "or")) return value;
    }
    return value;
  }
  const found = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
  if (found === undefined)
    throw new TemplateProblem("unknown", `its template uses the function ${name}, which rollstamp doesn't know`);
  return found(...args.map((arg) => arg()));
}

/** What Go's templates, and sprig's `empty`, take for true. */
export function isTrue(value: Value): boolean {
  if (value === undefined || value === null) return false;
  if (Array.isArray(value)) return value.length > 0;
  if (typeof value === "object") return Object.keys(value).length > 0;
  return value !== false && value !== 0 && value !== "";
}

/** A value as Go's fmt prints it (`%v`). */
export function goText(value: Value): string {
  if (value === undefined || value === null) return "<no value>";
  return inner(value);
}

/** As it prints inside of functions. */
function inside(value: Value): string {
  return inner(value ?? null);
}

function inner(value: Json): string {
  if (value === null) return "<nil>";
  if (typeof value === "number") return goNumber(value);
  if (Array.isArray(value)) return `[${value.map(inner).join(" ")}]`;
  if (typeof value === "object") {
    const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    return `map[${entries.map(([key, one]) => `${key}:${inner(one)}`).join(" ")}]`;
  }
  return String(value);
}

/** A float64 as `%v` prints it (strconv, `g`, shortest): with an exponent from a million on. All numbers of data are such. */
export function goNumber(value: number): string {
  if (value === 0 || (Math.abs(value) < 1e6 && Math.abs(value) >= 1e-4)) return String(value);
  const [mantissa = "", exponent = ""] = value.toExponential().split("e");
  const digits = exponent.replace(/^[+-]/u, "").padStart(2, "0");
  return `${mantissa}e${exponent.startsWith("-") ? "-" : "+"}${digits}`;
}

/** A name as Kubernetes takes it (Argo CD: SanitizeName). */
export function sanitizedName(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^-a-z0-9.]/gu, "-")
    .slice(0, 253)
    .replace(/^[-.]+|[-.]+$/gu, "");
}

const LONGEST = 1 << 16;
const LONGEST_LIST = 10_000;

const FUNCTIONS: Readonly<Record<string, Fn>> = {
  // Of text/template.
  not: (value) => !isTrue(value),
  eq: (first, ...others) => others.some((other) => compared(first, other) === 0),
  ne: (a, b) => compared(a, b) !== 0,
  lt: (a, b) => compared(a, b) < 0,
  le: (a, b) => compared(a, b) <= 0,
  gt: (a, b) => compared(a, b) > 0,
  ge: (a, b) => compared(a, b) >= 0,
  len: (value) => {
    if (typeof value === "string") return Buffer.byteLength(value);
    if (Array.isArray(value)) return value.length;
    if (isObject(value)) return Object.keys(value).length;
    throw wrong("asks for the length of what has none");
  },
  index: (value, ...keys) => keys.reduce<Value>(at, value),
  print: (...values) => values.map(inside).join(""),
  println: (...values) => `${values.map(inside).join(" ")}\n`,
  printf: (format, ...values) => formatted(text(format), values),
  slice: (value, from = 0, to) => {
    const [start, end] = [number(from), to === undefined ? undefined : number(to)];
    if (typeof value === "string") return value.slice(start, end);
    return list(value).slice(start, end);
  },
  // Of sprig.
  default: (fallback, given) => (isTrue(given) ? given : fallback),
  empty: (value) => !isTrue(value),
  coalesce: (...values) => values.find(isTrue),
  ternary: (yes, no, is) => (is === true ? yes : no),
  fail: (message) => {
    throw wrong(`fails: ${text(message)}`);
  },
  lower: (value) => text(value).toLowerCase(),
  upper: (value) => text(value).toUpperCase(),
  title: (value) =>
    text(value).replace(/(^|\s)(\S)/gu, (_, before: string, letter: string) => before + letter.toUpperCase()),
  untitle: (value) =>
    text(value).replace(/(^|\s)(\S)/gu, (_, before: string, letter: string) => before + letter.toLowerCase()),
  trim: (value) => text(value).trim(),
  trimAll: (set, value) => trimmed(text(value), text(set)),
  trimPrefix: (prefix, value) =>
    text(value).startsWith(text(prefix)) ? text(value).slice(text(prefix).length) : text(value),
  trimSuffix: (suffix, value) =>
    text(suffix) !== "" && text(value).endsWith(text(suffix))
      ? text(value).slice(0, -text(suffix).length)
      : text(value),
  nospace: (value) => text(value).replace(/\s/gu, ""),
  replace: (old, by, value) => limited(text(value).replaceAll(text(old), () => text(by))),
  contains: (part, value) => text(value).includes(text(part)),
  hasPrefix: (prefix, value) => text(value).startsWith(text(prefix)),
  hasSuffix: (suffix, value) => text(value).endsWith(text(suffix)),
  quote: (...values) =>
    values
      .filter((value) => value !== undefined && value !== null)
      .map((value) => JSON.stringify(inside(value)))
      .join(" "),
  squote: (...values) =>
    values
      .filter((value) => value !== undefined && value !== null)
      .map((value) => `'${inside(value)}'`)
      .join(" "),
  cat: (...values) =>
    values
      .filter((value) => value !== undefined && value !== null)
      .map(inside)
      .join(" "),
  repeat: (count, value) =>
    limited(
      number(count) * text(value).length > LONGEST
        ? "x".repeat(LONGEST + 1)
        : text(value).repeat(Math.max(0, number(count))),
    ),
  trunc: (count, value) => (number(count) < 0 ? text(value).slice(number(count)) : text(value).slice(0, number(count))),
  substr: (from, to, value) => text(value).slice(Math.max(0, number(from)), number(to) < 0 ? undefined : number(to)),
  indent: (count, value) => limited(indented(number(count), text(value))),
  nindent: (count, value) => limited(`\n${indented(number(count), text(value))}`),
  splitList: (separator, value) => text(value).split(text(separator)),
  split: (separator, value) =>
    Object.fromEntries(
      text(value)
        .split(text(separator))
        .map((part, i) => [`_${i}`, part]),
    ),
  join: (separator, value) => (Array.isArray(value) ? value.map(inside) : [inside(value)]).join(text(separator)),
  toString: (value: Value) => inside(value),
  toStrings: (value) => list(value).map(inside),
  list: (...values) => values.map(json),
  tuple: (...values) => values.map(json),
  first: (value) => list(value)[0],
  last: (value) => list(value).at(-1),
  rest: (value) => list(value).slice(1),
  initial: (value) => list(value).slice(0, -1),
  reverse: (value) => list(value).toReversed(),
  has: (part, value) => list(value).some((one) => JSON.stringify(one) === JSON.stringify(part)),
  without: (value, ...parts) =>
    list(value).filter((one) => !parts.some((part) => JSON.stringify(one) === JSON.stringify(part))),
  uniq: (value) => [...new Map(list(value).map((one) => [JSON.stringify(one), one])).values()],
  compact: (value) => list(value).filter(isTrue),
  append: (value, one) => [...list(value), json(one)],
  prepend: (value, one) => [json(one), ...list(value)],
  concat: (...values) => values.flatMap(list),
  sortAlpha: (value) => list(value).map(inside).sort(),
  until: (count) => Array.from({ length: bounded(number(count)) }, (_, i) => i),
  dict: (...values) =>
    Object.fromEntries(
      Array.from({ length: Math.ceil(values.length / 2) }, (_, i) => [
        inside(values[i * 2]),
        json(values[i * 2 + 1] ?? ""),
      ]),
    ),
  get: (value, key) => own(value, text(key)) ?? "",
  hasKey: (value, key) => own(value, text(key)) !== undefined,
  dig: (...values) => {
    const [fallback, from] = values.slice(-2);
    const found = values.slice(0, -2).reduce<Value>((value, key) => own(value, text(key)), from);
    return found ?? fallback;
  },
  int: (value) => Math.trunc(toNumber(value)),
  int64: (value) => Math.trunc(toNumber(value)),
  float64: (value) => toNumber(value),
  atoi: (value) => Math.trunc(toNumber(value)),
  add: (...values) => values.map(toNumber).reduce((a, b) => a + b, 0),
  add1: (value) => toNumber(value) + 1,
  sub: (a, b) => toNumber(a) - toNumber(b),
  mul: (...values) => values.map(toNumber).reduce((a, b) => a * b, 1),
  max: (...values) => Math.max(...values.map(toNumber)),
  min: (...values) => Math.min(...values.map(toNumber)),
  mod: (a, b) => {
    if (toNumber(b) === 0) throw wrong("divides by 0");
    return toNumber(a) % toNumber(b);
  },
  div: (a, b) => {
    if (toNumber(b) === 0) throw wrong("divides by 0");
    return Math.trunc(toNumber(a) / toNumber(b));
  },
  b64enc: (value) => Buffer.from(text(value), "utf8").toString("base64"),
  b64dec: (value) => Buffer.from(text(value), "base64").toString("utf8"),
  toJson: (value) => JSON.stringify(sorted(json(value))),
  kindIs: (kind, value) => kindOf(value) === kind,
  kindOf: (value) => kindOf(value),
  // Of Argo CD.
  normalize: (value) => sanitizedName(text(value)),
};

function wrong(what: string): TemplateProblem {
  return new TemplateProblem("wrong", `its template ${what}`);
}

function text(value: Value): string {
  if (typeof value === "string") return value;
  throw wrong("gives a function something else than a text");
}

function number(value: Value): number {
  if (typeof value === "number" && Number.isInteger(value)) return value;
  throw wrong("gives a function something else than a whole number");
}

/** As spf13/cast does it: what is none is 0. */
function toNumber(value: Value): number {
  if (typeof value === "number") return value;
  if (typeof value === "boolean") return value ? 1 : 0;
  const read = typeof value === "string" && value.trim() !== "" ? Number(value) : 0;
  return Number.isFinite(read) ? read : 0;
}

function list(value: Value): readonly Json[] {
  if (Array.isArray(value)) return value;
  throw wrong("gives a function something else than a list");
}

function json(value: Value): Json {
  return value ?? null;
}

function own(value: Value, key: string): Value {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function at(value: Value, key: Value): Value {
  if (Array.isArray(value)) {
    const index = number(key);
    if (index < 0 || index >= value.length) throw wrong("asks for an item behind the end of a list");
    return value[index];
  }
  if (isObject(value)) return own(value, text(key));
  throw wrong("asks for an item of what has none");
}

function compared(a: Value, b: Value): number {
  if (typeof a !== typeof b || (typeof a === "object" && a !== null)) {
    if (a === undefined || b === undefined || a === null || b === null) return (a ?? null) === (b ?? null) ? 0 : 1;
    throw wrong("compares what can't be compared");
  }
  if (a === b) return 0;
  if (typeof a === "string" && typeof b === "string") return a < b ? -1 : 1;
  if (typeof a === "number" && typeof b === "number") return a < b ? -1 : 1;
  return 1;
}

function trimmed(value: string, set: string): string {
  let from = 0;
  let to = value.length;
  while (from < to && set.includes(value[from] ?? "")) from += 1;
  while (to > from && set.includes(value[to - 1] ?? "")) to -= 1;
  return value.slice(from, to);
}

function indented(count: number, value: string): string {
  const before = " ".repeat(Math.min(Math.max(0, count), 1000));
  return before + value.replaceAll("\n", () => `\n${before}`);
}

function formatted(format: string, values: readonly Value[]): string {
  let next = 0;
  return format.replace(/%(%|[0-9.+-]*[a-zA-Z])/gu, (verb: string, what: string) => {
    if (what === "%") return "%";
    const value = values[next];
    next += 1;
    if ((value === undefined || value === null) && next <= values.length && what !== "v") return `%!${what}(<nil>)`;
    if (what === "s" || what === "v" || what === "d")
      return value === undefined && next > values.length ? `%!${what}(MISSING)` : inside(value);
    if (what === "q") return JSON.stringify(inside(value));
    const [, digits] = /^0?(\d{1,3})d$/u.exec(what) ?? [];
    if (digits !== undefined) return inside(value).padStart(Number(digits), what.startsWith("0") ? "0" : " ");
    throw new TemplateProblem("unknown", `its template uses the format ${verb}, which rollstamp doesn't know`);
  });
}

function limited(value: string): string {
  if (value.length > LONGEST) throw wrong("makes a text of more than 64 KiB");
  return value;
}

function bounded(count: number): number {
  if (count > LONGEST_LIST) throw wrong(`makes a list of more than ${LONGEST_LIST}`);
  return Math.max(0, count);
}

function kindOf(value: Value): string {
  if (value === undefined || value === null) return "invalid";
  if (Array.isArray(value)) return "slice";
  switch (typeof value) {
    case "string":
      return "string";
    case "number":
      return "float64";
    case "boolean":
      return "bool";
    default:
      return "map";
  }
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
      .map(([key, one]) => [key, sorted(one)]),
  );
}
