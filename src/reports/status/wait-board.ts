import type { ObjectName } from "../../base/names.ts";
import { fieldsOf, valueAt, fieldOf, textOrEmpty, listOf } from "../../yaml/read/json.ts";
import type { Limits } from "../../base/limits.ts";
import type { Json } from "../../yaml/read/node.ts";
import { CONFIG_HASH_DEFAULTS } from "../../stamping/function/config-hash.ts";
import type { Rollout } from "../../kubernetes/rollout/rollout-types.ts";
import { rollsOf } from "../../kubernetes/rollout/rolls.ts";
import { surroundingsOf } from "../../kubernetes/rollout/surroundings.ts";
import { findWorkloads } from "../../kubernetes/workloads/find-workloads.ts";
import { workloadKinds } from "../../kubernetes/workloads/workload-kinds.ts";
import { groupedBy } from "../../base/grouped.ts";
import { liveManifests, controllerOf, numberAt, plain, timeOf, uidOf } from "./live-objects.ts";
import { revisionsOf, type LiveEvent, type LivePod } from "./live-pods.ts";
import { progressOf } from "./progress.ts";
import { isBlocked, judge, type Scene } from "./wait-judge.ts";
import type { WorkloadProgress } from "./wait-report.ts";

/** A workload, without its pod template. */
interface SeenWorkload {
  readonly apiVersion: string;
  readonly kind: string;
  readonly object: Json;
}

/** What one reading of the cluster shows of rollouts. */
export interface Seen {
  readonly workloads: SeenWorkload[];
  readonly replicaSets: Revision[];
  readonly revisions: Revision[];
  readonly pods: LivePod[];
  readonly events: LiveEvent[];
}

/** The parts of a ReplicaSet or a ControllerRevision that are kept. */
interface Revision {
  readonly uid: string;
  readonly controller: string;
  readonly number: number;
  readonly labels: readonly string[];
  readonly writtenAt: number;
}

/** When a workload last made progress, and since when something blocks it, by the clock of this process. */
interface Pace {
  readonly place: string;
  readonly changed: number;
  readonly blocked: number | undefined;
}

/** What is found by owners, and events by their objects. */
interface ByOwner {
  readonly replicaSets: ReadonlyMap<string, readonly Revision[]>;
  readonly revisions: ReadonlyMap<string, readonly Revision[]>;
  readonly pods: ReadonlyMap<string, readonly LivePod[]>;
  readonly events: ReadonlyMap<string, readonly LiveEvent[]>;
}

/** Judges the workloads, reading after reading. */
export class WaitBoard {
  readonly #stuckAfterMs: number;
  readonly #limits: Limits;
  readonly #paces = new Map<string, Pace>();
  readonly #rollouts = new Map<string, { readonly generation: number; readonly rollout: Rollout | undefined }>();

  constructor(stuckAfterMs: number, limits: Limits) {
    this.#stuckAfterMs = stuckAfterMs;
    this.#limits = limits;
  }

  /** The progress of all workloads, sorted by name. */
  look(seen: Seen, now: number, runAtExit = false): readonly WorkloadProgress[] {
    const byOwner = {
      replicaSets: groupedBy(seen.replicaSets, ({ controller }) => controller),
      revisions: groupedBy(seen.revisions, ({ controller }) => controller),
      pods: groupedBy(seen.pods, ({ controller }) => controller),
      events: groupedBy(seen.events, ({ about }) => about),
    };
    return seen.workloads
      .flatMap((workload): WorkloadProgress[] => {
        const name = nameOf(workload);
        const scene = this.#scene(name, workload, byOwner, now);
        return scene === undefined ? [] : [judge(name, scene, this.#stuckAfterMs, runAtExit)];
      })
      .sort(byName);
  }

  #scene(
    name: ObjectName,
    workload: SeenWorkload,
    { replicaSets, revisions, pods, events }: ByOwner,
    now: number,
  ): Scene | undefined {
    const { object } = workload;
    const uid = uidOf(object);
    const generation = numberAt(object, ["metadata", "generation"]);
    const progress = progressOf(object, workload);
    const rollout = this.#rolloutOf(uid, generation, name, object);
    if (progress === undefined || rollout === undefined) return undefined;
    const sets = replicaSets.get(uid) ?? [];
    const present = newest(sets) ?? newest(revisions.get(uid) ?? []);
    const owners = [uid, ...sets.map((set) => set.uid)];
    const all = owners.flatMap((owner) => pods.get(owner) ?? []);
    const labels = progress.revision === undefined ? (present?.labels ?? []) : [progress.revision];
    const known = {
      rollout,
      progress,
      pods: all.filter((pod) => labels.length === 0 || pod.revisions.some((one) => labels.includes(one))),
      standing: all.filter((pod) => !pod.isLeaving).length,
      events: [...owners, ...all.map((pod) => pod.uid)].flatMap((about) => events.get(about) ?? []),
      blockedFor: 0,
    };
    const place = JSON.stringify([generation, progress.updated, progress.available, progress.older, labels]);
    const pace = paceOf(this.#paces.get(uid), { place, isBlocked: isBlocked(known), now });
    this.#paces.set(uid, pace);
    return { ...known, blockedFor: pace.blocked === undefined ? 0 : now - Math.max(pace.changed, pace.blocked) };
  }

  /** The strategy changes only with the generation. */
  #rolloutOf(uid: string, generation: number, name: ObjectName, object: Json): Rollout | undefined {
    const known = this.#rollouts.get(uid);
    if (known !== undefined && known.generation === generation && generation > 0) return known.rollout;
    const rollout = rolloutOfLive(object, name, this.#limits);
    this.#rollouts.set(uid, { generation, rollout });
    return rollout;
  }
}

function nameOf({ apiVersion, kind, object }: SeenWorkload): ObjectName {
  const namespace = textOrEmpty(valueAt(object, ["metadata", "namespace"]));
  return { apiVersion, kind, namespace, name: textOrEmpty(valueAt(object, ["metadata", "name"])) };
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

/** Keeps what shows which template is in use. */
export function revisionOf(object: Json, isWrittenOnce: boolean): Revision {
  const annotations = fieldsOf(valueAt(object, ["metadata", "annotations"]));
  const number = REVISION_ANNOTATIONS.map((key) => Number(annotations[key] ?? Number.NaN)).find(Number.isInteger) ?? 0;
  const createdAt = timeOf(valueAt(object, ["metadata", "creationTimestamp"]));
  // A ControllerRevision is updated when its template comes into use again; a ReplicaSet is also updated for its pods.
  const managed = isWrittenOnce ? valueAt(object, ["metadata", "managedFields"]) : [];
  const times = listOf(managed).map((entry) => timeOf(fieldOf(entry, "time")));
  return {
    uid: uidOf(object),
    controller: controllerOf(object),
    number,
    labels: revisionsOf(object),
    writtenAt: Math.max(0, ...[createdAt, ...times].filter((time) => time !== undefined)),
  };
}

/** The revision with the highest number, otherwise the last one written. */
function newest(all: readonly Revision[]): Revision | undefined {
  return all.toSorted((a, b) => b.number - a.number || b.writtenAt - a.writtenAt)[0];
}

/** The effect of a changed template of a live workload, from the same table as for manifests. */
function rolloutOfLive(
  object: Json,
  { apiVersion, kind, namespace, name }: ObjectName,
  limits: Limits,
): Rollout | undefined {
  const { replicas, paused, strategy, updateStrategy } = fieldsOf(fieldOf(object, "spec"));
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

function byName(a: ObjectName, b: ObjectName): number {
  const [one, other] = [a, b].map(({ namespace, kind, name }) => `${namespace}\0${kind}\0${name}`);
  return one === other ? 0 : (one ?? "") < (other ?? "") ? -1 : 1;
}
