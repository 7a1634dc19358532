import { get, itemsOf } from "../../manifest/node.ts";
import { NONE } from "../../manifest/tree.ts";
import { resourceRef } from "../../results/location.ts";
import { rolloutKind } from "../../rollout/rollout-kinds.ts";
import { podContainers } from "../../workloads/containers.ts";
import type { PodTemplate } from "../../workloads/types.ts";
import { indexPods } from "../pods.ts";
import { problem, type LintRule } from "../rule.ts";
import { servedPods } from "../services.ts";

/** Pods behind a Service that say nothing of when they are ready: "available" means started. */
export const UNPROBED_SERVICE: LintRule<"RS016"> = {
  id: "RS016",
  check: (context) => {
    const unprobed = context.workloads.filter(
      ({ workload: { item }, rollout, templates: [own] }) =>
        rollout.effect === "Roll" &&
        rolloutKind(item.group, item.kind)?.strategy !== undefined &&
        own !== undefined &&
        isUnprobed(own.template),
    );
    if (unprobed.length === 0) return [];
    const services = servedPods(context, indexPods({ workloads: unprobed }));
    return [...services].map(([{ linted, template }, found]) => {
      const { item } = linted.workload;
      const [container] = podContainers(template.template, ["containers"]);
      const params = { workload: resourceRef(item), services: found.map(({ name }) => name) };
      const at = container ?? { node: item.node };
      return problem(item, at, { id: "RS016", cause: "unprobed", params }, found);
    });
  },
};

/** No container says when it is ready: by a readiness probe, or by a startup probe, which has to succeed before. */
function isUnprobed(template: PodTemplate): boolean {
  const { tree } = template.item;
  const containers = podContainers(template, ["initContainers", "containers"]);
  if (containers.length === 0) return false;
  if (template.podSpecs.some((spec) => itemsOf(tree, get(tree, spec.node, "readinessGates")).length > 0)) return false;
  return containers.every(({ node }) => PROBES.every((probe) => get(tree, node, probe) === NONE));
}

const PROBES = ["readinessProbe", "startupProbe"];
