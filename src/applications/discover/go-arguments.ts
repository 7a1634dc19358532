import { inside, isList, isMap, wrong, type Value } from "./go-values.ts";

// Arguments of functions, as Go's reflection and spf13/cast take them.

const LONGEST = 1 << 16;
const LONGEST_LIST = 10_000;

export type Fn = (...values: Value[]) => Value;
export type Functions = Readonly<Record<string, Fn>>;

export function text(value: Value): string {
  if (typeof value === "string") return value;
  throw wrong("gives a function something else than a text");
}

/** An int: no float64, as numbers of data are. */
export function int(value: Value): number {
  if (typeof value === "bigint") return Number(value);
  throw wrong("gives a function something else than a whole number of Go's (numbers of data are none: int makes one)");
}

export function list(value: Value): readonly Value[] {
  if (isList(value)) return value;
  throw wrong("gives a function something else than a list");
}

export function own(value: Value, key: string): Value {
  return isMap(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** As spf13/cast does it: what is none is 0. */
export function float(value: Value): number {
  if (typeof value === "number") return value;
  if (typeof value === "bigint") return Number(value);
  if (typeof value === "boolean") return value ? 1 : 0;
  return typeof value === "string" && /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/u.test(value) ? Number(value) : 0;
}

/** As spf13/cast does it: what is none, a fraction in a text too, is 0. */
export function int64(value: Value): bigint {
  if (typeof value === "bigint") return value;
  if (typeof value === "number") return Number.isFinite(value) ? BigInt.asIntN(64, BigInt(Math.trunc(value))) : 0n;
  if (typeof value === "boolean") return value ? 1n : 0n;
  return typeof value === "string" ? (parsedInt(value.replace(/(?<=\d)\.0*$/u, "")) ?? 0n) : 0n;
}

/** A whole number as strconv.ParseInt reads it with base 0; undefined for what is none, or too large. */
export function parsedInt(written: string): bigint | undefined {
  const [, sign = "", digits = ""] = /^([+-]?)(\d[\w]*)$/u.exec(written) ?? [];
  const plain = digits.replaceAll("_", "").replace(/^0(?=\d)/u, "0o");
  if (!/^(?:\d+|0[oO][0-7]+|0[xX][0-9a-fA-F]+|0[bB][01]+)$/u.test(plain) || plain.length > 70) return undefined;
  const value = sign === "-" ? -BigInt(plain) : BigInt(plain);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

export function limited(value: string): string {
  if (value.length > LONGEST) throw wrong("makes a text of more than 64 KiB");
  return value;
}

export function repeated(count: number, value: string): string {
  if (count * value.length > LONGEST) throw wrong("makes a text of more than 64 KiB");
  return value.repeat(Math.max(0, count));
}

/** The numbers from one to another, without it. */
export function steps(start: number, stop: number, step: number): Value[] {
  if (stop < start ? step >= 0 : step <= 0) return [];
  const count = Math.ceil((stop - start) / step);
  if (count > LONGEST_LIST) throw wrong(`makes a list of more than ${LONGEST_LIST}`);
  return Array.from({ length: count }, (_, i) => BigInt(start + i * step));
}

/** A list of texts, of whatever there was. */
export function strings(value: Value): string[] {
  if (isList(value)) return value.filter((one) => one !== undefined && one !== null).map(inside);
  return value === undefined || value === null ? [] : [inside(value)];
}
