import { getPath, kindOf } from "../../../yaml/read/node.ts";
import { resourceRef } from "../../../findings/results/location.ts";
import { autoscalerOf, findAutoscalers } from "../../../kubernetes/rollout/scalers.ts";
import { firstField, problem, type LintRule } from "../rule.ts";

/** `replicas` on what a HorizontalPodAutoscaler scales: each apply undoes the autoscaler's work. */
export const REPLICAS_BESIDE_AUTOSCALER: LintRule<"RS010"> = {
  id: "RS010",
  check: ({ items, workloads, spec }) => {
    const autoscalers = findAutoscalers(items, spec.defaultNamespace);
    return workloads.flatMap(({ workload }) => {
      const { item } = workload;
      const found = autoscalerOf(workload, autoscalers);
      const scaler = found?.kind === "HorizontalPodAutoscaler" ? found.item : undefined;
      const replicas = getPath(item.tree, item.node, ["spec", "replicas"]);
      if (scaler === undefined || kindOf(item.tree, replicas) !== "number") return [];
      const params = { workload: resourceRef(item), scaler: resourceRef(scaler) };
      return [problem(item, firstField(item, "spec.replicas"), { id: "RS010", cause: "scaled", params }, [scaler])];
    });
  },
};
