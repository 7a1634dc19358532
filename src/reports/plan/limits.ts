import { DONE, FOUND, type ExitStatus } from "../../base/errors.ts";
import { isBroken, isError, newFindings } from "./counted.ts";
import type { ExceededLimit, RolloutPlan } from "./plan-report.ts";

/** The limits of a plan; undefined means no limit. */
export interface Limits {
  readonly maxWorkloads: number | undefined;
  readonly maxPods: number | undefined;
  /** Patterns of deletions that the user accepts: `KIND/NAMESPACE/NAME`. */
  readonly acceptDeletes?: readonly string[];
  /** The rules for which a new finding is an error. */
  readonly failOn: readonly string[];
}

/** The limits that a plan exceeds. */
export function exceededLimits(
  plan: Pick<RolloutPlan, "summary" | "workloads" | "findings">,
  { maxWorkloads = Infinity, maxPods = Infinity, failOn }: Limits,
): ExceededLimit[] {
  const { rolls, podsAtMost } = plan.summary;
  const found = failOn.map((rule) => ({ rule, findings: newFindings(plan).filter(({ id }) => id === rule).length }));
  return [
    ...(rolls > maxWorkloads ? [{ limit: "maxWorkloads", actual: rolls, allowed: maxWorkloads } as const] : []),
    ...(podsAtMost > maxPods ? [{ limit: "maxPods", actual: podsAtMost, allowed: maxPods } as const] : []),
    ...found.filter(({ findings }) => findings > 0).map((row) => ({ limit: "failOn", ...row }) as const),
  ];
}

/** 1 if something fails to apply or to render, a new finding is an error, or a limit is exceeded. */
export function planStatus(plan: RolloutPlan): ExitStatus {
  const isFailed = (plan.applications ?? []).some(isBroken);
  const isWrong = plan.summary.fails > 0 || isFailed || plan.exceeded.length > 0 || newFindings(plan).some(isError);
  return isWrong ? FOUND : DONE;
}
