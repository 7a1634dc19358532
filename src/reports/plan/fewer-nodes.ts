import { resourceRef } from "../../findings/results/location.ts";
import { rolloutKind } from "../../kubernetes/rollout/rollout-kinds.ts";
import type { PodTemplate } from "../../kubernetes/workloads/types.ts";
import { fieldsOf, isMapping, listOf, stableJson } from "../../yaml/read/json.ts";
import { appliedJson } from "../../yaml/read/kubectl-view.ts";
import { getPath, type Json } from "../../yaml/read/node.ts";
import { NONE } from "../../yaml/read/tree.ts";
import { templatesOf } from "./pair.ts";
import type { PlanFinding } from "./planned-workload.ts";
import type { WorkloadPair } from "./side.ts";

/**
 * The field by which a DaemonSet may leave nodes: its controller deletes the pods on nodes that no longer match, or whose taints
 * they no longer tolerate (nodeShouldRunDaemonPod in pkg/controller/daemon).
 */
export function fewerNodes({ base, head, from, to }: WorkloadPair): PlanFinding[] {
  const { item } = to.workload;
  if (rolloutKind(item.group, item.kind)?.strategy?.controller !== "DaemonSet") return [];
  const [before, after] = [templatesOf(base, from)[0], templatesOf(head, to)[0]];
  if (before === undefined || after === undefined) return [];
  const field = Object.keys(NARROWS).find((path) => NARROWS[path]?.(valueIn(before, path), valueIn(after, path)));
  if (field === undefined) return [];
  return [{ id: "fewer-nodes", cause: "narrowed", params: { workload: resourceRef(item), field } }];
}

function valueIn({ item: { tree }, podSpecs: [spec] }: PodTemplate, path: string): Json {
  const node = spec === undefined ? NONE : getPath(tree, spec.node, path.split("."));
  return node === NONE ? null : appliedJson(tree, node);
}

const NARROWS: Readonly<Record<string, (from: Json, to: Json) => boolean>> = {
  nodeSelector: (from, to) => Object.entries(fieldsOf(to)).some(([key, value]) => fieldsOf(from)[key] !== value),
  "affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution": (from, to) =>
    to !== null && stableJson(from) !== stableJson(to),
  tolerations: (from, to) => {
    const kept = new Set(listOf(to).map(stableJson));
    return !listOf(to).some(toleratesAll) && listOf(from).some((one) => !kept.has(stableJson(one)));
  },
};

/** A toleration of every taint. */
function toleratesAll(toleration: Json): boolean {
  const { key, operator, effect } = fieldsOf(toleration);
  return isMapping(toleration) && operator === "Exists" && (key ?? "") === "" && (effect ?? "") === "";
}
