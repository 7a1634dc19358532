import { invalid, isList, isMap, parseInt64, type Value, type ValueMap } from "./go-values.ts";

// Arguments of template functions, with the type that Go requires. Each function here throws a TemplateProblem for another type.

export function stringArg(value: Value): string {
  if (typeof value === "string") return value;
  throw invalid("passes a value to a function that takes a string");
}

/** A Go int: numbers of parameters are float64 and must be converted first. */
export function intArg(value: Value): number {
  if (typeof value === "bigint") return Number(value);
  throw invalid("passes a value to a function that takes an integer (int converts numbers of parameters)");
}

export function booleanArg(value: Value): boolean {
  if (typeof value === "boolean") return value;
  throw invalid("passes a value to a function that takes true or false");
}

export function listArg(value: Value): readonly Value[] {
  if (isList(value)) return value;
  throw invalid("passes a value to a function that takes a list");
}

export function mapArg(value: Value): ValueMap {
  if (isMap(value)) return value;
  throw invalid("passes a value to a function that takes a mapping");
}

/** As spf13/cast converts it: anything that is not a number is 0, also a string with a fraction. */
export function int64(value: Value): bigint {
  if (typeof value === "bigint") return value;
  if (typeof value === "number") return Number.isFinite(value) ? BigInt.asIntN(64, BigInt(Math.trunc(value))) : 0n;
  if (typeof value === "boolean") return value ? 1n : 0n;
  return typeof value === "string" ? (parseInt64(value.replace(/(?<=\d)\.0*$/u, "")) ?? 0n) : 0n;
}
