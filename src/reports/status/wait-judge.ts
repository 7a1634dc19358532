import { formatTime } from "../../base/times.ts";
import type { Rollout } from "../../kubernetes/rollout/rollout-types.ts";
import type { LiveEvent, LivePod } from "./live-pods.ts";
import type { Progress } from "./progress.ts";
import { outlookOf, type Expected } from "./expected.ts";
import {
  ENDED,
  type FollowedName,
  type ClusterReason,
  type WaitProblem,
  type WaitState,
  type WaitSummary,
  type WorkloadProgress,
} from "./wait-report.ts";

/** Everything that is known about a workload at a moment. */
export interface Scene {
  readonly name: FollowedName;
  /** Undefined if the workload is not in the cluster. */
  readonly live:
    | {
        readonly rollout: Rollout;
        readonly progress: Progress;
        /** When the current template came into use, in milliseconds; undefined if unknown. */
        readonly rolledAt: number | undefined;
        /** The pods with the current template. */
        readonly pods: readonly LivePod[];
        /** The number of pods with any template, without those that are leaving. */
        readonly standing: number;
        /** The events of the workload, its ReplicaSet and its pods. */
        readonly events: readonly LiveEvent[];
        /** How long a reason has blocked progress without interruption, in milliseconds. */
        readonly blockedFor: number;
      }
    | undefined;
  readonly expected: Expected | undefined;
}

export interface Rules {
  /** Rollouts at or after this time count; undefined without a plan. */
  readonly since: number | undefined;
  readonly stuckAfterMs: number;
  /** Whether a rollout that the plan does not list is a problem. */
  readonly strict: boolean;
}

/** The progress of a workload, during the wait or at its end. */
export function judge(scene: Scene, rules: Rules, atTheEnd = false): WorkloadProgress {
  const { name, live, expected } = scene;
  const planned = expected?.action ?? null;
  if (live === undefined) {
    const state = "Missing";
    const problem = problemOf({ state, rolled: null, heldBecause: undefined, scene, rules, atTheEnd });
    const none = { updated: null, desired: null, available: null, planned, rolled: null, reasons: [] };
    return { ...name, state, ...none, ...(problem === undefined ? {} : { problem }) };
  }
  const counts = countsOf(live);
  const reasons = reasonsOf(live, counts);
  const hasRolled = rolledSince(live, scene, rules);
  const state = stateOf(scene, live, { ...counts, hasRolled, isBlocked: reasons.some(({ holds }) => holds) }, rules);
  const heldBecause = live.rollout.effect === "NoEffect" ? live.rollout.because : undefined;
  // A changed template without any desired pod is not a rollout.
  const isWithoutPods = heldBecause !== undefined && counts.desired === 0;
  const rolled = (state === "Held" || isWithoutPods) && hasRolled !== null ? false : hasRolled;
  const because = state === "Held" ? heldBecause : undefined;
  const problem = problemOf({ state, rolled, heldBecause, scene, rules, atTheEnd });
  return {
    ...name,
    state,
    updated: Math.min(counts.updated, counts.desired),
    desired: counts.desired,
    available: live.progress.available,
    planned,
    rolled,
    ...(because === undefined ? {} : { because }),
    reasons: state === "Done" || state === "Held" ? [] : reasons.map(({ shown }) => shown),
    ...(problem === undefined ? {} : { problem }),
  };
}

/** Whether something blocks progress that does not pass by itself. */
export function isBlocked(live: NonNullable<Scene["live"]>): boolean {
  return reasonsOf(live, countsOf(live)).some(({ holds }) => holds);
}

type Live = NonNullable<Scene["live"]>;

interface Counts {
  readonly updated: number;
  /** Pods that need the current template. */
  readonly desired: number;
  /** All desired pods. */
  readonly total: number;
}

function countsOf({ progress, rollout }: Live): Counts {
  const { replicas, partition } = rollout.strategy ?? {};
  const total = progress.desired ?? replicas ?? 1;
  const desired = progress.desired ?? Math.max(0, total - (partition ?? 0));
  return { updated: progress.updated ?? desired, desired, total };
}

function rolledSince({ rolledAt }: Live, { expected }: Scene, { since }: Rules): boolean | null {
  if (since === undefined || rolledAt === undefined || expected?.byField === true) return null;
  return rolledAt >= wholeSeconds(since);
}

/** Times of the API are in whole seconds. */
function wholeSeconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000) * 1000;
}

function stateOf(
  { expected }: Scene,
  { progress, rollout, blockedFor }: Live,
  {
    updated,
    desired,
    total,
    hasRolled,
    isBlocked: hasReason,
  }: Counts & { hasRolled: boolean | null; isBlocked: boolean },
  { stuckAfterMs, since }: Rules,
): WaitState {
  // The result of an earlier rollout says nothing about one that has not begun. A held workload without pods begins
  // none: a Rollout may run its template.
  const isHeld = rollout.effect === "NoEffect";
  const isAwaited =
    outlookOf(expected?.action ?? null) === "rolls" && hasRolled === false && !(isHeld && desired === 0);
  if (!progress.isSeen) return "RollingOut";
  if (isHeld && updated < desired) return "Held";
  // Refused since the plan, so it will not begin.
  const isRefused = progress.refusedAt !== undefined && progress.refusedAt >= wholeSeconds(since ?? 0);
  if (progress.failed !== undefined) return isAwaited && !isRefused ? "Pending" : "Failed";
  if (progress.waits !== undefined) return isAwaited ? "Pending" : "Waits";
  const isComplete = updated >= desired && progress.older === 0 && progress.available >= total;
  if (isComplete) return isAwaited ? "Pending" : "Done";
  if (!hasReason || blockedFor < stuckAfterMs) return "RollingOut";
  return isAwaited ? "Pending" : "Stuck";
}

interface Judged {
  readonly state: WaitState;
  readonly rolled: boolean | null;
  readonly heldBecause: string | undefined;
  readonly scene: Scene;
  readonly rules: Rules;
  readonly atTheEnd: boolean;
}

/** Undefined if all is well, or may still become so. */
function problemOf({ state, rolled, heldBecause, scene, rules, atTheEnd }: Judged): WaitProblem | undefined {
  const { expected, live } = scene;
  const planned = expected?.action ?? "";
  const outlook = outlookOf(expected?.action ?? null);
  if (rolled === true && outlook === "stays") return { is: "RolledOut", planned };
  if (rules.since !== undefined && expected === undefined)
    return rules.strict && rolled === true ? { is: "RolledOut", planned: null } : undefined;
  if (outlook === "stays") return undefined;
  if (outlook === "refused") return rolled === true || !atTheEnd ? undefined : { is: "Refused", planned };
  if (state === "Failed") return { is: "Failed" };
  if (state === "Stuck") return { is: "Stuck", seconds: Math.floor((live?.blockedFor ?? 0) / 1000) };
  if (state === "Waits") return expected?.waits === true ? undefined : { is: "NeedsApproval" };
  if (state === "Held")
    return outlook === "rolls" ? { is: "Held", planned, because: heldBecause ?? "held" } : undefined;
  if (!atTheEnd || ENDED.has(state)) return undefined;
  if (state === "Missing") return { is: "Missing", planned };
  if (state === "RollingOut") return { is: "Unfinished" };
  const last = live?.rolledAt === undefined ? {} : { last: formatTime(new Date(live.rolledAt)) };
  return { is: "NotRolledOut", planned, since: formatTime(new Date(rules.since ?? 0)), ...last };
}

interface Reason {
  readonly shown: ClusterReason;
  readonly holds: boolean;
}

// The pods of a workload usually have the same reasons.
const MOST_REASONS = 3;

/** The reasons from the cluster, those that do not pass by themselves first. */
function reasonsOf({ progress, pods, events, standing: all }: Live, { total }: Counts): readonly Reason[] {
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

/** True if the state does not change by itself, or nobody waits for a change. */
export function isSettled({ state, planned }: WorkloadProgress, hasPlan: boolean): boolean {
  return ENDED.has(state) || (hasPlan && outlookOf(planned) !== "rolls");
}

export function summaryOf(all: readonly WorkloadProgress[]): WaitSummary {
  const count = (...states: readonly WaitState[]): number => all.filter(({ state }) => states.includes(state)).length;
  return {
    followed: all.length,
    done: count("Done"),
    held: count("Held"),
    waiting: count("Waits"),
    failed: count("Failed"),
    stuck: count("Stuck"),
    unfinished: count("Pending", "RollingOut", "Missing"),
    problems: all.filter(({ problem }) => problem !== undefined).length,
  };
}
