import { describe, type Item } from "../../yaml/read/items.ts";
import type { Workload } from "../workloads/types.ts";
import { invalidSpec } from "./argo-refusals.ts";
import { refusedBy, rolloutOf } from "./mechanics.ts";
import { rolloutKind } from "./rollout-kinds.ts";
import type { Refusal, Rollout } from "./rollout-types.ts";
import type { Surroundings } from "./surroundings.ts";
import { refusedTemplate } from "./template-refusals.ts";
import { writtenRollout } from "./written-rollout.ts";

// What rolls out, and how: every command asks here. The facts are in tables: src/kubernetes/workloads (pod templates of
// kinds, and whether they roll out at all), rollout-kinds.ts (strategies and holds), restart-fields.ts.

/**
 * The effect of a changed pod template of a workload. If another object runs the template (`workloadRef` of an Argo
 * Rollout) and the workload itself replaces no pod, the effect on that object counts; its pods are counted with it.
 */
export function rollsOf(workload: Workload, surroundings: Surroundings): Rollout {
  const rollout = ownRollout(workload, surroundings);
  if (workload.runBy.length === 0) return rollout;
  const runBy = workload.runBy.map((item) => runner(item, surroundings));
  const first = runBy.find((candidate) => candidate.rollout?.effect === "Roll") ?? runBy[0];
  if (rollout.pods > 0 || rollout.effect === "Fail" || first === undefined) return { ...rollout, runBy };
  // What holds the workload itself back does not matter then.
  const { field: _field, next: _next, ...rest } = rollout;
  return { ...rest, ...inPlaceOf(first), pods: 0, runBy };
}

function ownRollout(workload: Workload, { autoscalers }: Surroundings): Rollout {
  const rollout = rolloutOf(writtenRollout(workload, autoscalers));
  if (rollout.isUnapplied === true) return rollout;
  const refused = rollout.refused === undefined ? (refusedTemplate(workload) ?? refusedRollout(workload)) : undefined;
  return refused === undefined ? rollout : { ...rollout, ...refusedBy(refused), pods: 0, refused };
}

function refusedRollout({ item }: Workload): Refusal | undefined {
  return rolloutKind(item.group, item.kind)?.strategy?.controller === "Rollout" ? invalidSpec(item) : undefined;
}

function runner(item: Item, surroundings: Surroundings): NonNullable<Rollout["runBy"]>[number] {
  const workload = surroundings.workloads.get(item);
  return { item, rollout: workload === undefined ? undefined : ownRollout(workload, surroundings) };
}

function inPlaceOf({ item, rollout }: NonNullable<Rollout["runBy"]>[number]): Pick<Rollout, "effect" | "because"> {
  const runs = `${describe(item)} runs its pod template`;
  if (rollout === undefined) return { effect: "Roll", because: runs };
  return { effect: rollout.effect, because: rollout.because === undefined ? runs : `${runs}: ${rollout.because}` };
}
