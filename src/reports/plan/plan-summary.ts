import type { Action, PlannedWorkload, PlanSummary } from "./plan-report.ts";

/** How many workloads of a plan do what, and how many pods they replace. */
export function summaryOf(planned: readonly PlannedWorkload[], otherObjects: number = 0): PlanSummary {
  const count = (action: Action): number => planned.filter((workload) => workload.action === action).length;
  return {
    workloads: planned.length,
    rolls: count("Roll"),
    nextRuns: count("NextRun"),
    noEffects: count("NoEffect"),
    reloads: count("Reload"),
    fails: count("Fail"),
    creates: count("Create"),
    deletes: count("Delete"),
    pods: planned.reduce((sum, { pods }) => sum + pods, 0),
    podsAtMost: planned.reduce((sum, { pods, podsAtMost = pods }) => sum + podsAtMost, 0),
    otherObjects,
  };
}
