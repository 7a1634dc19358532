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

/** All that is known of a workload at a moment. */
export interface Scene {
  readonly name: FollowedName;
  /** Undefined: the cluster has no such workload. */
  readonly live:
    | {
        readonly rollout: Rollout;
        readonly progress: Progress;
        /** When its present template came, or came back, in milliseconds; undefined where it can't be shown. */
        readonly rolledAt: number | undefined;
        /** Those of its present template. */
        readonly pods: readonly LivePod[];
        /** How many there are of whatever template, without those that leave. */
        readonly standing: number;
        /** Of itself, its ReplicaSet and its pods. */
        readonly events: readonly LiveEvent[];
        /** For how long it has not got on, though there was a reason all that time, in milliseconds. */
        readonly blockedFor: number;
      }
    | undefined;
  readonly expected: Expected | undefined;
}

/** How what is seen is judged. */
export interface Rules {
  /** What rolled at or after this moment counts as rolled; undefined without a plan. */
  readonly since: number | undefined;
  readonly stuckAfterMs: number;
  /** Whether what the plan does not list may not roll. */
  readonly strict: boolean;
}

/** How a workload stands, at some moment of the wait or at its end. */
export function judge(scene: Scene, rules: Rules, atTheEnd = false): WorkloadProgress {
  const { name, live, expected } = scene;
  const planned = expected?.action ?? null;
  if (live === undefined) {
    const state = "Missing";
    const problem = problemOf({ state, rolled: null, held: undefined, scene, rules, atTheEnd });
    const none = { updated: null, desired: null, available: null, planned, rolled: null, reasons: [] };
    return { ...name, state, ...none, ...(problem === undefined ? {} : { problem }) };
  }
  const counts = countsOf(live);
  const reasons = reasonsOf(live, counts);
  const hasRolled = rolledSince(live, scene, rules);
  const state = stateOf(scene, live, { ...counts, hasRolled, isBlocked: reasons.some(({ holds }) => holds) }, rules);
  const held = live.rollout.effect === "NoEffect" ? live.rollout.because : undefined;
  // A template that no pod has, and that none is to have, is no rollout.
  const isWithoutPods = held !== undefined && counts.desired === 0;
  const rolled = (state === "Held" || isWithoutPods) && hasRolled !== null ? false : hasRolled;
  const because = state === "Held" ? held : undefined;
  const problem = problemOf({ state, rolled, held, scene, rules, atTheEnd });
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

/** True where there is a reason that stays for which a workload does not get on. */
export function isBlocked(live: NonNullable<Scene["live"]>): boolean {
  return reasonsOf(live, countsOf(live)).some(({ holds }) => holds);
}

type Live = NonNullable<Scene["live"]>;

interface Counts {
  readonly updated: number;
  /** Pods that are to have the present template. */
  readonly desired: number;
  /** All pods that there are to be. */
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

/** Times in the API are whole seconds. */
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
  // How an earlier rollout ends says nothing of one that has not begun. What is held and has no pods begins none: a
  // Rollout may run its template.
  const isHeld = rollout.effect === "NoEffect";
  const isAwaited =
    outlookOf(expected?.action ?? null) === "rolls" && hasRolled === false && !(isHeld && desired === 0);
  if (!progress.isSeen) return "RollingOut";
  if (isHeld && updated < desired) return "Held";
  // Refused since the plan: it will not begin.
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
  readonly held: string | undefined;
  readonly scene: Scene;
  readonly rules: Rules;
  readonly atTheEnd: boolean;
}

/** Undefined if all is well, or may still become so. */
function problemOf({ state, rolled, held, scene, rules, atTheEnd }: Judged): WaitProblem | undefined {
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
  if (state === "Held") return outlook === "rolls" ? { is: "Held", planned, because: held ?? "it is held" } : undefined;
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

// Pods of one workload mostly say the same.
const MOST_REASONS = 3;

/** The reasons that the cluster gives, those that stay first. */
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

/** Each reason once: of pods that say the same, the first, with how many more there are. */
function once(all: readonly Reason[]): readonly Reason[] {
  const kept = new Map<string, Reason>();
  for (const reason of all) {
    const { shown } = reason;
    // ReplicaSets say with each try another name of the pod that they can't make.
    // oxlint-disable-next-line messages/unread -- these are the words of the cluster, which has no parameters
    const key = `${shown.reason} ${(shown.message ?? "").replace(/"[^"]*"/gu, "")}`;
    const first = kept.get(key);
    if (first === undefined) kept.set(key, reason);
    else if (shown.object !== undefined)
      kept.set(key, { ...first, shown: { ...first.shown, more: (first.shown.more ?? 0) + 1 } });
  }
  return [...kept.values()].slice(0, MOST_REASONS);
}

/** True where nothing moves on by itself any more, or nobody waits for it. */
export function isSettled({ state, planned }: WorkloadProgress, hasPlan: boolean): boolean {
  return ENDED.has(state) || (hasPlan && outlookOf(planned) !== "rolls");
}

/** What all come to. */
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
