import type { Place } from "../ground/errors.ts";
import type { Item } from "../manifest/items.ts";

export type Severity = "error" | "warning" | "info";

/** The object that a finding is about. */
export interface ResourceRef {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

/** Something that a person should know, about one object; words come from findings' own makers. */
export interface Finding {
  /** A lint rule's id (RS001), or the name of a check of ConfigHash's own. */
  readonly rule: string;
  readonly severity: Severity;
  readonly message: string;
  /** What to do. */
  readonly remedy?: string;
  readonly resource?: ResourceRef;
  /** A field path as KRM results have it: `spec.template.spec.containers[0].env[1]`. */
  readonly field?: string;
  /** The file that the host says the object is from, as KRM results have it. */
  readonly file?: { readonly path: string; readonly index?: number };
  readonly place?: Place;
  readonly tags?: Readonly<Record<string, string>>;
}

/** The reference to an item, for a finding. */
export function resourceRef(item: Item): ResourceRef {
  const { apiVersion, kind, name, namespace } = item;
  return namespace === "" ? { apiVersion, kind, name } : { apiVersion, kind, name, namespace };
}

const RANK: Readonly<Record<Severity, number>> = { error: 0, warning: 1, info: 2 };

/** True where a finding is at least as severe as a limit. */
export function atLeast(finding: Finding, limit: Severity): boolean {
  return RANK[finding.severity] <= RANK[limit];
}
