import { groupOf, versionOf } from "../ground/api-versions.ts";
import type { Item } from "../manifest/items.ts";
import type { RollsBy } from "../workloads/types.ts";
import { countProblem, isZero, scaled, type IntOrPercent } from "./int-or-percent.ts";
import { rolloutKind, type Hold, type KnownStrategy, type StrategyDefaults } from "./rollout-kinds.ts";

// What a changed pod template does to the pods. Formulas: Kubernetes' pkg/controller/deployment/util
// (ResolveFenceposts, MaxUnavailable), pkg/controller/statefulset, pkg/controller/daemon; refusals:
// pkg/apis/apps/validation. The figures were observed on a real control plane (docs/plan.md).

/** What a workload's manifest says of how it rolls, as it is written: undefined where it says nothing. */
export interface WrittenRollout {
  readonly apiVersion: string;
  readonly kind: string;
  /** How the kind's pods take a changed template. */
  readonly rollsBy: RollsBy;
  readonly replicas?: number | undefined;
  /** `minReplicas` of a HorizontalPodAutoscaler that targets it: it counts whatever `replicas` says. */
  readonly minReplicas?: number | undefined;
  /** How long a pod has to be ready before it counts, and how long a rollout may take to get on, in seconds. */
  readonly minReadySeconds?: number | undefined;
  readonly progressDeadlineSeconds?: number | undefined;
  /** The settings that keep a changed template from the pods. */
  readonly holds?: readonly Hold[] | undefined;
  /** The tool that deletes the object and makes it anew rather than change it, in words. */
  readonly recreatedBy?: string | undefined;
  readonly strategy?: WrittenStrategy | undefined;
}

export interface WrittenStrategy {
  readonly type?: string | undefined;
  /** Whether `rollingUpdate` is there: beside a type that has none it is refused. */
  readonly hasRollingUpdate?: boolean | undefined;
  readonly maxSurge?: IntOrPercent | undefined;
  readonly maxUnavailable?: IntOrPercent | undefined;
  readonly partition?: number | undefined;
  /** Argo Rollouts: a traffic router keeps the old pods until the new ones have the traffic. */
  readonly hasTrafficRouting?: boolean | undefined;
}

/** A strategy with its defaults filled in and its percentages worked out: null where Git can't tell. */
export interface Strategy {
  readonly type: string;
  /** The number of pods; null for one a node, or where an operator decides. */
  readonly replicas: number | null;
  readonly maxSurge: IntOrPercent | null;
  readonly maxUnavailable: IntOrPercent | null;
  /** The fewest pods that are available while it rolls. */
  readonly minAvailable: number | null;
  /** The most pods that exist while it rolls, terminating ones not counted. */
  readonly maxTotal: number | null;
  /** StatefulSet: pods below this ordinal stay as they are. */
  readonly partition?: number;
}

/** What a changed template does: `Fail` where the API server refuses it. */
export type Effect = "Roll" | "NextRun" | "NoEffect" | "Fail";

export interface Rollout {
  /** What the workload does if its pod template has changed. */
  readonly effect: Effect;
  /** Why nothing rolls, in words: "it is paused"; undefined for `Roll`. */
  readonly because: string | undefined;
  /** The field that says so; undefined where it is a matter of the kind or of a default. */
  readonly field?: string;
  /** The setting by which a change of nothing but annotations and labels reaches no pod. */
  readonly inPlace?: Hold;
  /** Null for kinds without replicas of their own: Job, CronJob, bare Pod. */
  readonly strategy: Strategy | null;
  /** How many pods are replaced; 0 too where Git can't tell (DaemonSet). */
  readonly pods: number;
  /** The objects that run its pod template in its place, and what they do for a change of it. */
  readonly runBy?: readonly { readonly item: Item; readonly rollout: Rollout | undefined }[];
  /** A field that the API server refuses whether or not the template has changed, and why. */
  readonly refused: Refusal | undefined;
}

export interface Refusal {
  readonly path: string;
  readonly problem: string;
  /** No pod would count as available before the rollout is given up. */
  readonly readyTooLate?: { readonly minReadySeconds: number; readonly progressDeadlineSeconds: number };
}

/** What a change of a workload's pod template does, by its kind, its apiVersion and its strategy. */
export function rolloutOf(written: WrittenRollout): Rollout {
  const inPlace = written.holds?.find(({ metadataOnly }) => metadataOnly === true);
  return { ...ofStrategy(written), ...(inPlace === undefined ? {} : { inPlace }) };
}

function ofStrategy(written: WrittenRollout): Rollout {
  const known = rolloutKind(groupOf(written.apiVersion), written.kind)?.strategy;
  const stays = written.recreatedBy === undefined ? BY_KIND[written.rollsBy] : recreated(written.recreatedBy);
  if (stays !== undefined) return { ...stays, strategy: plainStrategy(written), pods: 0, refused: undefined };
  if (known === undefined) return operatorRollout(written);
  const defaults = known.versions?.[versionOf(written.apiVersion)] ?? known.defaults;
  const resolved = resolve(written, known, defaults);
  const refused = refusal(written, known, resolved);
  const strategy = STRATEGIES[known.controller](resolved);
  const held = refused === undefined ? heldBack(written, resolved.type) : refusedBecause(refused);
  if (held !== undefined) return { ...held, strategy, pods: 0, refused };
  return { effect: "Roll", because: undefined, strategy, pods: replacedPods(strategy), refused };
}

/** True where a rollout leaves no pod available at some moment though there are some before it. */
export function leavesNoPod(rollout: Rollout): boolean {
  const { strategy } = rollout;
  if (rollout.effect !== "Roll" || strategy === null) return false;
  // One pod a node: only all nodes at once leave none.
  if (strategy.replicas === null) return strategy.type === "RollingUpdate" && strategy.maxUnavailable === "100%";
  return rollout.pods > 0 && strategy.minAvailable === 0;
}

/**
 * True where a rollout goes on only once a new pod is available beside all old ones: a Deployment whose
 * maxUnavailable comes to 0, a blue-green one, a DaemonSet that surges.
 */
export function startsBeside({ effect, strategy, pods }: Rollout): boolean {
  if (effect !== "Roll" || strategy === null) return false;
  if (strategy.replicas === null) return strategy.maxSurge !== null && !isZero(strategy.maxSurge);
  return pods > 0 && (strategy.type === "BlueGreen" || (strategy.maxUnavailable === 0 && strategy.maxSurge !== 0));
}

type Held = Pick<Rollout, "effect" | "because" | "field">;

/** The kinds whose pods don't take a changed template by rolling. */
const BY_KIND: Readonly<Record<RollsBy, Held | undefined>> = {
  template: undefined,
  nextRun: { effect: "NextRun", because: "its next run takes the change" },
  immutable: { effect: "Fail", because: "its pod template is immutable" },
  never: { effect: "NoEffect", because: "no controller replaces its pods" },
};

function recreated(because: string): Held {
  return { effect: "NextRun", because };
}

function refusedBecause(refused: Refusal): Held {
  return { effect: "Fail", because: `${refused.path} ${refused.problem}`, field: refused.path };
}

function heldBack(written: WrittenRollout, type: string): Held | undefined {
  const hold = written.holds?.find(({ metadataOnly }) => metadataOnly !== true);
  if (hold !== undefined) return { effect: "NoEffect", because: hold.because, field: hold.field };
  if (type !== ON_DELETE) return undefined;
  const isWritten = written.strategy?.type !== undefined;
  return {
    effect: "NoEffect",
    because: "OnDelete: pods take it when they are next deleted",
    ...(isWritten ? { field: "spec.updateStrategy.type" } : {}),
  };
}

const ON_DELETE = "OnDelete";

/** The strategy with its defaults, its counts still as they are written. */
interface Resolved {
  readonly type: string;
  readonly replicas: number;
  readonly maxSurge: IntOrPercent;
  readonly maxUnavailable: IntOrPercent;
  readonly partition: number;
  readonly hasTrafficRouting: boolean;
}

function resolve(written: WrittenRollout, known: KnownStrategy, defaults: StrategyDefaults): Resolved {
  const strategy = written.strategy ?? {};
  return {
    type: strategy.type ?? defaults.type,
    replicas: replicasOf(written) ?? 1,
    maxSurge: strategy.maxSurge ?? defaults.maxSurge ?? 0,
    maxUnavailable: strategy.maxUnavailable ?? defaults.maxUnavailable ?? 0,
    partition: known.controller === "StatefulSet" ? (strategy.partition ?? 0) : 0,
    hasTrafficRouting: strategy.hasTrafficRouting === true,
  };
}

function replicasOf(written: WrittenRollout): number | undefined {
  return written.minReplicas ?? written.replicas;
}

const ROLLING = "RollingUpdate";

/** The types that each controller takes; what an operator takes is its own matter. */
const TYPES: Readonly<Partial<Record<KnownStrategy["controller"], readonly string[]>>> = {
  Deployment: [ROLLING, "Recreate"],
  StatefulSet: [ROLLING, ON_DELETE],
  DaemonSet: [ROLLING, ON_DELETE],
};

function refusal(written: WrittenRollout, known: KnownStrategy, resolved: Resolved): Refusal | undefined {
  const types = TYPES[known.controller];
  if (types === undefined) return undefined;
  const field = `spec.${known.field}`;
  if (countProblem(resolved.replicas) !== undefined) return { path: "spec.replicas", problem: "is no number of pods" };
  if (!types.includes(resolved.type)) return { path: `${field}.type`, problem: `is none of ${types.join(", ")}` };
  const late = readyTooLate(written, known);
  if (late !== undefined) return late;
  if (resolved.type !== ROLLING) {
    const isTaken = known.controller === "DaemonSet" || written.strategy?.hasRollingUpdate !== true;
    return isTaken
      ? undefined
      : { path: `${field}.rollingUpdate`, problem: `may not stand beside type ${resolved.type}` };
  }
  return refusedCounts(known, resolved, `${field}.rollingUpdate`);
}

/** ValidateDeploymentSpec in pkg/apis/apps/validation: the deadline has to be above minReadySeconds. */
function readyTooLate(written: WrittenRollout, known: KnownStrategy): Refusal | undefined {
  const minReadySeconds = written.minReadySeconds ?? 0;
  const progressDeadlineSeconds = written.progressDeadlineSeconds ?? known.progressDeadlineSeconds;
  if (known.controller !== "Deployment" || progressDeadlineSeconds === undefined) return undefined;
  if (minReadySeconds < progressDeadlineSeconds) return undefined;
  return {
    path: "spec.minReadySeconds",
    problem: `has to be less than progressDeadlineSeconds (${progressDeadlineSeconds})`,
    readyTooLate: { minReadySeconds, progressDeadlineSeconds },
  };
}

function refusedCounts(known: KnownStrategy, resolved: Resolved, field: string): Refusal | undefined {
  const { maxSurge, maxUnavailable, partition } = resolved;
  const unavailable = countProblem(maxUnavailable, "100%");
  if (unavailable !== undefined) return { path: `${field}.maxUnavailable`, problem: unavailable };
  // A Deployment may have a surge of 200%, a DaemonSet may not.
  const surge = known.controller === "DaemonSet" ? countProblem(maxSurge, "100%") : countProblem(maxSurge);
  if (surge !== undefined) return { path: `${field}.maxSurge`, problem: surge };
  if (countProblem(partition) !== undefined) return { path: `${field}.partition`, problem: "is no number of pods" };
  const none = isZero(maxUnavailable) && isZero(maxSurge);
  if (none && known.controller === "StatefulSet") return { path: `${field}.maxUnavailable`, problem: "may not be 0" };
  if (none) return { path: `${field}.maxUnavailable`, problem: "may not be 0 while maxSurge is 0" };
  if (known.controller === "DaemonSet" && !isZero(maxSurge) && !isZero(maxUnavailable)) {
    return { path: `${field}.maxSurge`, problem: "may not be above 0 while maxUnavailable is (its default is 1)" };
  }
  return undefined;
}

const STRATEGIES: Readonly<Record<KnownStrategy["controller"], (resolved: Resolved) => Strategy>> = {
  Deployment: (resolved) => (resolved.type === "Recreate" ? recreate(resolved) : rolling(resolved)),
  StatefulSet: ordered,
  DaemonSet: ({ type, maxSurge, maxUnavailable }) => ({
    type,
    replicas: null,
    maxSurge: type === ROLLING ? maxSurge : null,
    maxUnavailable: type === ROLLING ? maxUnavailable : null,
    minAvailable: null,
    maxTotal: null,
  }),
  Rollout: argoRollout,
};

function recreate({ type, replicas }: Resolved): Strategy {
  return { type, replicas, maxSurge: null, maxUnavailable: null, minAvailable: 0, maxTotal: replicas };
}

/** ResolveFenceposts: a surge rounds up, pods that may be missing round down, and one of the two moves. */
function rolling(resolved: Resolved): Strategy {
  const { type, replicas } = resolved;
  const maxSurge = scaled(resolved.maxSurge, replicas, "up");
  const floor = scaled(resolved.maxUnavailable, replicas, "down");
  const maxUnavailable = Math.min(maxSurge === 0 && floor === 0 ? 1 : floor, replicas);
  return {
    type,
    replicas,
    maxSurge,
    maxUnavailable,
    minAvailable: replicas - maxUnavailable,
    // The new ReplicaSet never has more than all of its replicas.
    maxTotal: replicas + Math.min(maxSurge, replicas),
  };
}

/**
 * From the last pod down to the partition, at most maxUnavailable at once, none added. A percentage rounds
 * down, to one pod at least (pkg/controller/statefulset/stateful_set_utils.go, getStatefulSetMaxUnavailable).
 */
function ordered(resolved: Resolved): Strategy {
  const { type, replicas, partition } = resolved;
  if (type !== ROLLING)
    return { type, replicas, maxSurge: null, maxUnavailable: null, minAvailable: replicas, maxTotal: replicas };
  const replaced = Math.max(replicas - partition, 0);
  const maxUnavailable = Math.min(Math.max(1, scaled(resolved.maxUnavailable, replicas, "down")), replicas);
  return {
    type,
    replicas,
    maxSurge: 0,
    maxUnavailable,
    minAvailable: replicas - Math.min(maxUnavailable, replaced),
    maxTotal: replicas,
    ...(partition > 0 ? { partition } : {}),
  };
}

function argoRollout(resolved: Resolved): Strategy {
  const { type, replicas } = resolved;
  if (type === "BlueGreen") return { ...recreate(resolved), minAvailable: replicas, maxTotal: 2 * replicas };
  // With a router the steps' weights say how many pods there are.
  return resolved.hasTrafficRouting ? unknownBounds(type, replicas) : rolling(resolved);
}

function unknownBounds(type: string, replicas: number | null): Strategy {
  return { type, replicas, maxSurge: null, maxUnavailable: null, minAvailable: null, maxTotal: null };
}

function replacedPods({ replicas, partition }: Strategy): number {
  return Math.max((replicas ?? 0) - (partition ?? 0), 0);
}

/** A kind that its own operator rolls: how, only the operator knows. */
function operatorRollout(written: WrittenRollout): Rollout {
  const strategy = unknownBounds(written.strategy?.type ?? "Operator", replicasOf(written) ?? null);
  const held = heldBack(written, strategy.type);
  if (held !== undefined) return { ...held, strategy, pods: 0, refused: undefined };
  return { effect: "Roll", because: undefined, strategy, pods: replacedPods(strategy), refused: undefined };
}

/** ReplicaSets and the like have replicas, though no strategy. */
function plainStrategy(written: WrittenRollout): Strategy | null {
  return written.rollsBy === "never" && written.kind !== "Pod" ? unknownBounds("None", replicasOf(written) ?? 1) : null;
}
