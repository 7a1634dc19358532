import { quietly } from "../../base/errors.ts";
import type { Limits } from "../../base/limits.ts";
import { documentValues, valuesText } from "./merged-values.ts";
import type { Value } from "./set-values.ts";
import { placeholderOf } from "./unknown-values.ts";

// Files of values that are encrypted in Git, each value by itself (SOPS): kustomize-controller decrypts those that a
// secretGenerator takes.

/** Whether a text is a value that SOPS has encrypted. */
export function isEncrypted(text: string): boolean {
  return text.startsWith("ENC[");
}

/** The values of an encrypted text with placeholders in the place of those that are; undefined for a text that isn't encrypted. */
export function withoutSops(
  text: string,
  limits: Limits,
): { readonly text: string; readonly hidden: number } | undefined {
  if (!text.includes("ENC[") || !/^\s*["']?sops["']?\s*:/mu.test(text)) return undefined;
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
  const own = new Map([...values].filter(([key]) => key !== "sops"));
  return { text: valuesText(plain(own)), hidden };
}
