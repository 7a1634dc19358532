import { addTo } from "../../base/grouped.ts";
import { objectKey } from "../../base/identity.ts";
import type { Finding } from "../../findings/catalogue/finding.ts";
import { resourceRef } from "../../findings/results/location.ts";
import { budgetsOf } from "../../kubernetes/rollout/budgets.ts";
import { podLabels } from "../../kubernetes/workloads/pod-labels.ts";
import { runsToCompletion } from "../../kubernetes/workloads/workload-kinds.ts";
import type { Item } from "../../yaml/read/items.ts";
import { MOST_WORKLOADS } from "../lint/rules/served-pods.ts";
import { templatesOf } from "./pair.ts";
import type { Side, SideWorkload } from "./side.ts";

/**
 * The budgets that no longer select pods of a workload which no other budget selects, because a selector or the labels of the
 * pods changed. A budget that is removed is a row of its own.
 */
export function lostBudgets(base: Side, head: Side): Finding<"lost-budget">[] {
  const present = new Map(budgetsOf(head.analysis.items).map((budget) => [keyOf(budget, head), budget]));
  if (present.size === 0) return [];
  const lost = new Map<Item, Item[]>();
  for (const [key, from] of base.workloads) {
    const to = head.workloads.get(key);
    if (to === undefined || runsToCompletion(to.workload.kind) || selecting(head, to).size > 0) continue;
    for (const old of selecting(base, from)) {
      const budget = present.get(keyOf(old, base));
      if (budget !== undefined) addTo(lost, budget, to.workload.item);
    }
  }
  return [...lost].map(([budget, items]) => ({
    id: "lost-budget",
    cause: "unselected",
    params: { budget: resourceRef(budget), workloads: items.slice(0, MOST_WORKLOADS).map(resourceRef) },
  }));
}

function selecting(side: Side, own: SideWorkload): ReadonlySet<Item> {
  const find = side.surroundings.allBudgets();
  return new Set(templatesOf(side, own).flatMap((template) => find(own.workload.namespace, podLabels(template))));
}

function keyOf(budget: Item, { spec }: Side): string {
  return objectKey(budget, budget.namespace || spec.defaultNamespace);
}
