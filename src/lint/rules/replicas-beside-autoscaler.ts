import { describe, type Item } from "../../manifest/items.ts";
import { getPath, getString, kindOf } from "../../manifest/node.ts";
import { firstField, problem, type LintRule } from "../rule.ts";

/** `replicas` on what a HorizontalPodAutoscaler scales: each apply undoes the autoscaler's work. */
export const REPLICAS_BESIDE_AUTOSCALER: LintRule = {
  id: "RS010",
  severity: "warning",
  title: "replicas set on the target of a HorizontalPodAutoscaler",
  remedy: "Leave replicas out: the autoscaler sets them, and an apply would set them back.",
  check: ({ items, workloads, spec }) => {
    const scalers = new Map<string, Item>();
    for (const item of items) {
      if (item.kind === "HorizontalPodAutoscaler" && item.group === "autoscaling")
        scalers.set(targetOf(item, spec.defaultNamespace), item);
    }
    return workloads.flatMap(({ workload: { item, namespace } }) => {
      const scaler = scalers.get(targetId(item.group, item.kind, namespace, item.name));
      const replicas = getPath(item.tree, item.node, ["spec", "replicas"]);
      if (scaler === undefined || kindOf(item.tree, replicas) !== "number") return [];
      const message = `${describe(item)} sets replicas, and ${describe(scaler)} scales it`;
      return [problem(item, firstField(item, "spec.replicas"), message, { others: [scaler] })];
    });
  },
};

function targetOf(scaler: Item, defaultNamespace: string): string {
  const target = getPath(scaler.tree, scaler.node, ["spec", "scaleTargetRef"]);
  const [group = "", version] = (getString(scaler.tree, target, "apiVersion") ?? "").split("/");
  const kind = getString(scaler.tree, target, "kind") ?? "";
  const name = getString(scaler.tree, target, "name") ?? "";
  return targetId(version === undefined ? "" : group, kind, scaler.namespace || defaultNamespace, name);
}

function targetId(group: string, kind: string, namespace: string, name: string): string {
  // One Deployment was served by both groups: either name means the other.
  return `${group === "extensions" ? "apps" : group}/${kind}/${namespace}/${name}`;
}
