import { addTo } from "../../base/grouped.ts";
import type { Item } from "../../yaml/read/items.ts";
import { podLabels } from "../workloads/pod-labels.ts";
import type { PodTemplate, Workload } from "../workloads/types.ts";
import { runsToCompletion } from "../workloads/workload-kinds.ts";
import { wantedHealthy } from "./budgets.ts";
import type { Rollout } from "./rollout-types.ts";
import type { Surroundings } from "./surroundings.ts";

/**
 * How many pods of a workload PodDisruptionBudgets require, at the minimum of its autoscaler; undefined if no budget selects
 * them, or if the number of pods that a budget selects is unknown.
 */
export type RequiredPods = (workload: Workload) => number | undefined;

/** A workload, and the effect of a changed template. */
export interface Rolling {
  readonly workload: Workload;
  readonly rollout: () => Rollout;
}

/** The pods of several workloads: all, and those that stay available if all roll out at once. */
interface Pods {
  readonly all: number;
  readonly available: number;
}

/** Indexes the pods that budgets require. If several workloads share a budget, each has to keep the pods that the others do not. */
export function requiredPods(
  all: Iterable<Rolling>,
  surroundings: Pick<Surroundings, "allBudgets" | "workloads">,
): RequiredPods {
  const budgets = surroundings.allBudgets();
  // Templates whose pods have the same labels share one list of budgets.
  const byList = new Map<readonly Item[], (Pods | undefined)[]>();
  const byWorkload = new Map<
    Workload,
    { readonly lists: ReadonlySet<readonly Item[]>; readonly pods: Pods | undefined }
  >();
  for (const { workload, rollout } of all) {
    // Runs of Jobs end anyway.
    if (runsToCompletion(workload.kind)) continue;
    const lists = new Set(
      templatesRun(workload, surroundings)
        .map((template) => budgets(workload.namespace, podLabels(template)))
        .filter((list) => list.length > 0),
    );
    if (lists.size === 0) continue;
    const pods = podsOf(rollout());
    byWorkload.set(workload, { lists, pods });
    for (const list of lists) addTo(byList, list, pods);
  }
  const byBudget = new Map<Item, Pods | undefined>();
  for (const [list, some] of byList) {
    const sum = some.reduce(added, NONE);
    for (const budget of list) byBudget.set(budget, added(byBudget.has(budget) ? byBudget.get(budget) : NONE, sum));
  }
  return (workload) => {
    const { lists, pods } = byWorkload.get(workload) ?? {};
    if (lists === undefined || pods === undefined) return undefined;
    const required = [...new Set([...lists].flat())].flatMap((budget) => {
      const sum = byBudget.get(budget);
      if (sum === undefined) return [];
      return [Math.max(wantedHealthy(budget, sum.all) - (sum.available - pods.available), 0)];
    });
    return required.length === 0 ? undefined : Math.max(...required);
  };
}

const NONE: Pods = { all: 0, available: 0 };

function added(a: Pods | undefined, b: Pods | undefined): Pods | undefined {
  if (a === undefined || b === undefined) return undefined;
  return { all: a.all + b.all, available: a.available + b.available };
}

function podsOf({ strategy }: Rollout): Pods | undefined {
  if (strategy === null || strategy.replicas === null || strategy.minAvailable === null) return undefined;
  return { all: strategy.replicas, available: strategy.minAvailable };
}

/** The pod templates that a workload runs: its own, or those of the workload that it names. */
function templatesRun(
  { templates, borrows }: Workload,
  { workloads }: Pick<Surroundings, "workloads">,
): readonly PodTemplate[] {
  const owner = borrows?.item === undefined ? undefined : workloads.get(borrows.item);
  return owner?.templates ?? templates;
}
