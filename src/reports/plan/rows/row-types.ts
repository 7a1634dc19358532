import type { ChangedField } from "../plan-reasons.ts";
import type { Label } from "../labels.ts";
import type { ExceededLimit, Level, UnreadFile } from "../plan-report.ts";
import type { AcceptedFinding, PlanFinding, PlannedObject, PlannedWorkload } from "../planned-workload.ts";
import type { AppliedWhen, Held, PlannedApplication } from "../planned-application.ts";
import type { Effect, Fix } from "./effects.ts";
import type { RowCause } from "./row-causes.ts";

/*
 * The rows of a report: subjects with one label, cause and fix are one row. A row whose level is not `ok` has all of its
 * subjects in every form.
 */

export interface ReportRows {
  /** What all rows share: a report has it once. */
  readonly causes: readonly RowCause[];
  readonly risky: readonly ReportRow[];
  readonly routine: readonly ReportRow[];
  /** What was accepted, stays in the cluster or was so before, and findings that no other row has. */
  readonly aside: readonly ReportRow[];
  /** Changes that are merged, but not applied. */
  readonly held: readonly HeldRow[];
  /** Applications that nothing applies, and that differ. */
  readonly orphans: readonly PlannedApplication[];
}

export type Many<T> = readonly [T, ...T[]];

export interface Rated {
  readonly label: Label;
  /** Undefined for what is not applied, or was accepted. */
  readonly level: Level | undefined;
}

export type ReportRow =
  | WorkloadRow
  | ObjectRow
  | ChangeRow
  | FindingRow
  | ApplicationRow
  | (Rated & { readonly is: "limit"; readonly limit: ExceededLimit })
  | (Rated & { readonly is: "unread"; readonly files: Many<UnreadFile> });

export interface WorkloadRow extends Rated {
  readonly is: "workloads";
  /** By effect; a risky row has one. */
  readonly entries: Many<WorkloadEntry>;
  /** The causes that not all rows share. */
  readonly causes: readonly RowCause[];
  /** Further causes of the workloads of one kind. */
  readonly also: readonly { readonly kind: string; readonly causes: readonly RowCause[] }[];
  readonly fix?: Fix;
  readonly accepted?: AcceptedFinding;
}

export interface WorkloadEntry {
  readonly effect: Effect;
  readonly appliedWhen: AppliedWhen | undefined;
  readonly workloads: Many<PlannedWorkload>;
}

/** Objects that are deleted, of one kind. */
export interface ObjectRow extends Rated {
  readonly is: "objects";
  readonly objects: Many<PlannedObject>;
  readonly causes: readonly RowCause[];
  readonly appliedWhen: AppliedWhen | undefined;
}

/** Other objects that change in the same way, or move with the workloads. */
export interface ChangeRow extends Rated {
  readonly is: "changes";
  readonly change: PlannedObject["change"] | "Move";
  readonly fields: readonly ChangedField[];
  readonly moreFields: number;
  readonly objects: Many<PlannedObject>;
}

/** Findings of one rule that need the same fix. */
export interface FindingRow extends Rated {
  readonly is: "findings";
  readonly findings: Many<PlanFinding>;
}

/** Applications that cannot be rendered for one reason. */
export interface ApplicationRow extends Rated {
  readonly is: "applications";
  readonly applications: Many<PlannedApplication>;
  /** The message of the tool, line by line. */
  readonly lines: readonly string[];
}

/** Changes of applications that are held back for one reason. */
export interface HeldRow {
  readonly held: Exclude<Held, "Manual">;
  readonly applications: readonly PlannedApplication[];
  readonly workloads: readonly PlannedWorkload[];
  readonly objects: number;
  readonly causes: readonly RowCause[];
}
