import type { Json } from "./node.ts";

// Readers of data that a schema has already accepted: what is missing gives the empty value.

/** The fields of a mapping; none of any other value. */
export function fieldsOf(value: Json | undefined): { readonly [key: string]: Json | undefined } {
  return value !== null && typeof value === "object" && !Array.isArray(value) ? value : {};
}

/** The items of a list; none of any other value. */
export function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: Json | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** Those of the allowed texts that a list has, in their own order. */
export function someOf<T extends string>(value: Json | undefined, allowed: readonly T[]): readonly T[] {
  const given = listOf(value);
  return allowed.filter((candidate) => given.includes(candidate));
}

/** One of the allowed texts, or the default. */
export function oneOf<T extends string>(value: Json | undefined, allowed: readonly T[], fallback: T): T {
  return allowed.find((candidate) => candidate === value) ?? fallback;
}
