import { namesKind } from "../../base/kind-names.ts";
import { matchesSelector, type LabelSelector } from "../../base/selector.ts";
import { comparing } from "../../base/limits.ts";
import { labelsOf } from "../../yaml/read/items.ts";
import type { Workload } from "./types.ts";

/** Which workloads are selected: every given field must match. */
export interface Target {
  readonly kind?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly selector?: LabelSelector;
}

/** Whether a target selects a workload, or an object that runs its pods. */
function matchesTarget(
  target: Target,
  { item, namespace }: Pick<Workload, "item" | "namespace">,
  labels: () => ReadonlyMap<string, string>,
): boolean {
  return (
    (target.kind === undefined || namesKind(target.kind, item)) &&
    (target.name === undefined || target.name === item.name) &&
    (target.namespace === undefined || target.namespace === namespace) &&
    (target.selector === undefined || matchesSelector(target.selector, labels()))
  );
}

/** The indexes of the targets with a name, by name, and of those without. */
export interface TargetIndex {
  readonly named: ReadonlyMap<string, readonly number[]>;
  readonly others: readonly number[];
}

/** Indexes targets by name. */
export function indexTargets(targets: readonly Target[]): TargetIndex {
  const named = new Map<string, number[]>();
  const others: number[] = [];
  for (const [at, { name }] of targets.entries()) {
    const known = name === undefined ? others : named.get(name);
    if (known !== undefined) known.push(at);
    else if (name !== undefined) named.set(name, [at]);
  }
  return { named, others };
}

/**
 * Finds the targets that select a workload, in order. Targets with a name are looked up; the others are compared, with
 * a limited cost. Pass the index to search the same targets again.
 */
export function targeting<T>(
  all: readonly T[],
  targetOf: (one: T) => Target,
  { named, others }: TargetIndex = indexTargets(all.map(targetOf)),
): (workload: Pick<Workload, "item" | "namespace">) => readonly T[] {
  const spend = comparing("targets with workloads");
  return (workload) => {
    const { item } = workload;
    let labels: ReadonlyMap<string, string> | undefined;
    const places = [...(named.get(item.name) ?? []), ...others];
    spend(places.length, item.tree.limits);
    return places
      .sort((a, b) => a - b)
      .flatMap((index): T[] => {
        const candidate = all[index];
        if (candidate === undefined) return [];
        const target = targetOf(candidate);
        for (const { values } of target.selector ?? []) spend(1 + values.length, item.tree.limits);
        return matchesTarget(target, workload, () => (labels ??= labelsOf(item))) ? [candidate] : [];
      });
  };
}
