import { resourceRef } from "../../../findings/results/location.ts";
import { isUnprobed } from "../../../kubernetes/rollout/readiness.ts";
import { rolloutKind } from "../../../kubernetes/rollout/rollout-kinds.ts";
import { indexServices } from "../../../kubernetes/rollout/services.ts";
import { podContainers } from "../../../kubernetes/workloads/containers.ts";
import { podLabels } from "../../../kubernetes/workloads/pod-labels.ts";
import { problem, type LintRule } from "../rule.ts";

/** Pods behind a Service that say nothing of when they are ready: "available" means started. */
export const UNPROBED_SERVICE: LintRule<"RS016"> = {
  id: "RS016",
  check: (context) => {
    const unprobed = context.workloads.flatMap(({ workload, rollout }) => {
      const { item } = workload;
      const [template] = workload.templates;
      if (rollout.effect !== "Roll" || rolloutKind(item.group, item.kind)?.strategy === undefined) return [];
      return template !== undefined && isUnprobed(template) ? [{ workload, template }] : [];
    });
    if (unprobed.length === 0) return [];
    const services = indexServices(context.items, context.spec.defaultNamespace);
    return unprobed.flatMap(({ workload, template }) => {
      const found = services(workload.namespace, podLabels(template));
      if (found.length === 0) return [];
      const [container] = podContainers(template, ["containers"]);
      const params = { workload: resourceRef(workload.item), services: found.map(({ name }) => name) };
      const at = container ?? { node: workload.item.node };
      return [problem(workload.item, at, { id: "RS016", cause: "unprobed", params }, found)];
    });
  },
};
