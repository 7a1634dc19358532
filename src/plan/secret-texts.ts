import { isObject, type Json } from "../manifest/node.ts";
import type { PlanPart } from "./join-parts.ts";
import type { Reason } from "./plan-reasons.ts";

// What a chart puts values of a Secret into is no Secret any more: an image with a token in its address. Values that are known
// to come from one are hidden wherever they stand in what differs (contract, section 8).

/** Shorter ones are words of manifests: `true`, `web`, `info`. */
const SHORTEST = 5;

/** A part of a plan without the values of fields in which one of these texts stands. */
export function withoutSecretTexts(part: PlanPart, texts: readonly string[]): PlanPart {
  const secret = [...new Set(texts)].filter((text) => text.length >= SHORTEST);
  if (secret.length === 0) return part;
  const rows = part.rows.map((row) => {
    const reasons = row.planned.reasons.map((reason) => hiddenIn(reason, secret));
    return { ...row, planned: { ...row.planned, reasons } };
  });
  return { ...part, rows };
}

function hiddenIn(reason: Reason, secret: readonly string[]): Reason {
  if (reason.type !== "Template" && reason.type !== "Immutable") return reason;
  const { from = null, to = null, ...rest } = reason;
  return holds(from, secret) || holds(to, secret) ? { ...rest, hidden: true } : reason;
}

function holds(value: Json, secret: readonly string[]): boolean {
  if (typeof value === "string") return secret.some((text) => value.includes(text));
  if (Array.isArray(value)) return value.some((one) => holds(one, secret));
  return isObject(value) && Object.values(value).some((one) => holds(one, secret));
}
