import { addTo } from "../../base/grouped.ts";
import type { Item } from "../../yaml/read/items.ts";
import { get, getPath, getString, itemsOf } from "../../yaml/read/node.ts";
import { amountsAt, type Amounts, type ContainerDefaults } from "./pod-resources.ts";

/** What a LimitRange says of each container, or of each pod. */
export interface ContainerLimits extends ContainerDefaults {
  readonly item: Item;
  readonly max: Amounts;
  readonly min: Amounts;
}

/** What LimitRanges say of containers, or of pods, by namespace, in the order of the input. */
export function containerLimits(
  items: readonly Item[],
  defaultNamespace: string,
  type: "Container" | "Pod" = "Container",
): ReadonlyMap<string, readonly ContainerLimits[]> {
  const found = new Map<string, ContainerLimits[]>();
  for (const item of items) {
    const { tree, node, group, kind, namespace } = item;
    if (group !== "" || kind !== "LimitRange") continue;
    for (const limit of itemsOf(tree, getPath(tree, node, ["spec", "limits"]))) {
      if (getString(tree, limit, "type") !== type) continue;
      const [max, min] = [amountsAt(tree, get(tree, limit, "max")), amountsAt(tree, get(tree, limit, "min"))];
      // pkg/apis/core/v1/defaults.go, SetDefaults_LimitRangeItem: max sets limits, limits and min set requests.
      const limits = new Map([...max, ...amountsAt(tree, get(tree, limit, "default"))]);
      const requests = new Map([...min, ...limits, ...amountsAt(tree, get(tree, limit, "defaultRequest"))]);
      addTo(found, namespace || defaultNamespace, { item, max, min, requests, limits });
    }
  }
  return found;
}

/** The least that LimitRanges allow, or the most, of each resource. */
export type Bounds = ReadonlyMap<string, { readonly item: Item; readonly amount: bigint }>;

/** The strictest bounds of LimitRanges. */
export function strictest(ranges: readonly ContainerLimits[], bound: "max" | "min"): Bounds {
  const found = new Map<string, { readonly item: Item; readonly amount: bigint }>();
  for (const { item, [bound]: amounts } of ranges)
    for (const [resource, amount] of amounts) {
      const known = found.get(resource)?.amount;
      if (known === undefined || (bound === "max" ? amount < known : amount > known))
        found.set(resource, { item, amount });
    }
  return found;
}
