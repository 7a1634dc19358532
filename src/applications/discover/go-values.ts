import type { Json } from "../../yaml/read/node.ts";

// What Go's templates work on, and how Go prints it.

/** Undefined is what Go calls `<no value>`; a bigint is a whole number of Go's, a number a float64, as all numbers of data are. */
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

/** Why a template makes nothing: `wrong` is Argo CD's error too, `unknown` is ours alone. */
export class TemplateProblem extends Error {
  readonly is: "wrong" | "unknown";

  constructor(is: "wrong" | "unknown", message: string) {
    super(message);
    this.is = is;
  }
}

export function wrong(what: string): TemplateProblem {
  return new TemplateProblem("wrong", `its template ${what}`);
}

export function unknown(what: string): TemplateProblem {
  return new TemplateProblem("unknown", `its template ${what}, which rollstamp doesn't know`);
}

export function isMap(value: Value): value is ValueMap {
  return typeof value === "object" && value !== null && !isList(value);
}

export function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

/** What Go's templates, and sprig's `empty`, take for true. */
export function isTrue(value: Value): boolean {
  if (value === undefined || value === null) return false;
  if (isList(value)) return value.length > 0;
  if (isMap(value)) return Object.keys(value).length > 0;
  return value !== false && value !== 0 && value !== 0n && value !== "";
}

/** Its entries as Go goes over them. */
export function sortedEntries<T>(map: { readonly [key: string]: T }): [string, T][] {
  return Object.entries(map).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}

/** A value as Go's fmt prints it (`%v`), at the end of an action. */
export function goText(value: Value): string {
  return value === undefined || value === null ? "<no value>" : inside(value);
}

/** As it prints inside of functions. */
export function inside(value: Value): string {
  if (value === undefined || value === null) return "<nil>";
  if (typeof value === "number") return goNumber(value);
  if (isList(value)) return `[${value.map(inside).join(" ")}]`;
  if (isMap(value))
    return `map[${sortedEntries(value)
      .map(([key, one]) => `${key}:${inside(one)}`)
      .join(" ")}]`;
  return String(value);
}

/** A float64 as `%v` prints it (strconv, `g`, shortest): with an exponent from a million on. */
export function goNumber(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
  if (Object.is(value, -0)) return "-0";
  if (value === 0 || (Math.abs(value) < 1e6 && Math.abs(value) >= 1e-4)) return String(value);
  return scientific(value);
}

function scientific(value: number): string {
  const [mantissa = "", exponent = ""] = value.toExponential().split("e");
  const digits = exponent.replace(/^[+-]/u, "").padStart(2, "0");
  return `${mantissa}e${exponent.startsWith("-") ? "-" : "+"}${digits}`;
}

/** As encoding/json has it: whole numbers are numbers there, and what is not there is null. */
export function dataOf(value: Value): Json {
  if (value === undefined || value === null) return null;
  if (typeof value === "bigint") return Number(value);
  if (isList(value)) return value.map(dataOf);
  if (isMap(value)) return Object.fromEntries(sortedEntries(value).map(([key, one]) => [key, dataOf(one)]));
  return value;
}

/** True where Go's reflect.DeepEqual says so. */
export function isSame(a: Value, b: Value): boolean {
  return typed(a) === typed(b);
}

/** A text that two values have in common only if they are the same. */
export function typed(value: Value): string {
  if (typeof value === "bigint") return `${value}n`;
  if (isList(value)) return `[${value.map(typed).join()}]`;
  if (isMap(value))
    return `{${sortedEntries(value)
      .map(([key, one]) => `${JSON.stringify(key)}:${typed(one)}`)
      .join()}}`;
  return JSON.stringify(value ?? null);
}

/** A name as Kubernetes takes it (Argo CD: SanitizeName). */
export function sanitizedName(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^-a-z0-9.]/gu, "-")
    .slice(0, 253)
    .replace(/^[-.]+|[-.]+$/gu, "");
}
