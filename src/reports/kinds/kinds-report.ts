import type { Account } from "../../findings/not-examined/not-examined.ts";
import type { ReferenceOption, WorkloadOption } from "../../base/config-hash-options.ts";

// The shape of `kinds -o json` (schemas/kinds.json).

export interface KindsReport extends Account {
  /** The cluster's context, where the definitions are a cluster's. */
  readonly context?: string;
  /** By group, then kind. */
  readonly kinds: readonly KindReport[];
}

export interface KindReport {
  readonly group: string;
  readonly kind: string;
  /** The version whose schema was looked at. */
  readonly version?: string;
  readonly status: KindStatus;
  /** Rows of `workloads`: of a built-in kind those that would say the same. */
  readonly workloads: readonly WorkloadOption[];
  /** Of a built-in kind: the option that it follows, or that switches it on. */
  readonly option?: string;
  /** Fields that name sources, of pods of which the schema doesn't show where their annotations go. */
  readonly references?: readonly ReferenceOption[];
  /** Fields that by their names are pod templates, and whose schema takes anything. */
  readonly open?: readonly string[];
}

export type KindStatus =
  /** Known without configuration. */
  | "BuiltIn"
  /** Its entries are derived from its schema. */
  | "Derived"
  /** It names sources as pod specs do, and nothing shows where annotations of its pods go. */
  | "NoPlace"
  /** It has what may be a pod template, and a schema that doesn't say. */
  | "Open"
  /** It runs once, is a policy or a machine, makes a Secret: no pod of its own is rolled by a stamp. */
  | "LeftOut"
  /** It has neither pod templates nor references as pod specs have them. */
  | "None";
