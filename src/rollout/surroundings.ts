import type { Item } from "../manifest/items.ts";
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
  /** The Services that send requests to some pods, and the PodDisruptionBudgets that are for them. */
  readonly services: () => FindSelecting<Item>;
  readonly budgets: () => FindSelecting<Item>;
  /** How many pod templates of the input a budget is for. */
  readonly budgetUsers: () => ReadonlyMap<Item, number>;
}

/** Indexes what decides how the workloads of an input roll. */
export function surroundingsOf(
  items: readonly Item[],
  workloads: readonly Workload[],
  defaultNamespace: string,
): Surroundings {
  const budgets = once(() => indexBudgets(items, defaultNamespace));
  return {
    autoscalers: findAutoscalers(items, defaultNamespace),
    workloads: new Map(workloads.map((workload) => [workload.item, workload])),
    claims: once(() => indexClaims(items, defaultNamespace)),
    services: once(() => indexServices(items, defaultNamespace)),
    budgets,
    budgetUsers: once(() => usersOf(budgets(), workloads)),
  };
}

function usersOf(budgets: FindSelecting<Item>, workloads: readonly Workload[]): ReadonlyMap<Item, number> {
  const users = new Map<Item, number>();
  for (const { namespace, templates } of workloads) {
    for (const template of templates) {
      for (const budget of budgets(namespace, podLabels(template))) users.set(budget, (users.get(budget) ?? 0) + 1);
    }
  }
  return users;
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
