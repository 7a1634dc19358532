import { once, onceFor } from "../../base/grouped.ts";
import type { Item } from "../../yaml/read/items.ts";
import { podLabels } from "../workloads/pod-labels.ts";
import type { Workload } from "../workloads/types.ts";
import { indexBudgets } from "./budgets.ts";
import { indexClaims, type Claims } from "./claims.ts";
import { findAutoscalers, type Autoscalers } from "./scalers.ts";
import type { FindSelecting } from "./selectors.ts";
import { indexServices } from "./services.ts";

/** What beside a workload's own manifest decides how it rolls. Indexes that few ask for are made when they are. */
export interface Surroundings {
  readonly autoscalers: Autoscalers;
  readonly workloads: ReadonlyMap<Item, Workload>;
  readonly claims: () => Claims;
  /** The Services that send requests to some pods. */
  readonly services: () => FindSelecting<Item>;
  /** The PodDisruptionBudgets that are for the pods of one template and for no others, by these. */
  readonly budgets: () => FindSelecting<Item>;
}

/** Indexes what decides how the workloads of an input roll. */
export function surroundingsOf(
  items: readonly Item[],
  workloads: readonly Workload[],
  defaultNamespace: string,
): Surroundings {
  return {
    autoscalers: findAutoscalers(items, defaultNamespace),
    workloads: new Map(workloads.map((workload) => [workload.item, workload])),
    claims: once(() => indexClaims(items, defaultNamespace)),
    services: once(() => indexServices(items, defaultNamespace)),
    budgets: once(() => ownBudgets(indexBudgets(items, defaultNamespace), workloads)),
  };
}

/** Leaves out the budgets that are for the pods of several templates: what one of these leaves is not known by itself. */
function ownBudgets(budgets: FindSelecting<Item>, workloads: readonly Workload[]): FindSelecting<Item> {
  // Templates whose pods have the same labels have the same budgets: one list.
  const users = new Map<readonly Item[], number>();
  for (const { namespace, templates } of workloads) {
    for (const template of templates) {
      const found = budgets(namespace, podLabels(template));
      users.set(found, (users.get(found) ?? 0) + 1);
    }
  }
  const counts = new Map<Item, number>();
  for (const [found, count] of users) for (const budget of found) counts.set(budget, (counts.get(budget) ?? 0) + count);
  const own = onceFor((found: readonly Item[]) => found.filter((budget) => counts.get(budget) === 1));
  return (namespace, labels) => own(budgets(namespace, labels));
}
