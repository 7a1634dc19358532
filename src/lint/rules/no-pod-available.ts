import type { Findings } from "../../findings/catalogue.ts";
import { resourceRef } from "../../results/location.ts";
import { leavesNoPod, type Strategy } from "../../rollout/mechanics.ts";
import { firstField, problem, type LintRule } from "../rule.ts";

/** A rollout during which, at some moment, no pod is available. */
export const NO_POD_AVAILABLE: LintRule<"RS004"> = {
  id: "RS004",
  check: ({ workloads }) =>
    workloads
      .filter(({ rollout }) => leavesNoPod(rollout))
      .map(({ workload: { item }, rollout: { strategy } }) =>
        problem(item, firstField(item, "spec.strategy", "spec.updateStrategy", "spec.replicas", "spec"), {
          id: "RS004",
          cause: "strategy",
          params: { workload: resourceRef(item), strategy: strategy === null ? null : paramsOf(strategy) },
        }),
      ),
};

function paramsOf({ type, replicas, maxUnavailable, maxSurge }: Strategy): Findings["RS004"]["strategy"]["strategy"] {
  return { type, replicas, maxUnavailable, maxSurge };
}
