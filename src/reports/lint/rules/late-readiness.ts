import { resourceRef } from "../../../findings/results/location.ts";
import { firstField, problem, type LintRule } from "../rule.ts";

/** A deadline that is over before a pod can count as available. */
export const LATE_READINESS: LintRule<"RS020"> = {
  id: "RS020",
  check: ({ workloads }) =>
    workloads.flatMap(({ workload: { item }, rollout }) => {
      const late = rollout.refused?.readyTooLate;
      if (late === undefined) return [];
      const at = firstField(item, "spec.minReadySeconds", "spec.progressDeadlineSeconds");
      return [problem(item, at, { id: "RS020", cause: "deadline", params: { workload: resourceRef(item), ...late } })];
    }),
};
