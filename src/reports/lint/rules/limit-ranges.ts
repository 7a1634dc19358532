import { resourceRef } from "../../../findings/results/location.ts";
import { containerLimits, strictest, type Bounds } from "../../../kubernetes/rollout/limit-ranges.ts";
import {
  amountsAt,
  numberOf,
  podUsage,
  unsetResources,
  type ContainerDefaults,
} from "../../../kubernetes/rollout/pod-resources.ts";
import { rolloutKind } from "../../../kubernetes/rollout/rollout-kinds.ts";
import type { Item } from "../../../yaml/read/items.ts";
import { get, getPath, getString, itemsOf } from "../../../yaml/read/node.ts";
import type { LintContext, LintedWorkload } from "../context.ts";
import { problem, type Problem } from "../rule.ts";

/** The pod specs of built-in kinds and of Rollouts: operators fill in what their kinds do not say. */
export function wholePodSpecs({
  workload,
  templates,
}: LintedWorkload): { readonly item: Item; readonly node: number }[] {
  const { group, kind } = workload.item;
  const isWhole = rolloutKind(group, kind)?.strategy !== undefined || group === "batch" || group === "";
  return isWhole
    ? templates.flatMap(({ template: { item, podSpecs } }) => podSpecs.map(({ node }) => ({ item, node })))
    : [];
}

/** How containers or pods break a bound: the fields in the order in which they count, and what is outside. */
const BOUNDS = [
  { bound: "max", fields: ["limits", "requests"], isOutside: (set: bigint, allowed: bigint) => set > allowed },
  { bound: "min", fields: ["requests", "limits"], isOutside: (set: bigint, allowed: bigint) => set < allowed },
] as const;

type Bounded = (typeof BOUNDS)[number] & { readonly bounds: Bounds };

/**
 * Containers or pods that set more, or less, of a resource than a LimitRange allows (Kubernetes:
 * plugin/pkg/admission/limitranger). What a container does not set gets a default, which is within the bounds of its LimitRange.
 */
export function outsideLimits({ items, workloads, spec: { defaultNamespace } }: LintContext): Problem<"RS027">[] {
  const ranges = containerLimits(items, defaultNamespace);
  const [ofContainers, ofPods] = [ranges, containerLimits(items, defaultNamespace, "Pod")].map(boundsOf);
  return workloads.flatMap((linted) => {
    const { namespace } = linted.workload;
    const defaults = ranges.get(namespace) ?? [];
    return wholePodSpecs(linted).flatMap(({ item, node }) => [
      ...(ofContainers?.get(namespace) ?? []).flatMap((row) => outside(item, node, row)),
      ...(ofPods?.get(namespace) ?? []).flatMap((row) => outsideInAll(item, node, row, defaults)),
    ]);
  });
}

function boundsOf(ranges: ReturnType<typeof containerLimits>): ReadonlyMap<string, readonly Bounded[]> {
  return new Map(
    [...ranges].map(([namespace, all]) => [
      namespace,
      BOUNDS.map((row) => ({ ...row, bounds: strictest(all, row.bound) })),
    ]),
  );
}

function outside(workload: Item, podSpec: number, { bound, fields, isOutside, bounds }: Bounded): Problem<"RS027">[] {
  const { tree } = workload;
  const containers = ["containers", "initContainers"].flatMap((list) => itemsOf(tree, get(tree, podSpec, list)));
  return containers.flatMap((container) => {
    const found = new Map<string, Problem<"RS027">>();
    for (const field of fields) {
      const place = getPath(tree, container, ["resources", field]);
      for (const [name, set] of amountsAt(tree, place)) {
        const allowed = bounds.get(name);
        if (allowed === undefined || found.has(name) || !isOutside(set, allowed.amount)) continue;
        const params = {
          workload: resourceRef(workload),
          container: getString(tree, container, "name") ?? "",
          range: resourceRef(allowed.item),
          resource: `${field}.${name}`,
          bound,
          allowed: numberOf(allowed.amount),
          set: numberOf(set),
        };
        const node = get(tree, place, name);
        found.set(name, problem(workload, { node }, { id: "RS027", cause: "limitRange", params }, [allowed.item]));
      }
    }
    return [...found.values()];
  });
}

/** PodValidateLimitFunc there: what has a max needs a limit, and what has a min a request. */
function outsideInAll(
  workload: Item,
  podSpec: number,
  { bound, fields, isOutside, bounds }: Bounded,
  defaults: readonly ContainerDefaults[],
): Problem<"RS027">[] {
  if (bounds.size === 0) return [];
  const { tree } = workload;
  const usage = podUsage(tree, podSpec, defaults);
  const unset = new Set(unsetResources(tree, podSpec, defaults));
  return [...bounds].flatMap(([name, allowed]): Problem<"RS027">[] => {
    const resource = fields
      .map((field) => `${field}.${name}`)
      .find((key, i) => {
        const set = usage.get(key);
        return set === undefined ? i === 0 && unset.has(key) : isOutside(set, allowed.amount);
      });
    if (resource === undefined) return [];
    const set = usage.get(resource);
    const params = {
      workload: resourceRef(workload),
      container: null,
      range: resourceRef(allowed.item),
      resource,
      bound,
      allowed: numberOf(allowed.amount),
      set: set === undefined ? null : numberOf(set),
    };
    return [problem(workload, { node: podSpec }, { id: "RS027", cause: "limitRange", params }, [allowed.item])];
  });
}
