import type { ObjectName } from "../../base/names.ts";
import type { Rollout } from "../../kubernetes/rollout/rollout-types.ts";
import type { LiveEvent, LivePod } from "./live-pods.ts";
import type { Progress } from "./progress.ts";
import type { ClusterReason, WaitProblem, WaitState, WaitSummary, WorkloadProgress } from "./wait-report.ts";

/** Everything that is known about a workload at a moment. */
export interface Scene {
  readonly rollout: Rollout;
  readonly progress: Progress;
  /** The pods with the current template. */
  readonly pods: readonly LivePod[];
  /** The number of pods with any template, without those that are leaving. */
  readonly standing: number;
  /** The events of the workload, its ReplicaSet and its pods. */
  readonly events: readonly LiveEvent[];
  /** How long a reason has blocked progress without interruption, in milliseconds. */
  readonly blockedFor: number;
}

/** The progress of a workload, during the wait or at its end. */
export function judge(name: ObjectName, scene: Scene, stuckAfterMs: number, runAtExit: boolean): WorkloadProgress {
  const counts = countsOf(scene);
  const reasons = reasonsOf(scene, counts);
  const isStuck = scene.blockedFor >= stuckAfterMs && reasons.some(({ holds }) => holds);
  const state = stateOf(scene, counts, isStuck);
  const problem = problemOf(state, scene, runAtExit);
  const { because } = scene.rollout;
  return {
    ...name,
    state,
    updated: Math.min(counts.updated, counts.desired),
    desired: counts.desired,
    available: scene.progress.available,
    ...(state === "Held" && because !== undefined ? { because } : {}),
    reasons: state === "Done" || state === "Held" ? [] : reasons.map(({ shown }) => shown),
    ...(problem === undefined ? {} : { problem }),
  };
}

/** Whether something blocks progress and does not resolve itself. */
export function isBlocked(scene: Scene): boolean {
  return reasonsOf(scene, countsOf(scene)).some(({ holds }) => holds);
}

interface Counts {
  readonly updated: number;
  /** Pods that need the current template. */
  readonly desired: number;
  /** All desired pods. */
  readonly total: number;
}

function countsOf({ progress, rollout }: Scene): Counts {
  const { replicas, partition } = rollout.strategy ?? {};
  const total = progress.desired ?? replicas ?? 1;
  const desired = progress.desired ?? Math.max(0, total - (partition ?? 0));
  return { updated: progress.updated, desired, total };
}

function stateOf({ progress, rollout }: Scene, { updated, desired, total }: Counts, isStuck: boolean): WaitState {
  if (!progress.isSeen) return "RollingOut";
  if (rollout.effect === "NoEffect" && updated < desired) return "Held";
  if (progress.failed !== undefined) return "Failed";
  if (progress.waits !== undefined) return "Waits";
  if (updated >= desired && progress.older === 0 && progress.available >= total) return "Done";
  return isStuck ? "Stuck" : "RollingOut";
}

/** Undefined if all is well, or may still become so. */
function problemOf(state: WaitState, { blockedFor }: Scene, runAtExit: boolean): WaitProblem | undefined {
  if (state === "Failed") return { is: "Failed" };
  if (state === "Stuck") return { is: "Stuck", seconds: Math.floor(blockedFor / 1000) };
  if (state === "Waits") return { is: "NeedsApproval" };
  return state === "RollingOut" && runAtExit ? { is: "Unfinished" } : undefined;
}

interface Reason {
  readonly shown: ClusterReason;
  readonly holds: boolean;
}

// The pods of a workload usually have the same reasons.
const MOST_REASONS = 3;

/** The reasons from the cluster, those that do not pass by themselves first. */
function reasonsOf({ progress, pods, events, standing: all }: Scene, { total }: Counts): readonly Reason[] {
  const standing = pods.filter(({ isLeaving }) => !isLeaving);
  const isMaking = all < total;
  const isStarting = new Set(standing.filter((pod) => pod.isStarting).map(({ name }) => name));
  const found: Reason[] = [progress.failed, progress.waits, progress.blocked].flatMap((shown) =>
    shown === undefined ? [] : [{ shown, holds: true }],
  );
  for (const { when, shown, name } of events) {
    if (when === "making" && isMaking) found.push({ shown, holds: true });
    if (when === "starting" && isStarting.has(name))
      found.push({ shown: { ...shown, object: `Pod ${name}` }, holds: true });
  }
  for (const { name, why } of standing)
    if (why !== undefined) found.push({ shown: { ...why.shown, object: `Pod ${name}` }, holds: why.holds });
  return once(found.sort((a, b) => Number(b.holds) - Number(a.holds)));
}

/** Each reason once, with the number of further pods that have it. */
function once(all: readonly Reason[]): readonly Reason[] {
  const kept = new Map<string, Reason>();
  for (const reason of all) {
    const { shown } = reason;
    // ReplicaSets repeat the message with another name of the pod that they cannot create.
    // oxlint-disable-next-line messages/unread -- these are the words of the cluster, which has no parameters
    const key = `${shown.reason} ${(shown.message ?? "").replace(/"[^"]*"/gu, "")}`;
    const first = kept.get(key);
    if (first === undefined) kept.set(key, reason);
    else if (shown.object !== undefined)
      kept.set(key, { ...first, shown: { ...first.shown, more: (first.shown.more ?? 0) + 1 } });
  }
  return [...kept.values()].slice(0, MOST_REASONS);
}

export function summaryOf(all: readonly WorkloadProgress[]): WaitSummary {
  const count = (state: WaitState): number => all.filter((workload) => workload.state === state).length;
  return {
    followed: all.length,
    done: count("Done"),
    held: count("Held"),
    waiting: count("Waits"),
    failed: count("Failed"),
    stuck: count("Stuck"),
    unfinished: count("RollingOut"),
    problems: all.filter(({ problem }) => problem !== undefined).length,
  };
}
