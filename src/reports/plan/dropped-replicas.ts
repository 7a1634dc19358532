import { resourceRef } from "../../findings/results/location.ts";
import { numberAt } from "../../kubernetes/rollout/numbers.ts";
import { rolloutKind } from "../../kubernetes/rollout/rollout-kinds.ts";
import type { PlanFinding } from "./planned-workload.ts";
import type { SideWorkload } from "./side.ts";

/**
 * A scaled workload that no longer writes its number of pods, or writes one below the minimum. Who applied the number removes it,
 * and the API server fills in 1 (pkg/apis/apps/v1/defaults.go); the autoscaler raises it when it looks next, after up to 15 seconds.
 */
export function droppedReplicas(from: SideWorkload, to: SideWorkload): PlanFinding[] {
  const { item } = to.workload;
  const [before = 0, after] = [from, to].map(({ workload }) => numberAt(workload.item, ["spec", "replicas"]));
  const { scaledBy, isUnapplied } = to.rollout();
  const isKnown = rolloutKind(item.group, item.kind)?.strategy !== undefined;
  if (before < 2 || scaledBy === undefined || isUnapplied === true || !isKnown) return [];
  const { kind, name, min } = scaledBy;
  if (after !== undefined && after >= Math.min(before, min)) return [];
  const params = { workload: resourceRef(item), from: before, scaler: { kind, name } };
  const id = "dropped-replicas";
  return after === undefined
    ? [{ id, cause: "removed", params }]
    : [{ id, cause: "lowered", params: { ...params, to: after, min } }];
}
