import { get, getString, itemsOf } from "../../yaml/read/node.ts";
import { NONE } from "../../yaml/read/tree.ts";
import { podContainers } from "../workloads/containers.ts";
import type { PodTemplate } from "../workloads/types.ts";

/** No container says when it is ready: by a readiness probe, or by a startup probe, which has to succeed before. */
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

// Istio puts its gateway in the place of such a container, with a readiness probe (its injection template "gateway").
const INJECTED = "auto";

const PROBES = ["readinessProbe", "startupProbe"];
