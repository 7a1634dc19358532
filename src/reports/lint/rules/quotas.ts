import { addTo } from "../../../base/grouped.ts";
import { resourceRef } from "../../../findings/results/location.ts";
import { containerLimits } from "../../../kubernetes/rollout/limit-ranges.ts";
import {
  amountsAt,
  numberOf,
  podUsage,
  unsetResources,
  type Amounts,
  type ContainerDefaults,
} from "../../../kubernetes/rollout/pod-resources.ts";
import type { PodTemplate } from "../../../kubernetes/workloads/types.ts";
import { runsToCompletion } from "../../../kubernetes/workloads/workload-kinds.ts";
import type { Item } from "../../../yaml/read/items.ts";
import { getPath, itemsOf, kindOf } from "../../../yaml/read/node.ts";
import type { LintContext, LintedWorkload } from "../context.ts";
import { problem, type LintRule, type Problem } from "../rule.ts";
import { outsideLimits, wholePodSpecs } from "./limit-ranges.ts";
import { MOST_WORKLOADS } from "./served-pods.ts";

/**
 * The pods of a namespace, with those that a rollout adds, request more than a ResourceQuota allows, or do not say what; or a
 * LimitRange refuses them.
 */
export const OVER_QUOTA: LintRule<"RS027"> = {
  id: "RS027",
  about: "state",
  check: (context) => [...outsideLimits(context), ...overQuotas(context)],
};

function overQuotas(context: LintContext): Problem<"RS027">[] {
  const { defaultNamespace } = context.spec;
  const quotas = new Map<string, Item[]>();
  for (const item of context.items)
    if (item.group === "" && item.kind === "ResourceQuota") addTo(quotas, item.namespace || defaultNamespace, item);
  if (quotas.size === 0) return [];
  const needs = needsOf(context, quotas);
  return [...quotas].flatMap(([namespace, items]) => {
    const need = needs.get(namespace);
    return need === undefined ? [] : items.flatMap((quota) => overQuota(quota, need));
  });
}

/** What the pods of a namespace use. */
interface Need {
  readonly total: Map<string, bigint>;
  /** For each resource the rollout that adds most. */
  readonly rollouts: Map<string, { readonly workload: Item; readonly added: bigint }>;
  /** For each resource the workloads with a container that does not set it. */
  readonly unset: Map<string, Item[]>;
}

function needsOf({ items, workloads, spec }: LintContext, quotas: ReadonlyMap<string, unknown>): Map<string, Need> {
  const defaults = containerLimits(items, spec.defaultNamespace);
  const byItem = new Map(workloads.map((linted) => [linted.workload.item, linted]));
  const needs = new Map<string, Need>();
  for (const linted of workloads) {
    const { item, namespace, borrows } = linted.workload;
    if (!quotas.has(namespace)) continue;
    const need = needs.get(namespace) ?? { total: new Map(), rollouts: new Map(), unset: new Map() };
    needs.set(namespace, need);
    const ranges = defaults.get(namespace) ?? [];
    for (const resource of unsetIn(linted, ranges)) addTo(need.unset, resource, item);
    const pods = podsOf(linted);
    const owner = borrows?.item === undefined ? linted : byItem.get(borrows.item);
    const [template, ...others] = owner?.templates ?? [];
    // Which of several templates has how many pods is unknown.
    if (pods === undefined || template === undefined || others.length > 0) continue;
    for (const [resource, amount] of usageOf(template.template, ranges)) {
      need.total.set(resource, (need.total.get(resource) ?? 0n) + amount * BigInt(pods.running));
      const added = amount * BigInt(pods.added);
      if (added > (need.rollouts.get(resource)?.added ?? 0n)) need.rollouts.set(resource, { workload: item, added });
    }
  }
  return needs;
}

/**
 * The pods that run at least, and those that a rollout adds; undefined if Git does not show the number. Runs of Jobs end, and a
 * DaemonSet has as many pods as there are nodes.
 */
function podsOf({
  workload,
  rollout,
}: LintedWorkload): { readonly running: number; readonly added: number } | undefined {
  const { kind, item } = workload;
  if (runsToCompletion(kind)) return undefined;
  if (item.group === "" && item.kind === "Pod") return { running: 1, added: 0 };
  const { replicas = null, maxTotal = null } = rollout.strategy ?? {};
  if (replicas === null) return undefined;
  return { running: replicas, added: rollout.effect === "Roll" && maxTotal !== null ? maxTotal - replicas : 0 };
}

/** What the pods do not set. */
function unsetIn(linted: LintedWorkload, defaults: readonly ContainerDefaults[]): ReadonlySet<string> {
  return new Set(wholePodSpecs(linted).flatMap(({ item, node }) => unsetResources(item.tree, node, defaults)));
}

function usageOf({ item, podSpecs }: PodTemplate, defaults: readonly ContainerDefaults[]): Amounts {
  const [podSpec] = podSpecs;
  return podSpec === undefined ? new Map() : podUsage(item.tree, podSpec.node, defaults);
}

function overQuota(quota: Item, { total, rollouts, unset }: Need): Problem<"RS027">[] {
  const { tree } = quota;
  const spec = getPath(tree, quota.node, ["spec"]);
  if (isScoped(quota))
    return [
      problem(
        quota,
        { node: spec, field: "spec" },
        { id: "RS027", cause: "scoped", params: { quota: resourceRef(quota) } },
      ),
    ];
  const hard = getPath(tree, spec, ["hard"]);
  return [...amountsAt(tree, hard)].flatMap(([resource, allowed]): Problem<"RS027">[] => {
    const needed = total.get(resource) ?? 0n;
    const rollout = rollouts.get(resource);
    const place = { node: getPath(tree, hard, [resource]), field: `spec.hard.${resource}` };
    const over = { quota: resourceRef(quota), resource, allowed: numberOf(allowed), needed: numberOf(needed) };
    const lacking = unset.get(resource);
    if (lacking !== undefined) {
      const workloads = lacking.slice(0, MOST_WORKLOADS).map(resourceRef);
      return [
        problem(quota, place, { id: "RS027", cause: "unset", params: { quota: over.quota, resource, workloads } }),
      ];
    }
    if (needed > allowed) return [problem(quota, place, { id: "RS027", cause: "atRest", params: over })];
    if (rollout === undefined || needed + rollout.added <= allowed) return [];
    const params = { ...over, workload: resourceRef(rollout.workload), added: numberOf(rollout.added) };
    return [problem(quota, place, { id: "RS027", cause: "rollout", params }, [rollout.workload])];
  });
}

/** Whether a quota counts only some pods. */
function isScoped({ tree, node }: Item): boolean {
  return (
    itemsOf(tree, getPath(tree, node, ["spec", "scopes"])).length > 0 ||
    kindOf(tree, getPath(tree, node, ["spec", "scopeSelector"])) === "mapping"
  );
}
