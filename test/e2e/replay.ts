/**
 * Pods and ReplicaSets through time. Two watches run side by side and tell nothing of each other's
 * order; the versions of the store do, so what happened is put in order afterwards and played again.
 */
import { fieldAt, listAt, numberAt, textAt, textsAt } from "./fields.ts";

/** `kind/namespace/name`. */
export type WorkloadKey = string;

export interface Change {
  /** The store's count of writes: one etcd gives all objects their versions from one sequence. */
  readonly version: number;
  readonly uid: string;
  /** Undefined once it is gone. */
  readonly now: Pod | ReplicaSet | undefined;
}

export interface Pod {
  readonly is: "Pod";
  readonly owner: WorkloadKey;
  readonly active: boolean;
  readonly available: boolean;
}

export interface ReplicaSet {
  readonly is: "ReplicaSet";
  readonly owner: WorkloadKey;
  /** How many pods it is to have. */
  readonly wanted: number;
}

export type State = ReadonlyMap<string, Pod | ReplicaSet>;

/** What was seen of a workload's pods between two moments. */
export interface PodsSeen {
  /** Pods that were ready and not on their way out: what the controllers call available. */
  readonly leastAvailable: number;
  /**
   * Pods that were asked for: of a Deployment what its ReplicaSets are to have together, of the
   * others the pods that are there and not on their way out. A Deployment's controller does not wait
   * for pods that it has given up to be deleted before it asks for new ones.
   */
  readonly mostTotal: number;
  /** Pods that were there and not on their way out. */
  readonly mostPresent: number;
  readonly created: number;
  /** Pods that were sent away, or ended by themselves. */
  readonly ended: number;
}

/** Of a workload that had no pods all the time. */
export const NOTHING_SEEN: PodsSeen = { leastAvailable: 0, mostTotal: 0, mostPresent: 0, created: 0, ended: 0 };

/** Replays the changes after `start`, and returns the observations of each workload. */
export function replay(start: State, changes: readonly Change[]): ReadonlyMap<WorkloadKey, PodsSeen> {
  const state = new Map(start);
  const seen = new Map<WorkloadKey, PodsSeen>();
  for (const owner of new Set([...start.values()].map((one) => one.owner))) {
    const { available, present, total } = count(state, owner);
    seen.set(owner, { leastAvailable: available, mostTotal: total, mostPresent: present, created: 0, ended: 0 });
  }
  for (const { uid, now } of changes.toSorted((one, other) => one.version - other.version)) {
    const was = state.get(uid);
    const owner = (now ?? was)?.owner;
    if (owner === undefined) continue;
    if (now) state.set(uid, now);
    else state.delete(uid);
    const { available, present, total } = count(state, owner);
    const so = seen.get(owner) ?? NOTHING_SEEN;
    seen.set(owner, {
      leastAvailable: Math.min(so.leastAvailable, available),
      mostTotal: Math.max(so.mostTotal, total),
      mostPresent: Math.max(so.mostPresent, present),
      created: so.created + (now?.is === "Pod" && was === undefined ? 1 : 0),
      ended: so.ended + (isActive(was) && !isActive(now) ? 1 : 0),
    });
  }
  return seen;
}

function isActive(one: Pod | ReplicaSet | undefined): boolean {
  return one?.is === "Pod" && one.active;
}

function count(state: State, owner: WorkloadKey): { available: number; present: number; total: number } {
  const selected = [...state.values()].filter((one) => one.owner === owner);
  const sets = selected.filter((one) => one.is === "ReplicaSet");
  const pods = selected.filter((one) => one.is === "Pod" && one.active);
  const available = pods.filter((one) => one.is === "Pod" && one.available).length;
  const wanted = sets.reduce((sum, set) => sum + set.wanted, 0);
  return { available, present: pods.length, total: sets.length > 0 ? wanted : pods.length };
}

/** The version of an object in the store. */
export function versionOf(object: unknown): number {
  return Number(textAt(object, "metadata", "resourceVersion"));
}

/** The object that made this one and answers for it. */
export function controllerOf(object: unknown): unknown {
  return listAt(object, "metadata", "ownerReferences").find((reference) => fieldAt(reference, "controller") === true);
}

/** Reads a pod of the API. */
export function readPod(pod: unknown): Pod {
  const phase = textAt(pod, "status", "phase");
  const active =
    fieldAt(pod, "metadata", "deletionTimestamp") === undefined && phase !== "Succeeded" && phase !== "Failed";
  const ready = listAt(pod, "status", "conditions").some(
    (condition) => textAt(condition, "type") === "Ready" && textAt(condition, "status") === "True",
  );
  const maker = controllerOf(pod);
  const namespace = textAt(pod, "metadata", "namespace");
  const kind = textAt(maker, "kind");
  const name = textAt(maker, "name");
  const labels = textsAt(pod, "metadata", "labels");
  const rolloutHash = labels["rollouts-pod-template-hash"];
  const hash = rolloutHash ?? labels["pod-template-hash"] ?? "";
  // A Deployment names its ReplicaSets after itself and the template's hash, and so does a Rollout.
  const owner =
    kind === "ReplicaSet"
      ? `${rolloutHash === undefined ? "Deployment" : "Rollout"}/${namespace}/${name.slice(0, -1 - hash.length)}`
      : `${kind}/${namespace}/${name}`;
  return { is: "Pod", owner, active, available: active && ready };
}

/** Reads a ReplicaSet of the API. */
export function readReplicaSet(set: unknown): ReplicaSet {
  const maker = controllerOf(set);
  const owner = `${textAt(maker, "kind")}/${textAt(set, "metadata", "namespace")}/${textAt(maker, "name")}`;
  return { is: "ReplicaSet", owner, wanted: numberAt(set, "spec", "replicas") };
}
