import { groupOf, versionOf } from "../../base/identity.ts";
import type { RollsBy } from "../workloads/types.ts";
import { isZero, scaled } from "./numbers.ts";
import { refusal } from "./refusals.ts";
import { ON_DELETE, rolloutKind, ROLLING, type KnownStrategy, type StrategyDefaults } from "./rollout-kinds.ts";
import type { Pods, Refusal, Resolved, Rollout, Routed, Strategy, WrittenRollout } from "./rollout-types.ts";
import type { ScaledBy } from "./scalers.ts";

// The effect of a changed pod template on the pods. Formulas: Kubernetes' pkg/controller/deployment/util
// (ResolveFenceposts, MaxUnavailable), pkg/controller/statefulset, pkg/controller/daemon; rejected fields:
// pkg/apis/apps/validation. The numbers were observed on a real control plane (docs/reference/plan.md).

/** The effect of a changed pod template, by kind, apiVersion and strategy. */
export function rolloutOf(written: WrittenRollout): Rollout {
  const inPlace = written.holds?.find(({ metadataOnly }) => metadataOnly === true);
  const { scaledBy, strategy } = written;
  const rollout = ofNumber(written, scaledBy?.min ?? written.replicas);
  return {
    ...rollout,
    ...(inPlace === undefined ? {} : { inPlace }),
    ...(scaledBy === undefined ? {} : { scaledBy, ...endsOf(written, scaledBy) }),
    ...(strategy?.waits === undefined || rollout.effect !== "Roll" ? {} : { waits: strategy.waits }),
  };
}

/**
 * The rollout at both ends of an autoscaler's range. Without pods nothing rolls out, so the lower end is at least 1.
 */
function endsOf(written: WrittenRollout, { min, max, active = min }: ScaledBy): Pick<Rollout, "ends"> {
  if (min === max) return {};
  const podsFor = (replicas: number): Pods => {
    const { strategy, pods, evictedAtOnce } = ofNumber(written, replicas);
    return { strategy, pods, ...(evictedAtOnce === undefined ? {} : { evictedAtOnce }) };
  };
  return { ends: { fewest: podsFor(Math.max(active, 1)), most: podsFor(Math.max(max ?? min, 1)) } };
}

function ofNumber(written: WrittenRollout, replicas: number | undefined): Rollout {
  const rollout = ofStrategy({ ...written, replicas });
  const { unapplied } = written;
  if (unapplied === undefined) return rollout;
  const { strategy } = rollout;
  return { effect: "NoEffect", ...unapplied, isUnapplied: true, strategy, pods: 0, refused: undefined };
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
  const reason = refused === undefined ? heldBack(written, resolved.type) : refusedBy(refused);
  if (reason !== undefined) return { ...reason, strategy, pods: 0, refused };
  const evictedAtOnce = known.controller === "Rollout" ? evictedBy(resolved) : undefined;
  return {
    effect: "Roll",
    because: undefined,
    strategy,
    pods: replacedPods(strategy),
    refused,
    ...(evictedAtOnce === undefined ? {} : { evictedAtOnce }),
  };
}

/** Argo Rollouts rollout/restart.go: evicts as many pods as may be unavailable, at least one, and adds none. */
export function evicted({ ends, ...rollout }: Rollout): Rollout {
  const strategyOf = ({ strategy, evictedAtOnce }: Pods): Strategy | null => {
    if (strategy === null || strategy.replicas === null || evictedAtOnce === undefined) return strategy;
    const { replicas } = strategy;
    return { ...strategy, minAvailable: replicas - Math.min(evictedAtOnce, replicas), maxTotal: replicas };
  };
  const evictedPods = (pods: Pods): Pods => ({ ...pods, strategy: strategyOf(pods) });
  return {
    ...rollout,
    strategy: strategyOf(rollout),
    waits: undefined,
    ...(ends === undefined ? {} : { ends: { fewest: evictedPods(ends.fewest), most: evictedPods(ends.most) } }),
  };
}

/** The rollout of a workload that is deleted and created again: all its pods are deleted at once. */
export function recreatedAtOnce({ strategy, scaledBy, ends, runBy }: Rollout): Rollout {
  const again = (pods: Pods["strategy"]): Pods => {
    if (pods === null) return { strategy: pods, pods: 0 };
    const { replicas } = pods;
    return replicas === null
      ? { strategy: { ...pods, type: ROLLING, maxSurge: 0, maxUnavailable: "100%" }, pods: 0 }
      : { strategy: recreate({ type: RECREATE, replicas }), pods: replicas };
  };
  return {
    effect: "Roll",
    because: undefined,
    refused: undefined,
    ...again(strategy),
    ...(scaledBy === undefined ? {} : { scaledBy }),
    ...(runBy === undefined ? {} : { runBy }),
    ...(ends === undefined ? {} : { ends: { fewest: again(ends.fewest.strategy), most: again(ends.most.strategy) } }),
  };
}

/** Whether a rollout leaves no pod available at some moment, although there are some before it. */
export function leavesNoPod(rollout: Rollout): boolean {
  const { strategy, pods } = rollout.ends?.fewest ?? rollout;
  if (rollout.effect !== "Roll" || strategy === null) return false;
  // One pod per node: only a change of all nodes at once leaves none.
  if (strategy.replicas === null) return strategy.type === ROLLING && strategy.maxUnavailable === "100%";
  return pods > 0 && strategy.minAvailable === 0;
}

/** Whether fewer pods are available at some moment than before, at the upper end of the range; undefined if unknown. */
export function leavesFewer(rollout: Rollout): boolean | undefined {
  const { strategy } = rollout.ends?.most ?? rollout;
  if (strategy === null) return undefined;
  if (strategy.minAvailable !== null && strategy.replicas !== null) return strategy.minAvailable < strategy.replicas;
  // One pod per node: only the cluster knows how many are unavailable, unless new pods start first.
  return strategy.replicas === null && startsBeside(rollout) ? false : undefined;
}

/** Whether there is no pod to replace. */
export function replacesNone(rollout: Rollout): boolean {
  const { strategy, pods } = rollout.ends?.most ?? rollout;
  return strategy === null || (strategy.replicas !== null && pods === 0);
}

/**
 * Whether a rollout needs a new pod to be available before it removes an old one: a Deployment whose maxUnavailable
 * resolves to 0, a blue-green Rollout, a canary with traffic routing, a surging DaemonSet.
 */
export function startsBeside(rollout: Rollout): boolean {
  const { strategy, pods } = rollout.ends?.fewest ?? rollout;
  if (rollout.effect !== "Roll" || strategy === null) return false;
  if (strategy.replicas === null) return strategy.maxSurge !== null && !isZero(strategy.maxSurge);
  if (pods === 0) return false;
  if (strategy.type === "BlueGreen" || strategy.type === "Canary")
    return strategy.maxUnavailable === null || (strategy.maxUnavailable === 0 && strategy.maxSurge !== 0);
  return strategy.maxUnavailable === 0 && strategy.maxSurge !== 0;
}

/** Why no pod is replaced. */
export type Held = Pick<Rollout, "effect" | "because" | "field" | "next">;

/** What to do with an object that is immutable. */
export const REPLACE = "Delete the object and apply it again, or rename it.";

const RECREATE = "Recreate";

const DELETE_PODS = "Delete its pods one by one: the new pods have the change.";

/** The kinds whose pods do not get a changed template through a rollout. */
const BY_KIND: Readonly<Record<RollsBy, Held | undefined>> = {
  template: undefined,
  nextRun: { effect: "NextRun", because: "the next run uses the change" },
  immutable: { effect: "Fail", because: "its pod template is immutable", next: REPLACE },
  never: { effect: "NoEffect", because: "no controller replaces its pods", next: DELETE_PODS },
};

function recreated(because: string): Held {
  return { effect: "NextRun", because };
}

/** The effect of a rejected field. */
export function refusedBy(refused: Refusal): Held {
  const { path, problem, by } = refused;
  return { effect: "Fail", because: `${path} ${problem}${by === undefined ? "" : `: ${by} rejects it`}`, field: path };
}

function heldBack(written: WrittenRollout, type: string): Held | undefined {
  const hold = written.holds?.find(({ metadataOnly }) => metadataOnly !== true);
  if (hold !== undefined) return { effect: "NoEffect", because: hold.because, field: hold.field, next: hold.next };
  if (type !== ON_DELETE) return undefined;
  const isWritten = written.strategy?.type !== undefined;
  return {
    effect: "NoEffect",
    because: "its update strategy is OnDelete",
    next: DELETE_PODS,
    ...(isWritten ? { field: "spec.updateStrategy.type" } : {}),
  };
}

function resolve(written: WrittenRollout, known: KnownStrategy, defaults: StrategyDefaults): Resolved {
  const strategy = written.strategy ?? {};
  return {
    type: strategy.type ?? defaults.type,
    replicas: written.replicas ?? 1,
    maxSurge: strategy.maxSurge ?? defaults.maxSurge ?? 0,
    maxUnavailable: strategy.maxUnavailable ?? defaults.maxUnavailable ?? 0,
    partition: known.controller === "StatefulSet" ? (strategy.partition ?? 0) : 0,
    routed: strategy.routed,
  };
}

const STRATEGIES: Readonly<Record<KnownStrategy["controller"], (resolved: Resolved) => Strategy>> = {
  Deployment: (resolved) => (resolved.type === RECREATE ? recreate(resolved) : rolling(resolved)),
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

function recreate({ type, replicas }: Pick<Resolved, "type" | "replicas">): Strategy & { readonly replicas: number } {
  return { type, replicas, maxSurge: null, maxUnavailable: null, minAvailable: 0, maxTotal: replicas };
}

/** ResolveFenceposts: maxSurge rounds up, maxUnavailable rounds down, and one of them is at least 1. */
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
    // The new ReplicaSet never has more pods than replicas.
    maxTotal: replicas + Math.min(maxSurge, replicas),
  };
}

/**
 * From the last pod down to the partition, at most maxUnavailable at once, without extra pods. A percentage rounds
 * down, to at least one pod (pkg/controller/statefulset/stateful_set_utils.go, getStatefulSetMaxUnavailable).
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
  return resolved.routed === undefined ? canary(resolved) : routed(type, replicas, resolved.routed);
}

/**
 * As a Deployment, but the old pods that may be unavailable stop before a new pod starts (rollout/canary.go,
 * reconcileCanaryReplicaSets).
 */
function canary(resolved: Resolved): Strategy {
  const rolled = rolling(resolved);
  const surge = Math.min(Number(rolled.maxSurge), rolled.minAvailable ?? 0);
  return { ...rolled, maxTotal: resolved.replicas + surge };
}

/**
 * The old pods stay until the new ones have all traffic, unless dynamicStableScale removes them earlier (Argo Rollouts
 * utils/replicaset/canary.go, CalculateReplicaCountsForTrafficRoutedCanary).
 */
function routed(type: string, replicas: number, { isDynamic, most }: Routed): Strategy {
  if (isDynamic) return unknownBounds(type, replicas);
  const beside = Math.max(replicas, ...most.map((count) => scaled(count, replicas, "up")));
  return { ...unknownBounds(type, replicas), minAvailable: replicas, maxTotal: replicas === 0 ? 0 : replicas + beside };
}

function evictedBy(resolved: Resolved): number {
  const { type, replicas, maxUnavailable } = resolved;
  // Argo Rollouts utils/replicaset, MaxUnavailable: if both resolve to 0, only a canary raises one of them.
  const missing =
    type === "BlueGreen" ? scaled(maxUnavailable, replicas, "down") : (rolling(resolved).maxUnavailable ?? 0);
  return Math.max(Number(missing), 1);
}

function unknownBounds(type: string, replicas: number | null): Strategy {
  return { type, replicas, maxSurge: null, maxUnavailable: null, minAvailable: null, maxTotal: null };
}

function replacedPods({ replicas, partition }: Strategy): number {
  return Math.max((replicas ?? 0) - (partition ?? 0), 0);
}

/** A kind with an operator that decides how it rolls out. */
function operatorRollout(written: WrittenRollout): Rollout {
  const strategy = unknownBounds(written.strategy?.type ?? "Operator", written.replicas ?? null);
  const reason = heldBack(written, strategy.type);
  if (reason !== undefined) return { ...reason, strategy, pods: 0, refused: undefined };
  return { effect: "Roll", because: undefined, strategy, pods: replacedPods(strategy), refused: undefined };
}

/** ReplicaSets and similar kinds have replicas but no strategy. */
function plainStrategy(written: WrittenRollout): Strategy | null {
  return written.rollsBy === "never" && written.kind !== "Pod" ? unknownBounds("None", written.replicas ?? 1) : null;
}
