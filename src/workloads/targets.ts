import { namesKind } from "../ground/kind-names.ts";
import { matchesSelector, type LabelSelector } from "../ground/selector.ts";
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
export function matchesTarget(target: Target, { item, namespace }: Pick<Workload, "item" | "namespace">): boolean {
  return (
    (target.kind === undefined || namesKind(target.kind, item)) &&
    (target.name === undefined || target.name === item.name) &&
    (target.namespace === undefined || target.namespace === namespace) &&
    (target.selector === undefined || matchesSelector(target.selector, labelsOf(item)))
  );
}
