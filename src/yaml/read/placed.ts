import { kindKey } from "../../base/identity.ts";
import { isOfCluster } from "../../base/hosts/cluster-kinds.ts";
import type { Manifests } from "./items.ts";
import { getString } from "./node.ts";

/** Manifests as they are applied into a namespace: there is each object that names none. "" where it isn't known. */
export function placedIn(namespace: string, manifests: Manifests): Manifests {
  if (namespace === "") return manifests;
  const defined = clusterDefinitions(manifests);
  const items = manifests.items.map((item) =>
    item.namespace !== "" || isOfCluster(item.group, item.kind) || defined.has(kindKey(item))
      ? item
      : { ...item, namespace },
  );
  return { ...manifests, items };
}

/** The custom kinds that definitions beside them put into no namespace. */
function clusterDefinitions({ items }: Manifests): ReadonlySet<string> {
  const kinds = new Set<string>();
  for (const { tree, node, kind } of items) {
    if (kind !== "CustomResourceDefinition" || getString(tree, node, "spec", "scope") !== "Cluster") continue;
    const group = getString(tree, node, "spec", "group") ?? "";
    kinds.add(`${group}/${getString(tree, node, "spec", "names", "kind") ?? ""}`);
  }
  return kinds;
}
