import { once, onceFor } from "../../base/grouped.ts";
import type { Item } from "../../yaml/read/items.ts";
import { podLabels } from "../workloads/pod-labels.ts";
import type { Workload } from "../workloads/types.ts";
import { indexBudgets } from "./budgets.ts";
import { indexClaims, type Claims } from "./claims.ts";
import { findAutoscalers, type Autoscalers } from "./scalers.ts";
import type { FindSelecting } from "./selectors.ts";
import { indexServices, type SelectingService } from "./services.ts";

/** The objects that decide with a workload's manifest how it rolls out. Indexes are built when they are needed. */
export interface Surroundings {
  readonly autoscalers: Autoscalers;
  readonly workloads: ReadonlyMap<Item, Workload>;
  readonly claims: () => Claims;
  /** The Services that select pods with some labels. */
  readonly services: () => FindSelecting<SelectingService>;
  /** The PodDisruptionBudgets that select pods with some labels. */
  readonly allBudgets: () => FindSelecting<Item>;
  /** Those of them that select no pods of other templates. */
  readonly budgets: () => FindSelecting<Item>;
}

export function surroundingsOf(
  items: readonly Item[],
  workloads: readonly Workload[],
  defaultNamespace: string,
): Surroundings {
  const allBudgets = once(() => indexBudgets(items, defaultNamespace));
  return {
    autoscalers: findAutoscalers(items, defaultNamespace),
    workloads: new Map(workloads.map((workload) => [workload.item, workload])),
    claims: once(() => indexClaims(items, defaultNamespace)),
    services: once(() => indexServices(items, defaultNamespace)),
    allBudgets,
    budgets: once(() => ownBudgets(allBudgets(), workloads)),
  };
}

/**
 * Removes the budgets that select pods of several templates: one template alone does not decide whether they are met.
 */
function ownBudgets(budgets: FindSelecting<Item>, workloads: readonly Workload[]): FindSelecting<Item> {
  // Templates whose pods have the same labels share one list of budgets.
  const users = new Map<readonly Item[], number>();
  for (const { namespace, templates } of workloads) {
    for (const template of templates) {
      const found = budgets(namespace, podLabels(template));
      users.set(found, (users.get(found) ?? 0) + 1);
    }
  }
  const counts = new Map<Item, number>();
  for (const [found, count] of users) for (const budget of found) counts.set(budget, (counts.get(budget) ?? 0) + count);
  const exclusive = onceFor((found: readonly Item[]) => found.filter((budget) => counts.get(budget) === 1));
  return (namespace, labels) => exclusive(budgets(namespace, labels));
}
