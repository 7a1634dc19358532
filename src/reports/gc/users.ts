import { groupOf, kindKey } from "../../base/identity.ts";
import type { Cluster } from "../../platform/ports/cluster.ts";
import { WORKLOAD_KINDS } from "../../kubernetes/workloads/workload-kinds.ts";
import type { WorkloadKind } from "../../kubernetes/workloads/types.ts";
import { textOrEmpty, valueAt } from "../../yaml/read/json.ts";
import { discoverKinds } from "../status/discover-kinds.ts";
import { listPath, resourceName, type ServedKind, type WantedKind } from "../status/live-kinds.ts";
import { NamedCopies } from "./named-copies.ts";
import { listing, notReadable } from "./not-readable.ts";
import type { LiveCopy } from "./read-copies.ts";

// What may use a copy: everything with a pod template, what controllers keep of old ones, and pods.

const OBJECTS = 250;

/** The kinds of the core group, which discovery lists elsewhere: every server has them. */
const CORE: readonly ServedKind[] = [
  {
    apiVersion: "v1",
    kind: "ReplicationController",
    plural: "replicationcontrollers",
    namespaced: true,
    use: "workload",
  },
  { apiVersion: "v1", kind: "Pod", plural: "pods", namespaced: true, use: "workload" },
];

/** The built-in kinds that the server must serve: without them there is nothing to look at. */
const REQUIRED = [
  { group: "apps", kind: "Deployment" },
  { group: "apps", kind: "StatefulSet" },
  { group: "apps", kind: "DaemonSet" },
  { group: "apps", kind: "ReplicaSet" },
  { group: "apps", kind: "ControllerRevision" },
  { group: "batch", kind: "Job" },
  { group: "batch", kind: "CronJob" },
].map(kindKey);

/**
 * The order of reading. A name moves from workloads to what they create, and down to pods: read in this order, a name
 * that moves meanwhile is still found.
 */
const LATER: ReadonlyMap<string, number> = new Map([
  ["apps/Deployment", 1],
  ["apps/StatefulSet", 1],
  ["apps/DaemonSet", 1],
  ["batch/CronJob", 1],
  ["batch/Job", 2],
  ["apps/ReplicaSet", 2],
  ["apps/ControllerRevision", 2],
  ["/ReplicationController", 2],
  ["/Pod", 3],
]);

/** The kinds that may name copies and that the server serves, in the order of reading. */
export async function userKinds(cluster: Cluster, configured: readonly WorkloadKind[]): Promise<readonly ServedKind[]> {
  const unread: string[] = [];
  const found = await discoverKinds(cluster, wanted(configured), (apiVersion) => unread.push(apiVersion));
  const served = new Set(found?.map(keyOf));
  if (found === undefined) unread.push("/apis");
  else unread.push(...REQUIRED.filter((key) => !served.has(key)));
  if (unread.length > 0) throw notReadable(cluster, `discover ${unread.join(", ")}`);
  return [...(found ?? []), ...CORE].sort((a, b) => rank(a) - rank(b));
}

function wanted(configured: readonly WorkloadKind[]): readonly WantedKind[] {
  return [...WORKLOAD_KINDS, ...configured, { group: "apps", kind: "ControllerRevision" }]
    .filter(({ group }) => group !== "" && group !== "extensions")
    .map(({ group, kind }) => ({ group, kind, use: "workload" }));
}

function keyOf({ apiVersion, kind }: ServedKind): string {
  return kindKey({ group: groupOf(apiVersion), kind });
}

function rank(kind: ServedKind): number {
  return LATER.get(keyOf(kind)) ?? 0;
}

/** Shows how far long work is. */
export type ShowProgress = (done: number, total: number, now: string) => void;

/** Reads everything that may name a copy. Throws a RollstampError if any of it cannot be read. */
export async function findUsers(
  cluster: Cluster,
  namespace: string | undefined,
  kinds: readonly ServedKind[],
  copies: readonly LiveCopy[],
  progress: ShowProgress,
): Promise<NamedCopies<LiveCopy>> {
  const named = new NamedCopies(copies);
  const unread: string[] = [];
  for (const [i, kind] of kinds.entries()) {
    progress(i, kinds.length, resourceName(kind));
    const answer = await cluster.list(
      listPath(kind, namespace),
      { limit: OBJECTS },
      {
        // What was found stays: a list that begins again finds it again.
        begin: () => undefined,
        take: (objects) => {
          for (const object of objects)
            named.add(object, {
              apiVersion: kind.apiVersion,
              kind: kind.kind,
              namespace: textOrEmpty(valueAt(object, ["metadata", "namespace"])),
              name: textOrEmpty(valueAt(object, ["metadata", "name"])),
            });
        },
      },
    );
    if (answer !== "found") unread.push(resourceName(kind));
  }
  if (unread.length > 0) throw notReadable(cluster, listing(unread, namespace));
  return named;
}
