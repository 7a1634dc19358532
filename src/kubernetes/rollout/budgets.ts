import type { LabelSelector } from "../../base/selector.ts";
import type { Item } from "../../yaml/read/items.ts";
import { get, getPath, kindOf } from "../../yaml/read/node.ts";
import { selectorAt } from "../workloads/pod-labels.ts";
import { isZero, scaled, type IntOrPercent, countAt } from "./numbers.ts";
import { indexSelectors, type FindSelecting } from "./selectors.ts";

export function budgetsOf(items: readonly Item[]): Item[] {
  return items.filter(({ group, kind }) => group === "policy" && kind === "PodDisruptionBudget");
}

/** Indexes the PodDisruptionBudgets of an input by the pods that they select. */
export function indexBudgets(items: readonly Item[], defaultNamespace: string): FindSelecting<Item> {
  return indexSelectors(
    budgetsOf(items).flatMap((budget) => {
      const selector = budgetSelector(budget);
      return selector === undefined
        ? []
        : [{ namespace: budget.namespace || defaultNamespace, selector, value: budget }];
    }),
    items[0]?.tree.limits,
  );
}

/** The selector of a budget's pods; undefined if it selects none. */
export function budgetSelector(budget: Item): LabelSelector | undefined {
  const { tree } = budget;
  const node = getPath(tree, budget.node, ["spec", "selector"]);
  const selector = kindOf(tree, node) === "mapping" ? selectorAt(tree, node) : undefined;
  // In policy/v1beta1 an empty selector selects no pod.
  return selector?.length === 0 && budget.apiVersion !== "policy/v1" ? undefined : selector;
}

/** The numbers of a budget, as written. */
export function writtenBudget(budget: Item): {
  readonly minAvailable: IntOrPercent | undefined;
  readonly maxUnavailable: IntOrPercent | undefined;
} {
  const spec = get(budget.tree, budget.node, "spec");
  return {
    minAvailable: countAt(budget, spec, "minAvailable"),
    maxUnavailable: countAt(budget, spec, "maxUnavailable"),
  };
}

/** How many pods a budget requires to be healthy (pkg/controller/disruption: percentages round up in both cases). */
export function wantedHealthy(budget: Item, pods: number): number {
  const { minAvailable, maxUnavailable } = writtenBudget(budget);
  if (maxUnavailable !== undefined) return Math.max(pods - scaled(maxUnavailable, pods, "up"), 0);
  return minAvailable === undefined || isZero(minAvailable) ? 0 : scaled(minAvailable, pods, "up");
}
