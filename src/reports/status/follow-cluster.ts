import { RollstampError } from "../../base/errors.ts";
import type { Change, Cluster, ListQuery } from "../../platform/ports/cluster.ts";
import { fieldsOf, listOf } from "../../yaml/read/json.ts";
import type { Json } from "../../yaml/read/node.ts";
import { APPS_KINDS, groupVersions, listPath, resourceName, servedKinds, type ServedKind } from "./live-kinds.ts";
import { valueAtPath, plain } from "./live-objects.ts";
import type { Unseen } from "./status-report.ts";
import type { BoardList, WaitBoard } from "./wait-board.ts";
import type { WaitEvent } from "./wait-report.ts";

const OBJECTS = 250;
const METADATA = 500;

type Kind = Omit<ServedKind, "use" | "kind">;

const ROLLOUT = { group: "argoproj.io", kind: "Rollout", use: "workload" } as const;

/** The lists that are followed besides workloads. `without` says what is unknown if a list is forbidden. */
const OTHERS: readonly (Kind & {
  readonly list: BoardList;
  readonly query: ListQuery;
  readonly without: string;
})[] = [
  {
    apiVersion: "apps/v1",
    plural: "replicasets",
    namespaced: true,
    list: { use: "replicaSet" },
    query: { limit: METADATA, metadataOnly: true },
    without: "which workload a pod belongs to",
  },
  {
    apiVersion: "apps/v1",
    plural: "controllerrevisions",
    namespaced: true,
    list: { use: "revision" },
    query: { limit: METADATA, metadataOnly: true },
    without: "when StatefulSets and DaemonSets rolled out",
  },
  {
    apiVersion: "v1",
    plural: "pods",
    namespaced: true,
    list: { use: "pod" },
    query: { limit: OBJECTS },
    without: "why pods do not start",
  },
  {
    apiVersion: "v1",
    plural: "events",
    namespaced: true,
    list: { use: "event" },
    query: { limit: METADATA, fieldSelector: "type=Warning" },
    without: "why pods cannot be created",
  },
];

export interface FollowWorld {
  readonly cluster: Cluster;
  readonly signal: AbortSignal;
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Milliseconds since some moment; never goes back. */
  readonly elapsed: () => number;
  /** Called when the connection is lost, and when it is back. */
  readonly connection: (event: Extract<WaitEvent, { type: "Connection" }>) => void;
}

/** The lists that are followed, once all of them have been read. */
export interface FollowedCluster {
  readonly unseen: readonly Unseen[];
  /** Rejects when a list can no longer be followed. */
  readonly end: Promise<unknown>;
}

/** Reads and follows everything that shows the state of rollouts, in some namespaces or in all. */
export async function followCluster(
  world: FollowWorld,
  namespaces: readonly string[] | undefined,
  board: WaitBoard,
  changed: () => void,
): Promise<FollowedCluster> {
  const unseen: Unseen[] = [];
  const followed: FollowedList[] = [];
  const lost = new Set<List>();
  const kinds = [...APPS_KINDS, ...(await rollouts(world.cluster))];
  let seesWorkloads = false;
  for (const namespace of namespaces ?? [undefined]) {
    const start = async (kind: Kind, list: BoardList, query: ListQuery): Promise<FollowedList> => {
      const follower = await followList(world, lost, {
        path: listPath(kind, namespace),
        query,
        listed: (objects) => {
          board.listed(list, objects);
          changed();
        },
        changed: ({ is, object }) => {
          if (is === "gone") board.gone(list, object);
          else board.changed(list, object);
          changed();
        },
      });
      // All of them are awaited together, once the last one has begun.
      follower.end.catch(() => undefined);
      followed.push(follower);
      return follower;
    };
    const where = namespaces === undefined || namespaces.length <= 1 ? "" : ` in ${namespace ?? ""}`;
    for (const { apiVersion, kind, use: _, ...rest } of kinds) {
      const served = { apiVersion, ...rest };
      const { is } = await start(served, { use: "workload", apiVersion, kind }, { limit: OBJECTS });
      if (is === "found") seesWorkloads = true;
      else if (is === "forbidden") unseen.push({ what: `${resourceName(served)}${where}`, because: "forbidden" });
    }
    for (const { list, query, without, ...kind } of OTHERS) {
      const { is } = await start(kind, { ...list }, query);
      if (is === "forbidden")
        unseen.push({ what: `${resourceName(kind)}${where}`, because: `forbidden: unknown ${without}` });
    }
  }
  if (!seesWorkloads) throw forbidden(world.cluster, "list workloads", false);
  return { unseen, end: Promise.all(followed.map(({ end }) => end)) };
}

/** Argo Rollouts, if the server has them. */
async function rollouts(cluster: Cluster): Promise<readonly ServedKind[]> {
  const groups = await cluster.get("/apis");
  if (groups.is !== "found") return [];
  const [version] = groupVersions(groups.body, [ROLLOUT]);
  const resources = version === undefined ? undefined : await cluster.get(`/apis/${version}`);
  if (version === undefined || resources?.is !== "found") return [];
  return servedKinds(version, resources.body, [ROLLOUT]);
}

/** An object without its pod template and its containers: these are large and may hold values. */
function withoutTemplate(object: Json): Json {
  const { spec, ...rest } = fieldsOf(object);
  const { replicas, paused, strategy, updateStrategy } = fieldsOf(spec);
  const { managedFields, ...metadata } = fieldsOf(rest["metadata"]);
  const times = listOf(managedFields).map((entry) => plain({ time: valueAtPath(entry, "time") }));
  return plain({
    ...rest,
    metadata: plain({ ...metadata, managedFields: times }),
    spec: plain({ replicas, paused, strategy, updateStrategy }),
  });
}

/** A list of objects at a path of the API. */
interface List {
  readonly path: string;
  readonly query: ListQuery;
  /** Takes all objects of the list, which replace the previous ones. */
  readonly listed: (objects: readonly Json[]) => void;
  readonly changed: (change: Change) => void;
}

interface FollowedList {
  readonly is: "found" | "forbidden" | "notFound";
  /** Resolves when the signal is aborted; rejects when the list can no longer be followed. */
  readonly end: Promise<void>;
}

// The server ends a watch after this time, which bounds how late a dead connection is noticed.
const WATCH_SECONDS = 30;
// A starting API server refuses everything until it has read its roles.
const REFUSED_MS = 30_000;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 10_000;

/** Reads a list and follows its changes. Throws if the first reading fails. */
async function followList(world: FollowWorld, lost: Set<List>, list: List): Promise<FollowedList> {
  const first = await read(world, list);
  if (first.is !== "found") return { is: first.is, end: Promise.resolve() };
  return { is: "found", end: follow(world, lost, list, first.version) };
}

async function follow(world: FollowWorld, lost: Set<List>, list: List, first: string): Promise<void> {
  const { cluster, signal, elapsed, connection } = world;
  const { path, query } = list;
  let version: string | undefined = first;
  let wait = 0;
  let allowedAt: number | undefined;
  const refused = (): RollstampError =>
    forbidden(cluster, `watch ${path}`, allowedAt !== undefined && elapsed() - allowedAt < REFUSED_MS);
  const begun = (): void => {
    allowedAt = Infinity;
    if (lost.delete(list) && lost.size === 0) connection({ type: "Connection", state: "Regained" });
  };
  while (!signal.aborted) {
    try {
      if (version === undefined) {
        const again = await read(world, list);
        if (again.is !== "found") throw refused();
        ({ version } = again);
      }
      const start = elapsed();
      const { limit: _, ...selected } = query;
      const end = await cluster.watch(
        path,
        { resourceVersion: version, seconds: WATCH_SECONDS, signal, begun, ...selected },
        list.changed,
      );
      if (end.is === "forbidden" || end.is === "notFound") {
        if (allowedAt === Infinity) allowedAt = elapsed();
        throw refused();
      }
      version = end.is === "ended" ? end.resourceVersion : undefined;
      // A watch that always ends at once is repeated no more often than one that fails.
      wait = elapsed() - start < FIRST_WAIT_MS ? longer(wait) : 0;
    } catch (cause) {
      if (signal.aborted) return;
      if (!(cause instanceof RollstampError) || !cause.mayPass) throw cause;
      if (lost.size === 0) connection({ type: "Connection", state: "Lost", because: cause.message });
      lost.add(list);
      wait = longer(wait);
    }
    if (wait > 0 && !signal.aborted) await world.sleep(wait, signal);
  }
}

function longer(wait: number): number {
  return Math.min(Math.max(FIRST_WAIT_MS, wait * 2), LONGEST_WAIT_MS);
}

type Read = { readonly is: "found"; readonly version: string } | { readonly is: "forbidden" | "notFound" };

async function read({ cluster }: FollowWorld, { path, query, listed }: List): Promise<Read> {
  let objects: Json[] = [];
  let version = "";
  const is = await cluster.list(path, query, {
    begin: () => {
      objects = [];
    },
    take: (items) => {
      for (const item of items) objects.push(withoutTemplate(item));
    },
    end: (resourceVersion) => {
      version = resourceVersion;
    },
  });
  if (is !== "found") return { is };
  listed(objects);
  return { is, version };
}

function forbidden({ context, server }: Cluster, action: string, mayPass: boolean): RollstampError {
  return new RollstampError(
    "system",
    `the user of context '${context}' is not allowed to ${action} (forbidden by ${server})`,
    { remedy: "Bind the ClusterRole rollstamp-wait of docs/wait.md.", mayPass },
  );
}
