import type { Json } from "../../yaml/read/node.ts";

// The values that Go templates compute with, and how Go prints them.

/** Undefined is Go's `<no value>`. A bigint is a Go integer; a number is a float64, like every number in parameters. */
export type Value =
  | undefined
  | null
  | boolean
  | number
  | bigint
  | string
  | readonly Value[]
  | { readonly [key: string]: Value };

export type ValueMap = { readonly [key: string]: Value };

/** Why a template produces nothing: Argo CD fails too (`invalid`), or only rollstamp cannot know the result (`unknown`). */
export class TemplateProblem extends Error {
  readonly is: "invalid" | "unknown";

  constructor(is: "invalid" | "unknown", message: string) {
    super(message);
    this.is = is;
  }
}

export function invalid(what: string): TemplateProblem {
  return new TemplateProblem("invalid", `its template ${what}`);
}

export function unsupported(what: string): TemplateProblem {
  return new TemplateProblem("unknown", `its template uses ${what}, which rollstamp does not support`);
}

export function isMap(value: Value): value is ValueMap {
  return typeof value === "object" && value !== null && !isList(value);
}

export function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

/** The truth of Go templates; sprig's `empty` is the opposite. */
export function isTrue(value: Value): boolean {
  if (value === undefined || value === null) return false;
  if (isList(value)) return value.length > 0;
  if (isMap(value)) return Object.keys(value).length > 0;
  return value !== false && value !== 0 && value !== 0n && value !== "";
}

/** The entries in the order in which Go visits them. */
export function sortedEntries<T>(map: { readonly [key: string]: T }): [string, T][] {
  return Object.entries(map).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}

/** A value at the end of an action, as Go's fmt prints it (`%v`). */
export function goText(value: Value): string {
  return value === undefined || value === null ? "<no value>" : goString(value);
}

/** A value as functions print it. */
export function goString(value: Value): string {
  if (value === undefined || value === null) return "<nil>";
  if (typeof value === "number") return goNumber(value);
  if (isList(value)) return `[${value.map(goString).join(" ")}]`;
  if (isMap(value))
    return `map[${sortedEntries(value)
      .map(([key, item]) => `${key}:${goString(item)}`)
      .join(" ")}]`;
  return String(value);
}

/** A float64 as `%v` prints it (strconv, format `g`, shortest): with an exponent from 1e+06 on. */
export function goNumber(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
  if (Object.is(value, -0)) return "-0";
  if (value === 0 || (Math.abs(value) < 1e6 && Math.abs(value) >= 1e-4)) return String(value);
  const [mantissa = "", exponent = ""] = value.toExponential().split("e");
  const digits = exponent.replace(/^[+-]/u, "").padStart(2, "0");
  return `${mantissa}e${exponent.startsWith("-") ? "-" : "+"}${digits}`;
}

/** A value as encoding/json writes it: integers are numbers, and a missing value is null. */
export function jsonOf(value: Value): Json {
  if (value === undefined || value === null) return null;
  if (typeof value === "bigint") return Number(value);
  if (isList(value)) return value.map(jsonOf);
  if (isMap(value)) return Object.fromEntries(sortedEntries(value).map(([key, item]) => [key, jsonOf(item)]));
  return value;
}

/** A string that two values share only if Go's reflect.DeepEqual says that they are equal. */
export function identity(value: Value): string {
  if (typeof value === "bigint") return `${value}n`;
  if (isList(value)) return `[${value.map(identity).join()}]`;
  if (isMap(value))
    return `{${sortedEntries(value)
      .map(([key, item]) => `${JSON.stringify(key)}:${identity(item)}`)
      .join()}}`;
  return JSON.stringify(value ?? null);
}

/** A whole number as strconv.ParseInt reads it with base 0; undefined if it is invalid or too large. */
export function parseInt64(written: string): bigint | undefined {
  const [, sign = "", digits = ""] = /^([+-]?)(\d[\w]*)$/u.exec(written) ?? [];
  const plain = digits.replaceAll("_", "").replace(/^0(?=\d)/u, "0o");
  if (!/^(?:\d+|0[oO][0-7]+|0[xX][0-9a-fA-F]+|0[bB][01]+)$/u.test(plain) || plain.length > 70) return undefined;
  const value = sign === "-" ? -BigInt(plain) : BigInt(plain);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

const MOST_PARTS = 100_000;
const DEEPEST = 500;

interface Size {
  /** The number of values inside, each counted as often as it is referenced, and a string as one for each 100 characters. */
  readonly parts: number;
  readonly depth: number;
}

const sizes = new WeakMap<object, Size>();
const SCALAR: Size = { parts: 1, depth: 0 };

/**
 * The number of values in a value. Throws a TemplateProblem if it is too large: a mapping that holds another one twice,
 * which holds another one twice, doubles with each level.
 */
export function partsOf(value: Value): number {
  return sizeOf(value).parts;
}

function sizeOf(value: Value, above = 0): Size {
  if (typeof value === "string" && value.length > 100) return { parts: Math.ceil(value.length / 100), depth: 0 };
  if (!isList(value) && !isMap(value)) return SCALAR;
  const known = sizes.get(value);
  if (known !== undefined) return known;
  const tooDeep = `makes data nested more than ${DEEPEST} deep`;
  if (above > DEEPEST) throw invalid(tooDeep);
  let { parts, depth } = SCALAR;
  for (const item of Object.values<Value>(value)) {
    const inner = sizeOf(item, above + 1);
    parts += inner.parts;
    depth = Math.max(depth, inner.depth + 1);
  }
  refuseMore(parts);
  if (depth > DEEPEST) throw invalid(tooDeep);
  const size = { parts, depth };
  sizes.set(value, size);
  return size;
}

/** Throws a TemplateProblem if there are too many values. */
export function refuseMore(parts: number): void {
  if (parts > MOST_PARTS) throw invalid(`makes data with more than ${MOST_PARTS} values`);
}

/** A name that Kubernetes accepts (Argo CD's SanitizeName). */
export function sanitizedName(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^-a-z0-9.]/gu, "-")
    .slice(0, 253)
    .replace(/^[-.]+|[-.]+$/gu, "");
}
