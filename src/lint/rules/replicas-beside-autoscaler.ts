import { describe } from "../../manifest/items.ts";
import { getPath, kindOf } from "../../manifest/node.ts";
import { autoscalerOf, findAutoscalers } from "../../rollout/written-rollout.ts";
import { firstField, problem, type LintRule } from "../rule.ts";

/** `replicas` on what a HorizontalPodAutoscaler scales: each apply undoes the autoscaler's work. */
export const REPLICAS_BESIDE_AUTOSCALER: LintRule = {
  id: "RS010",
  severity: "warning",
  title: "replicas set on the target of a HorizontalPodAutoscaler",
  remedy: "Leave replicas out: the autoscaler sets them, and an apply would set them back.",
  check: ({ items, workloads, spec }) => {
    const autoscalers = findAutoscalers(items, spec.defaultNamespace);
    return workloads.flatMap(({ workload }) => {
      const { item } = workload;
      const scaler = autoscalerOf(workload, autoscalers)?.item;
      const replicas = getPath(item.tree, item.node, ["spec", "replicas"]);
      if (scaler === undefined || kindOf(item.tree, replicas) !== "number") return [];
      const message = `${describe(item)} sets replicas, and ${describe(scaler)} scales it`;
      return [problem(item, firstField(item, "spec.replicas"), message, { others: [scaler] })];
    });
  },
};
