import { createHash, createHmac } from "node:crypto";
import { quietly } from "../../base/errors.ts";
import type { Limits } from "../../base/limits.ts";
import { placeholderWith } from "../../base/placeholders.ts";
import type { DataValue } from "./data-objects.ts";
import { documentValues, valuesText } from "./merged-values.ts";
import type { Value } from "./set-values.ts";

/**
 * A placeholder for an unknown value, which changes if the text in Git for the value changes. What is printed has one word
 * instead.
 */
export function placeholderOf(...from: readonly string[]): string {
  return placeholderWith(createHash("sha256").update(from.join("\0")).digest("hex"));
}

export function unknownValue(because: string, ...from: readonly string[]): DataValue {
  return { is: "unknown", placeholder: placeholderOf(...from), because };
}

/** A placeholder for a value that must not be shown. Like a stamp, it can be compared with guesses unless there is a key. */
export function hiddenValue(because: string, text: string, key: Uint8Array | undefined): DataValue {
  if (key === undefined) return unknownValue(because, text);
  const digest = createHmac("sha256", key).update("placeholder\0").update(text).digest("hex");
  return { is: "unknown", placeholder: placeholderWith(digest), because };
}

// SOPS encrypts each value of a file separately. kustomize-controller decrypts the files of a secretGenerator.

/** Whether text is a value that SOPS has encrypted. */
export function isEncrypted(text: string): boolean {
  return text.startsWith("ENC[");
}

/** Replaces the encrypted values of text by placeholders; undefined if the text is not encrypted. */
export function withoutSops(
  text: string,
  limits: Limits,
): { readonly text: string; readonly hidden: number } | undefined {
  if (!text.includes("ENC[") || !/^[ \t]*["']?sops["']?\s*:/mu.test(text)) return undefined;
  const values = quietly(() => documentValues(text, "the values", limits));
  const metadata = values?.get("sops");
  if (values === undefined || !(metadata instanceof Map) || typeof metadata.get("mac") !== "string") return undefined;
  let hidden = 0;
  const plain = (value: Value): Value => {
    if (value instanceof Map) return new Map([...value].map(([key, one]) => [key, plain(one)]));
    if (Array.isArray(value)) return value.map(plain);
    if (typeof value !== "string" || !isEncrypted(value)) return value;
    hidden += 1;
    return placeholderOf(value);
  };
  const withoutMetadata = new Map([...values].filter(([key]) => key !== "sops"));
  return { text: valuesText(plain(withoutMetadata)), hidden };
}
