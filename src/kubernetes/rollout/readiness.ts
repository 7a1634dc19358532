import { get, getString, itemsOf } from "../../yaml/read/node.ts";
import { NONE } from "../../yaml/read/tree.ts";
import { podContainers } from "../workloads/containers.ts";
import type { PodTemplate } from "../workloads/types.ts";

/** Whether no container has a readiness probe, or a startup probe, which must succeed first. */
export function isUnprobed(template: PodTemplate): boolean {
  const { tree } = template.item;
  const containers = podContainers(template, ["initContainers", "containers"]);
  if (containers.length === 0) return false;
  if (template.podSpecs.some((spec) => itemsOf(tree, get(tree, spec.node, "readinessGates")).length > 0)) return false;
  return containers.every(
    ({ node }) =>
      getString(tree, node, "image") !== INJECTED && PROBES.every((probe) => get(tree, node, probe) === NONE),
  );
}

// Istio replaces such a container with its gateway, which has a readiness probe (injection template "gateway").
const INJECTED = "auto";

const PROBES = ["readinessProbe", "startupProbe"];
