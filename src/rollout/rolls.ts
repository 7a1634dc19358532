import { describe, type Item } from "../manifest/items.ts";
import type { Workload } from "../workloads/types.ts";
import { rolloutOf } from "./mechanics.ts";
import type { Rollout } from "./rollout-types.ts";
import type { Surroundings } from "./surroundings.ts";
import { writtenRollout } from "./written-rollout.ts";

// What rolls, and how: every command asks here. The facts are rows: src/workloads (where a kind has its pod
// templates, and whether it rolls at all), rollout-kinds.ts (strategies and what holds), restart-fields.ts.

/**
 * What a changed pod template of a workload does. Where another object runs the template in place of the workload
 * (`workloadRef` of an Argo Rollout) and the workload itself replaces no pod, that object's answer counts; its pods
 * are counted with it.
 */
export function rollsOf(workload: Workload, surroundings: Surroundings): Rollout {
  const own = rolloutOf(writtenRollout(workload, surroundings.autoscalers));
  if (workload.runBy.length === 0) return own;
  const runBy = workload.runBy.map((item) => runner(item, surroundings));
  const first = runBy.find(({ rollout }) => rollout?.effect === "Roll") ?? runBy[0];
  if (own.pods > 0 || own.effect === "Fail" || first === undefined) return { ...own, runBy };
  return { ...own, ...inPlaceOf(first), pods: 0, runBy };
}

function runner(item: Item, { autoscalers, workloads }: Surroundings): NonNullable<Rollout["runBy"]>[number] {
  const workload = workloads.get(item);
  return { item, rollout: workload === undefined ? undefined : rolloutOf(writtenRollout(workload, autoscalers)) };
}

function inPlaceOf({ item, rollout }: NonNullable<Rollout["runBy"]>[number]): Pick<Rollout, "effect" | "because"> {
  const runs = `${describe(item)} runs its pod template`;
  if (rollout === undefined) return { effect: "Roll", because: runs };
  return { effect: rollout.effect, because: rollout.because === undefined ? runs : `${runs}: ${rollout.because}` };
}
