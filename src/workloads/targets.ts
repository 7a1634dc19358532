import { namesKind } from "../ground/kind-names.ts";
import { matchesSelector, type LabelSelector } from "../ground/selector.ts";
import { comparing } from "../ground/limits.ts";
import { labelsOf } from "../manifest/items.ts";
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

/**
 * Asks which of several mean a workload, in their order: those that name it are looked up, the others compared, and
 * what that takes is limited.
 */
export function targeting<T>(
  all: readonly T[],
  targetOf: (one: T) => Target,
): (workload: Pick<Workload, "item" | "namespace">) => readonly T[] {
  const named = new Map<string, { readonly at: number; readonly one: T }[]>();
  const others: { readonly at: number; readonly one: T }[] = [];
  all.forEach((one, at) => {
    const { name } = targetOf(one);
    const known = name === undefined ? others : named.get(name);
    if (known !== undefined) known.push({ at, one });
    else if (name !== undefined) named.set(name, [{ at, one }]);
  });
  const spend = comparing("targets with workloads");
  return (workload) => {
    const { item } = workload;
    let labels: ReadonlyMap<string, string> | undefined;
    const candidates = [...(named.get(item.name) ?? []), ...others];
    spend(candidates.length, item.tree.limits);
    return candidates
      .filter(({ one }) => {
        const target = targetOf(one);
        for (const { values } of target.selector ?? []) spend(1 + values.length, item.tree.limits);
        return matchesTarget(target, workload, () => (labels ??= labelsOf(item)));
      })
      .sort((a, b) => a.at - b.at)
      .map(({ one }) => one);
  };
}
