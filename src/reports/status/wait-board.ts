import { fieldsOf, textOf } from "../../yaml/read/json.ts";
import type { Limits } from "../../base/limits.ts";
import type { Json } from "../../yaml/read/node.ts";
import { CONFIG_HASH_DEFAULTS } from "../../stamping/function/config-hash.ts";
import type { Rollout } from "../../kubernetes/rollout/rollout-types.ts";
import { rollsOf } from "../../kubernetes/rollout/rolls.ts";
import { surroundingsOf } from "../../kubernetes/rollout/surroundings.ts";
import { findWorkloads } from "../../kubernetes/workloads/find-workloads.ts";
import { workloadKinds } from "../../kubernetes/workloads/workload-kinds.ts";
import { workloadKey } from "../../base/identity.ts";
import type { Expected } from "./expected.ts";
import { liveManifests, valueAtPath, controllerOf, numberAt, plain, timeOf, uidOf } from "./live-objects.ts";
import { liveEvent, livePod, revisionsOf, type LiveEvent, type LivePod } from "./live-pods.ts";
import { progressOf, type Progress } from "./progress.ts";
import { isBlocked, judge, type Rules, type Scene } from "./wait-judge.ts";
import type { FollowedName, WorkloadProgress } from "./wait-report.ts";

/** The role of the objects of a list. */
export type BoardList =
  | { readonly use: "workload"; readonly apiVersion: string; readonly kind: string }
  | { readonly use: "replicaSet" | "revision" | "pod" | "event" };

interface LiveFollowed {
  readonly uid: string;
  readonly name: FollowedName;
  readonly generation: number;
  readonly rollout: Rollout;
  readonly progress: Progress;
}

/** The parts of a ReplicaSet or a ControllerRevision that are kept. */
interface Revision {
  readonly name: string;
  readonly number: number;
  readonly labels: readonly string[];
  readonly writtenAt: number | undefined;
}

/** When a workload last made progress, and since when something blocks it, by the clock of this process. */
interface Pace {
  readonly place: string;
  readonly changed: number;
  readonly blocked: number | undefined;
}

/** The state of the followed workloads, as reported by lists and watches. */
export class WaitBoard {
  readonly #rules: Rules;
  readonly #limits: Limits;
  readonly #expected: ReadonlyMap<string, Expected> | undefined;
  readonly #workloads = new Map<string, LiveFollowed>();
  readonly #replicaSets = new Indexed<Revision>();
  readonly #revisions = new Indexed<Revision>();
  readonly #pods = new Indexed<LivePod>();
  readonly #events = new Indexed<LiveEvent>();
  readonly #paces = new Map<string, Pace>();
  readonly #lists = new Map<BoardList, Set<string>>();

  constructor(rules: Rules, expected: readonly Expected[] | undefined, limits: Limits) {
    this.#rules = rules;
    this.#limits = limits;
    this.#expected = expected && new Map(expected.map((one) => [workloadKey(one), one]));
  }

  /** Takes all objects of a list, which replace the previous ones. */
  listed(list: BoardList, objects: readonly Json[]): void {
    const before = this.#lists.get(list) ?? new Set<string>();
    const now = new Set<string>();
    this.#lists.set(list, now);
    for (const object of objects) this.changed(list, object);
    for (const uid of before) if (!now.has(uid)) this.#remove(list, uid);
  }

  changed(list: BoardList, object: Json): void {
    const uid = uidOf(object);
    this.#lists.get(list)?.add(uid);
    switch (list.use) {
      case "workload":
        return this.#setWorkload(list, uid, object);
      case "replicaSet":
        return this.#replicaSets.set(uid, controllerOf(object), revisionOf(object, false));
      case "revision":
        return this.#revisions.set(uid, controllerOf(object), revisionOf(object, true));
      case "pod": {
        const pod = livePod(object);
        return this.#pods.set(uid, pod.controller, pod);
      }
      case "event": {
        const event = liveEvent(object);
        if (event !== undefined) this.#events.set(uid, event.about, event);
      }
    }
  }

  gone(list: BoardList, object: Json): void {
    const uid = uidOf(object);
    this.#lists.get(list)?.delete(uid);
    this.#remove(list, uid);
  }

  #remove(list: BoardList, uid: string): void {
    switch (list.use) {
      case "workload":
        this.#workloads.delete(uid);
        this.#paces.delete(uid);
        return;
      case "replicaSet":
        this.#replicaSets.delete(uid);
        return;
      case "revision":
        this.#revisions.delete(uid);
        return;
      case "pod":
        this.#pods.delete(uid);
        return;
      case "event":
        this.#events.delete(uid);
    }
  }

  #setWorkload(type: { readonly apiVersion: string; readonly kind: string }, uid: string, object: Json): void {
    const progress = progressOf(object, type);
    if (progress === undefined) return;
    const { apiVersion, kind } = type;
    const namespace = textOf(valueAtPath(object, "metadata", "namespace")) ?? "";
    const name = { apiVersion, kind, namespace, name: textOf(valueAtPath(object, "metadata", "name")) ?? "" };
    const generation = numberAt(object, 0, "metadata", "generation");
    const before = this.#workloads.get(uid);
    // The strategy changes only with the generation.
    const isSame = before !== undefined && before.generation === generation && generation > 0;
    const rollout = isSame ? before.rollout : rolloutOfLive(object, name, this.#limits);
    if (rollout !== undefined) this.#workloads.set(uid, { uid, name, generation, rollout, progress });
  }

  /** The progress of all followed workloads, and of those that rolled out without being in the plan, sorted by name. */
  look(now: number, atTheEnd = false): readonly WorkloadProgress[] {
    const unseen = new Map(this.#expected);
    const found: WorkloadProgress[] = [];
    for (const live of this.#workloads.values()) {
      const key = workloadKey(live.name);
      const expected = unseen.get(key);
      unseen.delete(key);
      const progress = judge(this.#scene(live, expected, now), this.#rules, atTheEnd);
      if (this.#expected === undefined || expected !== undefined || progress.rolled === true) found.push(progress);
    }
    for (const expected of unseen.values()) {
      const { apiVersion, kind, namespace, name } = expected;
      const scene = { name: { apiVersion, kind, namespace, name }, live: undefined, expected };
      found.push(judge(scene, this.#rules, atTheEnd));
    }
    return found.sort(byName);
  }

  #scene(live: LiveFollowed, expected: Expected | undefined, now: number): Scene {
    const { uid, rollout, progress, generation } = live;
    const sets = this.#replicaSets.of(uid);
    const present = newest(sets) ?? newest(this.#revisions.of(uid), progress.revision);
    const owners = [uid, ...sets.keys()];
    const all = owners.flatMap((owner) => [...this.#pods.of(owner)]);
    const labels = progress.revision === undefined ? (present?.labels ?? []) : [progress.revision];
    const isPresent = ({ revisions }: LivePod): boolean =>
      labels.length === 0 || revisions.some((one) => labels.includes(one));
    const events = [...owners, ...all.map(([pod]) => pod)].flatMap((about) => [...this.#events.of(about).values()]);
    const known = {
      rollout,
      progress,
      rolledAt: latest(progress.rolledAt, present?.writtenAt),
      pods: all.map(([, pod]) => pod).filter(isPresent),
      standing: all.filter(([, pod]) => !pod.isLeaving).length,
      events,
      blockedFor: 0,
    };
    const place = JSON.stringify([generation, progress.updated, progress.available, progress.older, labels]);
    const pace = paceOf(this.#paces.get(uid), { place, isBlocked: isBlocked(known), now });
    this.#paces.set(uid, pace);
    const blockedFor = pace.blocked === undefined ? 0 : now - Math.max(pace.changed, pace.blocked);
    return { name: live.name, live: { ...known, blockedFor }, expected };
  }
}

function paceOf(
  before: Pace | undefined,
  { place, isBlocked: isNow, now }: { readonly place: string; readonly isBlocked: boolean; readonly now: number },
): Pace {
  return {
    place,
    changed: before?.place === place ? before.changed : now,
    blocked: isNow ? (before?.blocked ?? now) : undefined,
  };
}

const REVISION_ANNOTATIONS = ["deployment.kubernetes.io/revision", "rollout.argoproj.io/revision"] as const;

function revisionOf(object: Json, isWrittenOnce: boolean): Revision {
  const annotations = fieldsOf(valueAtPath(object, "metadata", "annotations"));
  const number = REVISION_ANNOTATIONS.map((key) => Number(annotations[key] ?? Number.NaN)).find(Number.isInteger) ?? 0;
  const createdAt = timeOf(valueAtPath(object, "metadata", "creationTimestamp"));
  // A ControllerRevision is updated when its template comes into use again; a ReplicaSet is also updated for its pods.
  const managed = isWrittenOnce ? valueAtPath(object, "metadata", "managedFields") : [];
  const times = (Array.isArray(managed) ? managed : []).map((entry: Json) => timeOf(valueAtPath(entry, "time")));
  return {
    name: textOf(valueAtPath(object, "metadata", "name")) ?? "",
    number,
    labels: revisionsOf(object),
    writtenAt: times.reduce(latest, createdAt),
  };
}

/** The revision with the name, otherwise the one with the highest number, otherwise the last one written. */
function newest(all: ReadonlyMap<string, Revision>, name?: string): Revision | undefined {
  const list = [...all.values()];
  const named = name === undefined ? undefined : list.find((one) => one.name === name);
  const order = (a: Revision, b: Revision): number => b.number - a.number || (b.writtenAt ?? 0) - (a.writtenAt ?? 0);
  return named ?? list.sort(order)[0];
}

function latest(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.max(a, b);
}

/** The effect of a changed template of a live workload, from the same table as for manifests. */
function rolloutOfLive(
  object: Json,
  { apiVersion, kind, namespace, name }: FollowedName,
  limits: Limits,
): Rollout | undefined {
  const { replicas, paused, strategy, updateStrategy } = fieldsOf(valueAtPath(object, "spec"));
  const spec = plain({ replicas, paused, strategy, updateStrategy });
  const [item] = liveManifests([{ apiVersion, kind, metadata: { name, namespace }, spec }], kind, limits)?.items ?? [];
  if (item === undefined) return undefined;
  const workloads = findWorkloads([item], {
    defaultNamespace: CONFIG_HASH_DEFAULTS.defaultNamespace,
    kinds: workloadKinds(CONFIG_HASH_DEFAULTS),
  });
  const [workload] = workloads;
  return workload && rollsOf(workload, surroundingsOf([], workloads, CONFIG_HASH_DEFAULTS.defaultNamespace));
}

function byName(a: FollowedName, b: FollowedName): number {
  const [one, other] = [a, b].map(({ namespace, kind, name }) => `${namespace}\0${kind}\0${name}`);
  return one === other ? 0 : (one ?? "") < (other ?? "") ? -1 : 1;
}

/** Objects by uid and by owner. */
export class Indexed<T> {
  readonly #owners = new Map<string, string>();
  readonly #byOwner = new Map<string, Map<string, T>>();

  set(uid: string, owner: string, value: T): void {
    this.delete(uid);
    this.#owners.set(uid, owner);
    const group = this.#byOwner.get(owner) ?? new Map<string, T>();
    this.#byOwner.set(owner, group.set(uid, value));
  }

  /** Returns the owner of the removed object; undefined if there was none. */
  delete(uid: string): string | undefined {
    const owner = this.#owners.get(uid);
    if (owner === undefined) return undefined;
    this.#owners.delete(uid);
    const group = this.#byOwner.get(owner);
    group?.delete(uid);
    if (group?.size === 0) this.#byOwner.delete(owner);
    return owner;
  }

  ownerOf(uid: string): string | undefined {
    return this.#owners.get(uid);
  }

  of(owner: string): ReadonlyMap<string, T> {
    return this.#byOwner.get(owner) ?? new Map<string, T>();
  }
}
