import type { FindingData } from "../../findings/catalogue/finding.ts";
import { locationOf, resourceRef } from "../../findings/results/location.ts";
import { getPath, getString, itemsOf } from "../../yaml/read/node.ts";
import type { Item } from "../../yaml/read/items.ts";
import type { PlanFinding, PlannedWorkload } from "./planned-workload.ts";
import { planFinding } from "./plan-findings.ts";

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
  const found = (data: FindingData<"deleted-volumes">): PlanFinding[] => [
    planFinding({ ...data, ...locationOf(item, item) }),
  ];
  if (action === "Delete")
    return deletes(item, "whenDeleted") ? found({ id: "deleted-volumes", cause: "deleted", params: { workload } }) : [];
  const { from = null, to = null } = replicas ?? {};
  if (from === null || to === null || from <= to || !deletes(item, "whenScaled")) return [];
  return found({ id: "deleted-volumes", cause: "scaled", params: { workload, from, to } });
}

function deletes({ tree, node }: Item, when: "whenDeleted" | "whenScaled"): boolean {
  return (
    getString(tree, node, "spec", "persistentVolumeClaimRetentionPolicy", when) === "Delete" &&
    itemsOf(tree, getPath(tree, node, ["spec", "volumeClaimTemplates"])).length > 0
  );
}
