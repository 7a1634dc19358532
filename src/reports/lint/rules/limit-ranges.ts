import { resourceRef } from "../../../findings/results/location.ts";
import { containerLimits, strictest, type Bounds } from "../../../kubernetes/rollout/limit-ranges.ts";
import { amountsAt, numberOf } from "../../../kubernetes/rollout/pod-resources.ts";
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

/** How containers break a bound: the fields in the order in which they count, and what is outside. */
const BOUNDS = [
  { bound: "max", fields: ["limits", "requests"], isOutside: (set: bigint, allowed: bigint) => set > allowed },
  { bound: "min", fields: ["requests", "limits"], isOutside: (set: bigint, allowed: bigint) => set < allowed },
] as const;

/**
 * Containers that set more, or less, of a resource than a LimitRange allows (Kubernetes: plugin/pkg/admission/limitranger). What
 * a container does not set gets a default, which is within the bounds of its LimitRange.
 */
export function outsideLimits({ items, workloads, spec }: LintContext): Problem<"RS027">[] {
  const ranges = containerLimits(items, spec.defaultNamespace);
  const strict = new Map(
    [...ranges].map(([namespace, ofNamespace]) => [
      namespace,
      BOUNDS.map((row) => ({ ...row, bounds: strictest(ofNamespace, row.bound) })),
    ]),
  );
  return workloads.flatMap((linted) => {
    const rows = strict.get(linted.workload.namespace) ?? [];
    return rows.flatMap((row) => wholePodSpecs(linted).flatMap(({ item, node }) => outside(item, node, row)));
  });
}

function outside(
  workload: Item,
  podSpec: number,
  { bound, fields, isOutside, bounds }: (typeof BOUNDS)[number] & { readonly bounds: Bounds },
): Problem<"RS027">[] {
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
