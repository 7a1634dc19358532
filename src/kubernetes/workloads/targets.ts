import { namesKind } from "../../base/kind-names.ts";
import { matchesSelector, type LabelSelector } from "../../base/selector.ts";
import { comparing } from "../../base/limits.ts";
import { labelsOf } from "../../yaml/read/items.ts";
import type { Workload } from "./types.ts";

/** Which workloads are meant: every field that is given has to match. */
export interface Target {
  readonly kind?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly selector?: LabelSelector;
}

/** True where a workload, or what runs its pods, is one that the target means. */
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

/** Where the targets stand that name a workload, by its name, and those that name none. */
export interface TargetIndex {
  readonly named: ReadonlyMap<string, readonly number[]>;
  readonly others: readonly number[];
}

/** Indexes targets by the names that they ask for. */
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
 * Asks which of several mean a workload, in their order: those that name it are looked up, the others compared, and
 * what that takes is limited. Who asks again of the same ones gives their index.
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
      .flatMap((at): T[] => {
        const one = all[at];
        if (one === undefined) return [];
        const target = targetOf(one);
        for (const { values } of target.selector ?? []) spend(1 + values.length, item.tree.limits);
        return matchesTarget(target, workload, () => (labels ??= labelsOf(item))) ? [one] : [];
      });
  };
}
