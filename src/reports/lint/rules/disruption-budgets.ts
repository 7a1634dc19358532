import { labelKey } from "../../../kubernetes/rollout/selectors.ts";
import type { Item } from "../../../yaml/read/items.ts";
import { resourceRef } from "../../../findings/results/location.ts";
import {
  budgetsOf,
  budgetSelector,
  indexBudgets,
  wantedHealthy,
  writtenBudget,
} from "../../../kubernetes/rollout/budgets.ts";
import { isZero, type IntOrPercent } from "../../../kubernetes/rollout/numbers.ts";
import { rolloutKind } from "../../../kubernetes/rollout/rollout-kinds.ts";
import type { LintContext, LintedWorkload } from "../context.ts";
import { firstField, problem, type LintRule, type Problem } from "../rule.ts";
import { unknownPods } from "../unknown-pods.ts";
import { MOST_WORKLOADS } from "./served-pods.ts";
import { comparing } from "../../../base/limits.ts";
import { matchesSelector, type LabelSelector } from "../../../base/selector.ts";
import { addTo } from "../../../base/grouped.ts";
import { podLabels } from "../../../kubernetes/workloads/pod-labels.ts";
import { runsToCompletion } from "../../../kubernetes/workloads/workload-kinds.ts";

/** A PodDisruptionBudget that prevents every node drain. */
export const UNMEETABLE_BUDGET: LintRule<"RS018"> = {
  id: "RS018",
  about: "state",
  check: (context) => {
    const budgets = budgetsOf(context.items);
    if (budgets.length === 0) return [];
    const find = indexPods(context);
    const uncertain = budgetsOfUnknownPods(context);
    return [...budgets.flatMap((budget) => unmet(budget, context, find, uncertain)), ...doubled(context)];
  },
};

/** The pods that two budgets select: the API server refuses to evict them (pkg/registry/core/pod/storage/eviction.go). */
function doubled({ items, workloads, spec }: LintContext): Problem<"RS018">[] {
  const find = indexBudgets(items, spec.defaultNamespace);
  // Templates whose pods have the same labels share one list of budgets.
  const byBudgets = new Map<readonly Item[], Set<Item>>();
  for (const { workload, templates } of workloads) {
    for (const { template } of templates) {
      const budgets = find(workload.namespace, podLabels(template));
      if (budgets.length > 1) byBudgets.set(budgets, (byBudgets.get(budgets) ?? new Set()).add(workload.item));
    }
  }
  return [...byBudgets].flatMap(([[other, budget], found]): Problem<"RS018">[] => {
    if (budget === undefined || other === undefined) return [];
    const named = [...found].slice(0, MOST_WORKLOADS).map(resourceRef);
    const params = { budget: resourceRef(budget), other: resourceRef(other), workloads: named };
    return [problem(budget, firstField(budget, "spec.selector"), { id: "RS018", cause: "doubled", params }, [other])];
  });
}

/** The budgets that select labels in objects of unknown kinds, whose pods are not in Git. */
function budgetsOfUnknownPods({ items, workloads, spec }: LintContext): ReadonlySet<Item> {
  const find = indexBudgets(items, spec.defaultNamespace);
  const known = new Set(workloads.map(({ workload }) => workload.item));
  const found = new Set<Item>();
  for (const { item, labels } of unknownPods(items, known))
    for (const budget of find(item.namespace || spec.defaultNamespace, labels)) found.add(budget);
  return found;
}

function unmet(budget: Item, context: LintContext, find: FindPods, uncertain: ReadonlySet<Item>): Problem<"RS018">[] {
  const { minAvailable: least, maxUnavailable: most } = writtenBudget(budget);
  if (most !== undefined && isZero(most)) return [none(budget, "maxUnavailable", most)];
  if (least === "100%") return [none(budget, "minAvailable", least)];
  if (least === undefined || isZero(least) || uncertain.has(budget)) return [];
  const workloads = selected(budget, context, find);
  const pods = podsOf(workloads);
  if (pods === undefined || pods === 0 || wantedHealthy(budget, pods) < pods) return [];
  const params = {
    budget: resourceRef(budget),
    value: least,
    pods,
    workloads: workloads.map(({ workload }) => resourceRef(workload.item)),
  };
  const others = workloads.map(({ workload }) => workload.item);
  return [problem(budget, firstField(budget, "spec.minAvailable"), { id: "RS018", cause: "allPods", params }, others)];
}

function none(budget: Item, field: string, value: IntOrPercent): Problem<"RS018"> {
  const params = { budget: resourceRef(budget), field, value };
  return problem(budget, firstField(budget, `spec.${field}`), { id: "RS018", cause: "fixedNumber", params });
}

function selected(budget: Item, { spec }: LintContext, find: FindPods): readonly LintedWorkload[] {
  const selector = budgetSelector(budget);
  if (selector === undefined) return [];
  return [...new Set(find(budget.namespace || spec.defaultNamespace, selector).map(({ linted }) => linted))];
}

/** The largest number of pods; undefined if it is not in Git. */
function podsOf(workloads: readonly LintedWorkload[]): number | undefined {
  let sum = 0;
  for (const { workload, rollout } of workloads) {
    const { item, kind } = workload;
    // A drain does not wait for runs of Jobs. Without a number of replicas the count is unknown.
    if (runsToCompletion(kind)) continue;
    const replicas = rollout.strategy?.replicas ?? null;
    if (replicas === null || rolloutKind(item.group, item.kind)?.strategy === undefined) return undefined;
    const most = rollout.scaledBy === undefined ? replicas : rollout.scaledBy.max;
    if (most === null) return undefined;
    sum += most;
  }
  return sum;
}

/** The labels of the pods of a template. */
interface LintedPods {
  readonly linted: LintedWorkload;
  readonly labels: ReadonlyMap<string, string>;
}

/** Finds the pod templates of a namespace that match a selector. */
type FindPods = (namespace: string, selector: LabelSelector) => readonly LintedPods[];

/** The cost of matching one selector with one pod template, as a number of compared characters. */
const STEPS_OF_PODS = 300;

/**
 * Indexes pod templates by their labels, so that many selectors cost no more than their matches. A selector without a
 * required label matches nothing here: trying all templates for each selector would be a product.
 */
function indexPods({ workloads }: Pick<LintContext, "workloads">): FindPods {
  const byLabel = new Map<string, LintedPods[]>();
  const byNamespace = new Map<string, LintedPods[]>();
  for (const linted of workloads) {
    const { namespace } = linted.workload;
    for (const { template } of linted.templates) {
      const pods = { linted, labels: podLabels(template) };
      addTo(byNamespace, namespace, pods);
      for (const [key, value] of pods.labels) addTo(byLabel, labelKey(namespace, key, value), pods);
    }
  }
  const found = new Map<string, readonly LintedPods[]>();
  const spend = comparing("selectors with pods");
  const limits = workloads[0]?.workload.item.tree.limits;
  return (namespace, selector) => {
    const id = JSON.stringify([namespace, selector]);
    const known = found.get(id);
    const some = known ?? candidates(namespace, selector);
    // The caller iterates over the matches.
    if (limits !== undefined) spend(some.length * (STEPS_OF_PODS + selector.length), limits);
    if (known !== undefined) return known;
    const pods = some.filter(({ labels }) => matchesSelector(selector, labels));
    found.set(id, pods);
    return pods;
  };

  /** The pod templates with the rarest required label of the selector. */
  function candidates(namespace: string, selector: LabelSelector): readonly LintedPods[] {
    if (selector.length === 0) return byNamespace.get(namespace) ?? [];
    const lists = selector
      .filter(({ operator }) => operator === "In")
      .map(({ key, values }) => values.flatMap((value) => byLabel.get(labelKey(namespace, key, value)) ?? []));
    return lists.reduce((least, list) => (list.length < least.length ? list : least), lists[0] ?? []);
  }
}
