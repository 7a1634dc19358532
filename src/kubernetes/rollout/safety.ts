import { leavesFewer, leavesNoPod, replacesNone } from "./mechanics.ts";
import type { Rollout } from "./rollout-types.ts";

/** What a rollout does to the number of available pods, the worst first: the order of every report. */
export const SAFETIES = ["Outage", "MayStick", "Waits", "Reduced", "Unknown", "Safe"] as const;

/**
 * `Outage`: none is available at some moment. `MayStick`: it can hang half-way. `Waits`: a person has to promote it.
 * `Reduced`: fewer are available than before. `Unknown`: Git can't tell. `Safe`: never fewer than before.
 */
export type Safety = (typeof SAFETIES)[number];

/** What decides over a rollout's safety. */
export interface SafetyFacts {
  readonly rollout: Rollout;
  /** No new pod can start beside the old one that waits for it. */
  readonly hangs: boolean;
}

interface SafetyRow {
  readonly safety: Safety;
  readonly holds: (facts: SafetyFacts) => boolean;
}

/** The first that holds decides. */
const ROWS: readonly SafetyRow[] = [
  { safety: "Safe", holds: ({ rollout }) => replacesNone(rollout) },
  { safety: "Outage", holds: ({ rollout }) => leavesNoPod(rollout) },
  { safety: "MayStick", holds: ({ hangs }) => hangs },
  { safety: "Waits", holds: ({ rollout }) => rollout.waits !== undefined },
  { safety: "Reduced", holds: ({ rollout }) => leavesFewer(rollout) === true },
  { safety: "Unknown", holds: ({ rollout }) => leavesFewer(rollout) === undefined },
];

/** How safe it is that a workload rolls. */
export function safetyOf(facts: SafetyFacts): Safety {
  return ROWS.find(({ holds }) => holds(facts))?.safety ?? "Safe";
}

/** The place of a safety among all: the worst comes first. */
export function rankOf(safety: Safety): number {
  return SAFETIES.indexOf(safety);
}
