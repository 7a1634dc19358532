import { describe } from "../../manifest/items.ts";
import { leavesNoPod, type Strategy } from "../../rollout/mechanics.ts";
import { firstField, problem, type LintRule } from "../rule.ts";
import { counted } from "../../ground/words.ts";

/** A rollout during which, at some moment, no pod is available. */
export const NO_POD_AVAILABLE: LintRule = {
  id: "RS004",
  severity: "warning",
  title: "A rollout that leaves no pod available",
  remedy: "Give it more replicas, or a strategy that starts a new pod before it stops the last old one.",
  check: ({ workloads }) =>
    workloads
      .filter(({ rollout }) => leavesNoPod(rollout))
      .map(({ workload: { item }, rollout: { strategy } }) =>
        problem(
          item,
          firstField(item, "spec.strategy", "spec.updateStrategy", "spec.replicas", "spec"),
          `${describe(item)} has no pod available at some moment of a rollout${how(strategy)}`,
        ),
      ),
};

function how(strategy: Strategy | null): string {
  if (strategy === null) return "";
  const replicas = strategy.replicas === null ? "one pod a node" : counted(strategy.replicas, "replica");
  const unavailable = strategy.maxUnavailable === null ? "" : `, maxUnavailable ${strategy.maxUnavailable}`;
  const surge = strategy.maxSurge === null ? "" : `, maxSurge ${strategy.maxSurge}`;
  return `: ${strategy.type} with ${replicas}${unavailable}${surge}`;
}
