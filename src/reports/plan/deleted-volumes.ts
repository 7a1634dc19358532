import { resourceRef } from "../../findings/results/location.ts";
import { getPath, getString, itemsOf } from "../../yaml/read/node.ts";
import type { Item } from "../../yaml/read/items.ts";
import type { PlanFinding, PlannedWorkload } from "./planned-workload.ts";

/**
 * The claims that the controller of a StatefulSet deletes. A deleted object has the policy of the base; a scaled one that of
 * the head (stateful_pod_control.go, UpdatePodClaimForRetentionPolicy).
 */
export function deletedVolumes(
  action: PlannedWorkload["action"],
  replicas: PlannedWorkload["replicas"],
  item: Item,
): PlanFinding[] {
  if (item.kind !== "StatefulSet" || item.group !== "apps") return [];
  const workload = resourceRef(item);
  const id = "deleted-volumes";
  if (action === "Delete") return deletes(item, "whenDeleted") ? [{ id, cause: "deleted", params: { workload } }] : [];
  const { from = null, to = null } = replicas ?? {};
  if (from === null || to === null || from <= to || !deletes(item, "whenScaled")) return [];
  return [{ id, cause: "scaled", params: { workload, from, to } }];
}

function deletes({ tree, node }: Item, when: "whenDeleted" | "whenScaled"): boolean {
  return (
    getString(tree, node, "spec", "persistentVolumeClaimRetentionPolicy", when) === "Delete" &&
    itemsOf(tree, getPath(tree, node, ["spec", "volumeClaimTemplates"])).length > 0
  );
}
