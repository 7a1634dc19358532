import type { Item } from "../../manifest/items.ts";
import { resourceRef } from "../../results/location.ts";
import { budgetsOf, budgetSelector, wantedHealthy, writtenBudget } from "../../rollout/budgets.ts";
import { isZero, type IntOrPercent } from "../../rollout/int-or-percent.ts";
import { rolloutKind } from "../../rollout/rollout-kinds.ts";
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
    return budgets.flatMap((budget) => unmet(budget, context, find));
  },
};

function unmet(budget: Item, context: LintContext, find: FindPods): Problem<"RS018">[] {
  const { minAvailable: least, maxUnavailable: most } = writtenBudget(budget);
  if (most !== undefined && isZero(most)) return [none(budget, "maxUnavailable", most)];
  if (least === "100%") return [none(budget, "minAvailable", least)];
  if (least === undefined || isZero(least)) return [];
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
