import { createHash } from "node:crypto";
import type { DataValue } from "./data-objects.ts";

/** How much of a digest tells one unknown value from another. */
const DIGITS = 10;

/**
 * What stands for a value that nobody here knows: a text to YAML and to DNS, whatever is behind it. It is another one
 * where what Git has of the value is another text, so that a change shows.
 */
export function placeholderOf(...from: readonly string[]): string {
  return `unknown-${createHash("sha256").update(from.join("\0")).digest("hex").slice(0, DIGITS)}`;
}

export function unknownValue(because: string, ...from: readonly string[]): DataValue {
  return { is: "unknown", placeholder: placeholderOf(...from), because };
}
