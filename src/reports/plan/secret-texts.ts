import { type Json } from "../../yaml/read/node.ts";
import { isMapping } from "../../yaml/read/json.ts";
import type { ShownValues } from "./hidden-values.ts";
import type { PlanPart } from "./parts.ts";
import type { Reason } from "./plan-reasons.ts";

// A chart may write values of a Secret into other fields, such as a token into the address of an image. Values that are
// known to come from a Secret are hidden in all reasons (contract, section 8).

/** Shorter values are common words of manifests: `true`, `web`, `info`. */
const SHORTEST = 5;

/** A part of a plan without the values of fields that contain one of these strings. */
export function withoutSecretTexts(part: PlanPart, texts: readonly string[]): PlanPart {
  const secret = byBeginning(texts);
  if (secret.size === 0) return part;
  const rows = part.rows.map((row) => {
    const reasons = row.planned.reasons.map((reason) => hiddenIn(reason, secret));
    return { ...row, planned: { ...row.planned, reasons } };
  });
  const objects = part.objects.map((object) => ({
    ...object,
    fields: object.fields.map((field) => withoutValues(field, secret)),
  }));
  return { ...part, rows, objects };
}

/** Strings by their first characters: there may be thousands, and few fields begin with the same ones. */
type Secrets = ReadonlyMap<string, ReadonlySet<string>>;

function byBeginning(texts: readonly string[]): Secrets {
  const found = new Map<string, Set<string>>();
  for (const text of texts) {
    if (text.length < SHORTEST) continue;
    const beginning = text.slice(0, SHORTEST);
    const same = found.get(beginning);
    if (same === undefined) found.set(beginning, new Set([text]));
    else same.add(text);
  }
  return found;
}

function hiddenIn(reason: Reason, secret: Secrets): Reason {
  if (reason.type === "Template") return withoutValues(reason, secret);
  return reason.type === "Immutable" ? withoutValues(reason, secret) : reason;
}

function withoutValues<T extends ShownValues>(
  changed: T,
  secret: Secrets,
): T | (Omit<T, "from" | "to"> & { readonly hidden: true }) {
  const { from = null, to = null, ...rest } = changed;
  return holds(from, secret) || holds(to, secret) ? { ...rest, hidden: true } : changed;
}

function holds(value: Json, secret: Secrets): boolean {
  if (typeof value === "string") return holdsOne(value, secret);
  if (Array.isArray(value)) return value.some((one) => holds(one, secret));
  return isMapping(value) && Object.values(value).some((one) => holds(one, secret));
}

function holdsOne(text: string, secret: Secrets): boolean {
  for (let offset = 0; offset + SHORTEST <= text.length; offset += 1) {
    for (const value of secret.get(text.slice(offset, offset + SHORTEST)) ?? [])
      if (text.startsWith(value, offset)) return true;
  }
  return false;
}
