import { counted } from "../base/words.ts";
import type { PlannedWorkload } from "../reports/plan/planned-workload.ts";
import type { Strategy } from "../kubernetes/rollout/rollout-types.ts";
import { code } from "./document/blocks.ts";
import type { Words } from "./document/document.ts";

/** What says how a workload rolls. */
type Rolling = Pick<PlannedWorkload, "action" | "pods" | "strategy"> &
  Partial<Pick<PlannedWorkload, "podsAtMost" | "safety" | "caveats">>;

/**
 * How a workload rolls: `RollingUpdate, 4 pods: at least 3 available, at most 5 in all`; undefined if it doesn't. Without
 * a readiness probe a pod counts as available as soon as it has started: the words are "started" then.
 */
export function strategyWords(rolling: Rolling): Words | undefined {
  const { action, strategy } = rolling;
  if (action !== "Roll" || strategy === null) return undefined;
  return [code(strategy.type), `, ${podsInWords(rolling, strategy)}${boundsInWords(rolling, strategy)}`];
}

function podsInWords({ pods, podsAtMost }: Rolling, { replicas, partition }: Strategy): string {
  if (replicas === null) return "as many pods as there are";
  if (podsAtMost !== undefined) {
    const range = `${pods} to ${podsAtMost} pods`;
    return partition === undefined ? range : `${range} (partition ${partition})`;
  }
  if (partition !== undefined) return `${pods} of ${replicas} pods (partition ${partition})`;
  return counted(pods, "pod");
}

function boundsInWords({ pods, podsAtMost, safety, caveats = [] }: Rolling, strategy: Strategy): string {
  const { type, replicas, maxSurge, maxUnavailable, minAvailable, maxTotal } = strategy;
  if (type === "RollingUpdate" && replicas === null) {
    const isSurge = maxSurge !== null && maxSurge !== 0 && maxSurge !== "0%";
    return isSurge ? `, ${maxSurge} more at once` : `, ${maxUnavailable ?? 1} at once`;
  }
  if (minAvailable === null || maxTotal === null || (podsAtMost ?? pods) === 0) return "";
  const available = caveats.some(({ id }) => id === "RS016") ? "started" : "available";
  const least = minAvailable === 0 ? `none ${available} while it rolls` : `at least ${minAvailable} ${available}`;
  // The maximum is known only for the fewest pods.
  const most = podsAtMost === undefined ? `, at most ${maxTotal} in all` : "";
  return `: ${least}${most}${safety === "MayStick" ? ", and it can stop there" : ""}`;
}
