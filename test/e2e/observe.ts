/** What the cluster does with its workloads: revisions, and the pods at every moment between two of them. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Api } from "./api.ts";
import { fieldAt, listAt, numberAt, textAt, textsAt } from "./fields.ts";
import {
  type Change,
  controllerOf,
  type Pod,
  type PodsSeen,
  type ReplicaSet,
  type State,
  readPod,
  readReplicaSet,
  replay,
  versionOf,
  type WorkloadKey,
} from "./replay.ts";

/** A workload at rest. */
export interface Workload {
  readonly key: WorkloadKey;
  readonly uid: string;
  /** Changes with every write to the object, whoever writes. */
  readonly resourceVersion: string;
  /** Counts the rollouts: the newest ReplicaSet's or ControllerRevision's number; 0 where there is no such thing. */
  readonly revision: number;
  /** As the API server holds it. */
  readonly object: unknown;
}

export interface Recording {
  /** What was seen up to now. */
  readonly seen: () => Promise<ReadonlyMap<WorkloadKey, PodsSeen>>;
  readonly close: () => Promise<ReadonlyMap<WorkloadKey, PodsSeen>>;
}

export interface Observer {
  /** Waits until every workload of the namespaces is as its spec says, and returns them all. */
  readonly settled: (namespaces: readonly string[]) => Promise<ReadonlyMap<WorkloadKey, Workload>>;
  /** Starts to record; `close` ends it, once every change up to now has been seen. */
  readonly record: (namespaces: readonly string[]) => Promise<Recording>;
  /** All pods seen since the start. */
  readonly podsSeen: () => number;
  readonly stop: () => void;
}

const SETTLE_SECONDS = 120;
const POLL_MILLISECONDS = 50;

interface Resource {
  /** `v1`, `apps/v1`. */
  readonly version: string;
  readonly resource: string;
}

interface Kind extends Resource {
  /** Whether all is as the spec says. */
  readonly rests: (object: unknown) => boolean;
}

const PODS: Resource = { version: "v1", resource: "pods" };
const REPLICA_SETS: Resource = { version: "apps/v1", resource: "replicasets" };
const CONTROLLER_REVISIONS: Resource = { version: "apps/v1", resource: "controllerrevisions" };

const KINDS: Readonly<Record<string, Kind>> = {
  Deployment: { version: "apps/v1", resource: "deployments", rests: deploymentRests },
  StatefulSet: { version: "apps/v1", resource: "statefulsets", rests: statefulSetRests },
  DaemonSet: { version: "apps/v1", resource: "daemonsets", rests: daemonSetRests },
  Job: {
    version: "batch/v1",
    resource: "jobs",
    rests: (job) => fieldAt(job, "status", "completionTime") !== undefined,
  },
  CronJob: { version: "batch/v1", resource: "cronjobs", rests: () => true },
};

/** Where Argo Rollouts' kinds are served. */
const WITH_ROLLOUTS: Readonly<Record<string, Kind>> = {
  ...KINDS,
  Rollout: { version: "argoproj.io/v1alpha1", resource: "rollouts", rests: rolloutRests },
};

/** What the watches have told of a pod or a ReplicaSet. */
interface Heard {
  readonly namespace: string;
  readonly version: number;
  readonly is: Pod | ReplicaSet;
}

export interface ObserveOptions {
  /** Argo Rollouts' kinds are there, too. */
  readonly rollouts?: boolean;
}

/** Watches a cluster from now on. */
export async function observe(
  { api }: { readonly api: Api },
  { rollouts = false }: ObserveOptions = {},
): Promise<Observer> {
  const kinds = rollouts ? WITH_ROLLOUTS : KINDS;
  const pods = new Map<string, Heard>();
  const workloads = new Map<string, { namespace: string; key: WorkloadKey; rests: boolean }>();
  const everSeen = new Set<string>();
  const recordings = new Set<{ wants: (namespace: string) => boolean; changes: Change[] }>();
  let broken: Error | undefined;

  const breaks = (reason: Error): void => {
    broken = reason;
  };
  const watchPods = (resource: Resource, read: (object: unknown) => Pod | ReplicaSet): Promise<() => void> =>
    api.watch(pathOf(resource), {
      event: (type, object) => {
        const uid = textAt(object, "metadata", "uid");
        const namespace = textAt(object, "metadata", "namespace");
        const version = versionOf(object);
        const is = read(object);
        const gone = type === "DELETED";
        if (gone) pods.delete(uid);
        else pods.set(uid, { namespace, version, is });
        if (is.is === "Pod") everSeen.add(uid);
        for (const { wants, changes } of recordings) {
          if (wants(namespace)) changes.push({ version, uid, now: gone ? undefined : is });
        }
      },
      broken: breaks,
    });
  const watchWorkloads = ([kind, { rests, ...resource }]: [string, Kind]): Promise<() => void> =>
    api.watch(pathOf(resource), {
      event: (type, object) => {
        const uid = textAt(object, "metadata", "uid");
        if (type === "DELETED") workloads.delete(uid);
        else
          workloads.set(uid, {
            namespace: textAt(object, "metadata", "namespace"),
            key: keyOf(kind, object),
            rests: rests(object),
          });
      },
      broken: breaks,
    });
  const stops = await Promise.all([
    watchPods(PODS, readPod),
    watchPods(REPLICA_SETS, readReplicaSet),
    ...Object.entries(kinds).map(watchWorkloads),
  ]);

  /** Waits until the watches have told what the store holds: the same objects in the same versions. */
  const caughtUp = async (namespaces: readonly string[]): Promise<void> => {
    await eventually("the watches of the pods and ReplicaSets", async () => {
      if (broken) throw broken;
      const lists = await Promise.all([PODS, REPLICA_SETS].map((resource) => list(api, resource, namespaces)));
      const objects = lists.flat();
      const heard = [...pods.values()].filter(({ namespace }) => namespaces.includes(namespace));
      const same = (object: unknown): boolean =>
        pods.get(textAt(object, "metadata", "uid"))?.version === versionOf(object);
      return objects.length === heard.length && objects.every(same) ? "" : "they are behind the store";
    });
  };

  return {
    settled: async (namespaces) => {
      let objects: readonly Listed[] = [];
      await eventually(`the workloads of ${namespaces.join(", ")}`, async () => {
        // The watches cost nothing to ask, but may not have heard yet; the lists have the last word.
        const heard = [...workloads.values()].filter(({ namespace }) => namespaces.includes(namespace));
        const restless = heard.filter(({ rests }) => !rests).map(({ key }) => key);
        if (restless.length > 0) return restless.join("\n");
        objects = await listWorkloads(api, kinds, namespaces);
        return objects
          .filter(({ kind, object }) => !kinds[kind]?.rests(object))
          .map(({ key, object }) => `${key} ${JSON.stringify(fieldAt(object, "status"))}`)
          .join("\n");
      });
      // Only now: a revision is written before the status that names it, so none is missed.
      const revisions = await listRevisions(api, namespaces);
      return new Map(
        objects.map(({ key, object }) => {
          const uid = textAt(object, "metadata", "uid");
          const resourceVersion = textAt(object, "metadata", "resourceVersion");
          return [key, { key, uid, resourceVersion, revision: revisions.get(uid) ?? 0, object }];
        }),
      );
    },
    record: async (namespaces) => {
      await caughtUp(namespaces);
      const wants = (namespace: string): boolean => namespaces.includes(namespace);
      const selected = [...pods].filter(([, { namespace }]) => wants(namespace));
      const start: State = new Map(selected.map(([uid, { is }]) => [uid, is]));
      const recording = { wants, changes: [] };
      recordings.add(recording);
      const seen = async (): Promise<ReadonlyMap<WorkloadKey, PodsSeen>> => {
        await caughtUp(namespaces);
        return replay(start, recording.changes);
      };
      return {
        seen,
        close: async () => {
          const all = await seen();
          recordings.delete(recording);
          return all;
        },
      };
    },
    podsSeen: () => everSeen.size,
    stop: () => {
      for (const stop of stops) stop();
    },
  };
}

interface Listed {
  readonly kind: string;
  readonly key: WorkloadKey;
  readonly object: unknown;
}

function pathOf({ version, resource }: Resource, namespace = ""): string {
  const within = namespace === "" ? "" : `/namespaces/${namespace}`;
  return `${version === "v1" ? "/api" : "/apis"}/${version}${within}/${resource}`;
}

function keyOf(kind: string, object: unknown): WorkloadKey {
  return `${kind}/${textAt(object, "metadata", "namespace")}/${textAt(object, "metadata", "name")}`;
}

async function list(api: Api, resource: Resource, namespaces: readonly string[]): Promise<readonly unknown[]> {
  const lists = await Promise.all(namespaces.map((namespace) => api.get(pathOf(resource, namespace))));
  return lists.flatMap((found) => listAt(found, "items"));
}

async function listWorkloads(
  api: Api,
  kinds: Readonly<Record<string, Kind>>,
  namespaces: readonly string[],
): Promise<readonly Listed[]> {
  const lists = await Promise.all(
    Object.entries(kinds).map(async ([kind, resource]) => {
      const objects = await list(api, resource, namespaces);
      // What a CronJob makes, in the minute when it is due, is its selected affair.
      const owners = objects.filter((object) => controllerOf(object) === undefined);
      return owners.map((object) => ({ kind, key: keyOf(kind, object), object }));
    }),
  );
  return lists.flat();
}

const REVISIONS = ["deployment.kubernetes.io/revision", "rollout.argoproj.io/revision"];

/** The number of the newest revision of each workload, by the workload's uid. */
async function listRevisions(api: Api, namespaces: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const [replicaSets, controllerRevisions] = await Promise.all([
    list(api, REPLICA_SETS, namespaces),
    list(api, CONTROLLER_REVISIONS, namespaces),
  ]);
  const ofReplicaSet = (object: unknown): number =>
    Number(REVISIONS.map((key) => textsAt(object, "metadata", "annotations")[key]).find(Boolean) ?? 0);
  return new Map([
    ...newest(replicaSets, ofReplicaSet),
    ...newest(controllerRevisions, (object) => numberAt(object, "revision")),
  ]);
}

/** The highest number among the objects of each owner, by the owner's uid. */
function newest(objects: readonly unknown[], number: (object: unknown) => number): ReadonlyMap<string, number> {
  const highest = new Map<string, number>();
  for (const object of objects) {
    const owner = textAt(controllerOf(object), "uid");
    highest.set(owner, Math.max(highest.get(owner) ?? 0, number(object)));
  }
  return highest;
}

function generationSeen(object: unknown): boolean {
  return numberAt(object, "status", "observedGeneration") >= numberAt(object, "metadata", "generation");
}

function deploymentRests(object: unknown): boolean {
  const replicas = numberAt(object, "spec", "replicas");
  const counts =
    fieldAt(object, "spec", "paused") === true
      ? ["availableReplicas"]
      : ["updatedReplicas", "availableReplicas", "replicas"];
  return generationSeen(object) && counts.every((count) => numberAt(object, "status", count) === replicas);
}

function statefulSetRests(object: unknown): boolean {
  const replicas = numberAt(object, "spec", "replicas");
  const partition = numberAt(object, "spec", "updateStrategy", "rollingUpdate", "partition");
  const rolls = textAt(object, "spec", "updateStrategy", "type") === "RollingUpdate";
  const updated = numberAt(object, "status", "updatedReplicas");
  const due = rolls ? Math.max(0, replicas - partition) : 0;
  const counts = ["replicas", "readyReplicas", "availableReplicas"];
  return (
    generationSeen(object) && updated >= due && counts.every((count) => numberAt(object, "status", count) === replicas)
  );
}

function daemonSetRests(object: unknown): boolean {
  const nodes = numberAt(object, "status", "desiredNumberScheduled");
  const rolls = textAt(object, "spec", "updateStrategy", "type") === "RollingUpdate";
  const updated = numberAt(object, "status", "updatedNumberScheduled");
  return (
    generationSeen(object) &&
    nodes > 0 &&
    numberAt(object, "status", "numberAvailable") === nodes &&
    (!rolls || updated === nodes)
  );
}

function rolloutRests(object: unknown): boolean {
  // Its controller writes the generation as a string.
  const seen = Number(textAt(object, "status", "observedGeneration")) >= numberAt(object, "metadata", "generation");
  const replicas = fieldAt(object, "spec", "replicas") === undefined ? 1 : numberAt(object, "spec", "replicas");
  // Of a blue-green one the old pods stay for a while after it is healthy.
  const counts = ["replicas", "availableReplicas"].every((count) => numberAt(object, "status", count) === replicas);
  return seen && counts && textAt(object, "status", "phase") === "Healthy";
}

/** Tries until nothing is left to wait for; the error says what was. */
export async function eventually(what: string, remains: () => Promise<string>): Promise<void> {
  const deadline = Date.now() + SETTLE_SECONDS * 1000;
  let left = await remains();
  while (left !== "") {
    if (Date.now() > deadline) throw new Error(`${what}: after ${SETTLE_SECONDS} s still\n${left}`);
    await sleep(POLL_MILLISECONDS);
    left = await remains();
  }
}
