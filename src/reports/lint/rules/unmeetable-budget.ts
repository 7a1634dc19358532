import type { Item } from "../../../yaml/read/items.ts";
import { resourceRef } from "../../../findings/results/location.ts";
import { entriesOf, get, itemsOf, kindOf, stringOf } from "../../../yaml/read/node.ts";
import type { YamlTree } from "../../../yaml/read/tree.ts";
import {
  budgetsOf,
  budgetSelector,
  indexBudgets,
  wantedHealthy,
  writtenBudget,
} from "../../../kubernetes/rollout/budgets.ts";
import { isZero, type IntOrPercent } from "../../../kubernetes/rollout/int-or-percent.ts";
import { rolloutKind } from "../../../kubernetes/rollout/rollout-kinds.ts";
import type { LintContext, LintedWorkload } from "../context.ts";
import { indexPods, type FindPods } from "../pods.ts";
import { firstField, problem, type LintRule, type Problem } from "../rule.ts";

/** A PodDisruptionBudget that keeps every node from being drained. */
export const UNMEETABLE_BUDGET: LintRule<"RS018"> = {
  id: "RS018",
  check: (context) => {
    const budgets = budgetsOf(context.items);
    if (budgets.length === 0) return [];
    const find = indexPods(context);
    const uncertain = budgetsOfUnknownPods(context);
    return budgets.flatMap((budget) => unmet(budget, context, find, uncertain));
  },
};

/** The budgets that take what an object of a kind that is not known seems to label its pods with: they are more than Git tells. */
function budgetsOfUnknownPods({ items, workloads, spec }: LintContext): ReadonlySet<Item> {
  const find = indexBudgets(items, spec.defaultNamespace);
  const known = new Set(workloads.map(({ workload }) => workload.item));
  const found = new Set<Item>();
  for (const item of items) {
    if (known.has(item) || isBuiltIn(item)) continue;
    const namespace = item.namespace || spec.defaultNamespace;
    for (const labels of labelsBelow(item.tree, get(item.tree, item.node, "spec")))
      for (const budget of find(namespace, labels)) found.add(budget);
  }
  return found;
}

function isBuiltIn({ group }: Item): boolean {
  return !group.includes(".") || group.endsWith(".k8s.io");
}

// labels, podLabels, commonLabels.
const LABELS = /labels$/iu;

/** All maps of labels below a node. */
function labelsBelow(tree: YamlTree, node: number): ReadonlyMap<string, string>[] {
  if (kindOf(tree, node) === "sequence") return itemsOf(tree, node).flatMap((entry) => labelsBelow(tree, entry));
  return entriesOf(tree, node).flatMap(({ key, valueNode }) => {
    if (!LABELS.test(key) || kindOf(tree, valueNode) !== "mapping") return labelsBelow(tree, valueNode);
    return [new Map(entriesOf(tree, valueNode).map((label) => [label.key, stringOf(tree, label.valueNode) ?? ""]))];
  });
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
  return [problem(budget, firstField(budget, "spec.minAvailable"), { id: "RS018", cause: "all", params }, others)];
}

function none(budget: Item, field: string, value: IntOrPercent): Problem<"RS018"> {
  const params = { budget: resourceRef(budget), field, value };
  return problem(budget, firstField(budget, `spec.${field}`), { id: "RS018", cause: "none", params });
}

function selected(budget: Item, { spec }: LintContext, find: FindPods): readonly LintedWorkload[] {
  const selector = budgetSelector(budget);
  if (selector === undefined) return [];
  return [...new Set(find(budget.namespace || spec.defaultNamespace, selector).map(({ linted }) => linted))];
}

/** How many pods there are at most; undefined where Git can't tell. */
function podsOf(workloads: readonly LintedWorkload[]): number | undefined {
  let sum = 0;
  for (const { workload, rollout } of workloads) {
    const { item, kind } = workload;
    // A run of a Job is none that a drain has to wait for; what has no number of its own can't be told.
    if (kind.rollsBy === "nextRun" || kind.rollsBy === "immutable") continue;
    const replicas = rollout.strategy?.replicas ?? null;
    if (replicas === null || rolloutKind(item.group, item.kind)?.strategy === undefined) return undefined;
    const most = rollout.scaledBy === undefined ? replicas : rollout.scaledBy.max;
    if (most === null) return undefined;
    sum += most;
  }
  return sum;
}
