import { knownGroup } from "../../base/kind-names.ts";
import type { Workload } from "./types.ts";

/** Group, kind, namespace and name: what makes two manifests one object in the cluster. */
export function identityOf({ item, namespace }: Pick<Workload, "item" | "namespace">): string {
  // Both groups serve the same Deployments: kubectl, too, takes a change of the group as an update.
  return `${namespace}\n${knownGroup(item.group)}/${item.kind}\n${item.name}`;
}
