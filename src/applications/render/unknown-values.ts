import { createHash, createHmac } from "node:crypto";
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

/**
 * What stands for a value that is known here and is not to be shown. As a stamp, it can be held against guesses unless there
 * is a key.
 */
export function hiddenValue(because: string, text: string, key: Uint8Array | undefined): DataValue {
  if (key === undefined) return unknownValue(because, text);
  const digest = createHmac("sha256", key).update("placeholder\0").update(text).digest("hex");
  return { is: "unknown", placeholder: `unknown-${digest.slice(0, DIGITS)}`, because };
}
