import type { NotExamined } from "../../findings/not-examined/not-examined.ts";
import type { ChangedSource, LookedAcross } from "../../reports/plan/across-applications.ts";
import type { PlanPart } from "../../reports/plan/parts.ts";
import type { PlannedApplication } from "../../reports/plan/planned-application.ts";

/** The result of comparing an application. */
export interface Compared {
  readonly application: PlannedApplication;
  readonly part?: PlanPart;
  readonly notExamined: readonly NotExamined[];
  /** Its changed sources, and what other applications of its cluster need to know of its head; undefined if it is unchanged. */
  readonly changed?: readonly ChangedSource[];
  readonly across?: LookedAcross;
}
