import { counted } from "../../base/words.ts";
import type { PlanFinding, RolloutPlan } from "./plan-report.ts";
import { DONE, FOUND, type ExitStatus } from "../../base/exit-status.ts";

/** What a plan may not go beyond; undefined: no limit. */
export interface Limits {
  readonly maxWorkloads: number | undefined;
  readonly maxPods: number | undefined;
  /** The ids of rules any finding of which is too much. */
  readonly failOn: readonly string[];
}

/** What of a plan limits are held against. */
type Limited = Pick<RolloutPlan, "summary" | "workloads" | "findings">;

/** The limits that a plan is over, in words. */
export function exceededLimits(report: Limited, limits: Limits): string[] {
  const { rolls, podsAtMost: pods } = report.summary;
  const exceeded: string[] = [];
  if (limits.maxWorkloads !== undefined && rolls > limits.maxWorkloads) {
    exceeded.push(
      `${counted(rolls, "workload rolls", "workloads roll")}, and at most ${limits.maxWorkloads} may (--max-workloads)`,
    );
  }
  if (limits.maxPods !== undefined && pods > limits.maxPods) {
    exceeded.push(`${counted(pods, "pod is", "pods are")} replaced, and at most ${limits.maxPods} may be (--max-pods)`);
  }
  for (const id of limits.failOn) {
    const count = ownFindings(report).filter((finding) => finding.id === id).length;
    if (count > 0) exceeded.push(`${counted(count, "finding")} of ${id} (--fail-on)`);
  }
  return exceeded;
}

/** 1 where something fails to apply or to render, a finding that the base had not is an error, or a limit is exceeded. */
export function planStatus(report: RolloutPlan): ExitStatus {
  const isError = ownFindings(report).some(({ severity }) => severity === "error");
  const isUnrendered = (report.applications ?? []).some(({ status }) => status === "Failed");
  return report.summary.fails > 0 || isUnrendered || isError || report.exceeded.length > 0 ? FOUND : DONE;
}

/** The findings that come of this change: a gate that stopped for older ones would stop every change. */
export function ownFindings(report: Pick<RolloutPlan, "workloads" | "findings">): readonly PlanFinding[] {
  return [...report.workloads.flatMap(({ findings }) => findings), ...report.findings].filter(
    ({ before }) => before !== true,
  );
}
