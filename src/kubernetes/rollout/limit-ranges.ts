import { addTo } from "../../base/grouped.ts";
import type { Item } from "../../yaml/read/items.ts";
import { get, getPath, getString, itemsOf } from "../../yaml/read/node.ts";
import { amountsAt, type ContainerDefaults } from "./pod-resources.ts";

/** The defaults of containers that LimitRanges set, by namespace, in the order of the input. */
export function limitRangeDefaults(
  items: readonly Item[],
  defaultNamespace: string,
): ReadonlyMap<string, readonly ContainerDefaults[]> {
  const found = new Map<string, ContainerDefaults[]>();
  for (const { tree, node, group, kind, namespace } of items) {
    if (group !== "" || kind !== "LimitRange") continue;
    for (const limit of itemsOf(tree, getPath(tree, node, ["spec", "limits"]))) {
      if (getString(tree, limit, "type") !== "Container") continue;
      const [max, min] = [amountsAt(tree, get(tree, limit, "max")), amountsAt(tree, get(tree, limit, "min"))];
      // pkg/apis/core/v1/defaults.go, SetDefaults_LimitRangeItem: max sets limits, limits and min set requests.
      const limits = new Map([...max, ...amountsAt(tree, get(tree, limit, "default"))]);
      const requests = new Map([...min, ...limits, ...amountsAt(tree, get(tree, limit, "defaultRequest"))]);
      addTo(found, namespace || defaultNamespace, { requests, limits });
    }
  }
  return found;
}
