import { resourceRef } from "../../findings/results/location.ts";
import type { Rollout } from "../../kubernetes/rollout/rollout-types.ts";
import type { PlanFinding } from "./planned-workload.ts";
import type { SideWorkload } from "./side.ts";

/**
 * A workload whose template is unchanged, and that no longer holds its pods back: it was paused or OnDelete, or its partition
 * is lowered. Which pods have an earlier template is in the history and in the cluster, not in the two sides.
 */
export function releasedNotes(from: SideWorkload, to: SideWorkload): PlanFinding[] {
  const [before, after] = [from.rollout(), to.rollout()];
  if (after.effect !== "Roll" || !replacesPods(after)) return [];
  const workload = resourceRef(to.workload.item);
  const id = "released-rollout";
  if (before.effect === "NoEffect" && before.because !== undefined)
    return [{ id, cause: "resumed", params: { workload, because: before.because } }];
  const [high = 0, low = 0] = [before.strategy?.partition, after.strategy?.partition];
  return high > low ? [{ id, cause: "partition", params: { workload, from: high, to: low } }] : [];
}

/** Whether a rollout reaches pods, also of the most that an autoscaler makes. Of what has no number of pods it may. */
function replacesPods({ strategy, pods, ends }: Rollout): boolean {
  return (strategy?.replicas ?? null) === null || Math.max(pods, ends?.most.pods ?? 0) > 0;
}
