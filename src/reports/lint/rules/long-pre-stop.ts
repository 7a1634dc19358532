import { longPreStops } from "../../../kubernetes/rollout/pre-stop.ts";
import { problem, type LintRule } from "../rule.ts";

/** A preStop hook that is still asleep when the pod is killed. */
export const LONG_PRE_STOP: LintRule<"RS019"> = {
  id: "RS019",
  check: ({ workloads }) =>
    workloads.flatMap(({ workload, templates }) =>
      templates.flatMap(({ template }) =>
        longPreStops(workload, template).map(({ told, node, field }) => problem(workload.item, { node, field }, told)),
      ),
    ),
};
