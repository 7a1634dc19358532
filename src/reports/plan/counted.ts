import { severityOf } from "../../findings/catalogue/finding.ts";
import type { RolloutPlan } from "./plan-report.ts";
import type { PlanFinding, PlannedObject, PlannedWorkload } from "./planned-workload.ts";
import type { Held, PlannedApplication } from "./planned-application.ts";

// What counts in a plan: what this change introduces, and what is applied.

/** The findings that this change introduces. A gate for existing findings would block every change. */
export function newFindings({ workloads, findings }: Pick<RolloutPlan, "workloads" | "findings">): PlanFinding[] {
  return [...workloads.filter(isApplied).flatMap((workload) => workload.findings), ...findings].filter(
    ({ before, isNotApplied, accepted }) => before !== true && isNotApplied !== true && accepted === undefined,
  );
}

/** True for a finding of severity error that is not in the base, and that nobody accepted. */
export function isError(finding: PlanFinding): boolean {
  return severityOf(finding) === "error" && finding.before !== true && finding.accepted === undefined;
}

/** Whether the change of a workload or object is applied: its application is not held back, and no orphan. */
export function isApplied({ held, orphan }: Pick<PlannedWorkload, "held" | "orphan">): boolean {
  return held === undefined && orphan !== true;
}

/** Whether a stamp would roll a stale workload: where nothing replaces pods (OnDelete, paused), it would not. */
export function rollsIfStamped({ action, because }: Pick<PlannedWorkload, "action" | "because">): boolean {
  return action === "Stale" && because?.id !== "rollout";
}

/** The objects besides workloads whose change the API server refuses. */
export function refusedObjects({ objects }: Pick<RolloutPlan, "objects">): PlannedObject[] {
  return objects.filter((object) => object.refused !== undefined && isApplied(object));
}

/** Whether the change breaks an application: reports name it. */
export function isBroken({ status, failedBefore, orphan }: PlannedApplication): boolean {
  return status === "Failed" && failedBefore !== true && orphan !== true;
}

/** Whether the change may do something in an orphan: it counts nowhere, but reports list it. */
export function isTouchedOrphan({ status, orphan }: Pick<PlannedApplication, "status" | "orphan">): boolean {
  return orphan === true && status !== "NotAffected" && status !== "Unchanged";
}

/** Whether an engine holds an application back until somebody acts, or its chart has a new version. `Manual` counts as usual. */
export function isHeldBack<T extends { readonly held?: Held }>(
  application: T,
): application is T & { readonly held: Exclude<Held, "Manual"> } {
  return application.held !== undefined && application.held !== "Manual";
}

/** Whether a broken application decides: what is held back is not applied now. */
export function isFailing(application: PlannedApplication): boolean {
  return isBroken(application) && !isHeldBack(application);
}
