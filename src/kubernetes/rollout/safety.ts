import { leavesFewer, leavesNoPod, replacesNone } from "./mechanics.ts";
import type { Rollout } from "./rollout-types.ts";

/** The effect of a rollout on the number of available pods, worst first, as in every report. */
export const SAFETIES = ["Outage", "MayStick", "Waits", "Reduced", "Unknown", "Safe"] as const;

/**
 * `Outage`: no pod is available at some moment. `MayStick`: the rollout can get stuck. `Waits`: a person has to promote
 * it. `Reduced`: fewer pods are available than before. `Unknown`: Git does not show it. `Safe`: never fewer than
 * before.
 */
export type Safety = (typeof SAFETIES)[number];

export interface SafetyFacts {
  readonly rollout: Rollout;
  /** No new pod can start beside the old pod that waits for it. */
  readonly hangs: boolean;
}

interface SafetyRow {
  readonly safety: Safety;
  readonly holds: (facts: SafetyFacts) => boolean;
}

/** The first row that holds decides. */
const ROWS: readonly SafetyRow[] = [
  { safety: "Safe", holds: ({ rollout }) => replacesNone(rollout) },
  { safety: "Outage", holds: ({ rollout }) => leavesNoPod(rollout) },
  { safety: "MayStick", holds: ({ hangs }) => hangs },
  { safety: "Waits", holds: ({ rollout }) => rollout.waits !== undefined },
  { safety: "Reduced", holds: ({ rollout }) => leavesFewer(rollout) === true },
  { safety: "Unknown", holds: ({ rollout }) => leavesFewer(rollout) === undefined },
];

export function safetyOf(facts: SafetyFacts): Safety {
  return ROWS.find(({ holds }) => holds(facts))?.safety ?? "Safe";
}

/** The rank of a safety; the worst has the lowest. */
export function rankOf(safety: Safety): number {
  return SAFETIES.indexOf(safety);
}
