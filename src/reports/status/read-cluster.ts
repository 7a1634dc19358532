import type { Item } from "../../yaml/read/items.ts";
import type { Unseen } from "./status-report.ts";
import {
  type PodGroup,
  asContent,
  asSkeleton,
  asWritten,
  contentChangedAt,
  controllerOf,
  PodGroups,
  uidOf,
  liveManifests,
  asTemplate,
} from "./live-objects.ts";
import { type Progress, progressOf } from "./progress.ts";
import { isMarkedCopy } from "../../kubernetes/sources/copies.ts";
import type { Cluster, ListReader } from "../../platform/ports/cluster.ts";
import type { ConfigHashSpec } from "../../stamping/function/config-hash.ts";
import { valueAt, textOrEmpty } from "../../yaml/read/json.ts";
import { RollstampError } from "../../base/errors.ts";
import { RELEASE_TYPE } from "../../base/hosts/helm.ts";
import type { Json } from "../../yaml/read/node.ts";
import { objectKey } from "../../base/identity.ts";
import { discoverKinds } from "./discover-kinds.ts";
import type { DigestBook } from "./digest-book.ts";
import { APPS_KINDS, listPath, resourceName, wantedKinds, type ServedKind } from "./live-kinds.ts";

/** A workload of the cluster with the progress of its rollout. */
export interface LiveWorkload {
  readonly item: Item;
  readonly uid: string;
  /** The uid of the object that controls it; "" if there is none. */
  readonly controller: string;
  readonly progress: Progress | undefined;
}

/** When a source was created, and when its content last changed, in milliseconds. */
export interface SourceTimes {
  readonly createdAt: number;
  readonly changedAt: number;
}

/** The objects of a cluster, without the content of ConfigMaps and Secrets. */
export interface LiveCluster {
  readonly context: string;
  /** Undefined: all namespaces were read. */
  readonly namespace: string | undefined;
  readonly workloads: readonly LiveWorkload[];
  /** ConfigMaps and Secrets without their content. */
  readonly sources: readonly Item[];
  /** The objects that declare Secrets. */
  readonly declared: readonly Item[];
  /** By objectKey. */
  readonly times: ReadonlyMap<string, SourceTimes>;
  /** For objects between workloads and pods, such as ReplicaSets: uid → uid of the controller. */
  readonly controllers: ReadonlyMap<string, string>;
  readonly pods: readonly PodGroup[];
  readonly unseen: readonly Unseen[];
  /** The kinds of sources that cannot be read. */
  readonly unseenKinds: ReadonlySet<string>;
}

// Metadata is small, but a ConfigMap or a Secret can be as large as a megabyte.
const OBJECTS = 250;
const METADATA = 500;
const CONTENTS = 50;

// Helm stores releases in Secrets of up to a megabyte, which no pod sees.
const NO_RELEASES = `type!=${RELEASE_TYPE}`;
const RUNNING = "status.phase!=Succeeded,status.phase!=Failed";

const SOURCE_KINDS = [
  { apiVersion: "v1", kind: "ConfigMap", plural: "configmaps", namespaced: true },
  { apiVersion: "v1", kind: "Secret", plural: "secrets", namespaced: true, fieldSelector: NO_RELEASES },
] as const;
const REPLICA_SETS = { apiVersion: "apps/v1", kind: "ReplicaSet", plural: "replicasets", namespaced: true };
const PODS = { apiVersion: "v1", kind: "Pod", plural: "pods", namespaced: true };

/** Reads a cluster, or one namespace, without the content of ConfigMaps and Secrets. */
export async function readCluster(
  cluster: Cluster,
  namespace: string | undefined,
  spec: ConfigHashSpec,
): Promise<LiveCluster> {
  const unseen: Unseen[] = [];
  const list = async (
    kind: Omit<ServedKind, "use" | "kind">,
    query: Parameters<Cluster["list"]>[1],
    reader: ListReader,
  ): Promise<boolean> => {
    const answer = await cluster.list(listPath(kind, namespace), query, reader);
    if (answer === "forbidden") unseen.push({ what: resourceName(kind), because: "forbidden" });
    return answer === "found";
  };

  const workloads: LiveWorkload[] = [];
  const declared: Item[] = [];
  let seesWorkloads = false;
  for (const kind of await discover(cluster, spec, unseen)) {
    if (kind.use === "declared") {
      const found: Item[] = [];
      await list(
        kind,
        { limit: OBJECTS },
        itemReader(found, cluster, kind.plural, (object) => asWritten(object, kind)),
      );
      for (const item of found) declared.push(item);
    } else {
      const found: LiveWorkload[] = [];
      seesWorkloads = (await list(kind, { limit: OBJECTS }, workloadReader(found, cluster, kind))) || seesWorkloads;
      for (const workload of found) workloads.push(workload);
    }
  }
  if (!seesWorkloads) throw seesNothing(cluster, namespace);

  const sources: Item[] = [];
  const times = new Map<string, SourceTimes>();
  const unseenKinds = new Set<string>();
  for (const kind of SOURCE_KINDS) {
    if (kind.kind === "Secret" && spec.secrets === "Ignore") continue;
    const found: Item[] = [];
    const query = { limit: METADATA, metadataOnly: true, ...selectorOf(kind) };
    const skeleton = (object: Json): Json => {
      const changedAt = contentChangedAt(object);
      const createdAt = Date.parse(textOrEmpty(valueAt(object, ["metadata", "creationTimestamp"])));
      if (changedAt !== undefined)
        times.set(objectKey({ kind: kind.kind, ...nameOf(object) }), { createdAt, changedAt });
      return asSkeleton(object, kind);
    };
    if (!(await list(kind, query, itemReader(found, cluster, kind.plural, skeleton)))) unseenKinds.add(kind.kind);
    for (const item of found) sources.push(item);
  }

  const listOrMiss = async (
    kind: typeof PODS,
    ...how: readonly [Parameters<typeof list>[1], ListReader]
  ): Promise<void> => {
    if (!(await list(kind, ...how))) unseenKinds.add(kind.kind);
  };
  const controllers = new Map<string, string>();
  await listOrMiss(
    REPLICA_SETS,
    { limit: METADATA, metadataOnly: true },
    {
      begin: () => controllers.clear(),
      take: (objects) => {
        for (const object of objects) controllers.set(uidOf(object), controllerOf(object));
      },
    },
  );
  // The spec of a pod says which copy it has: without copies, its metadata is enough.
  const metadataOnly = !sources.some(isMarkedCopy);
  let pods = new PodGroups();
  await listOrMiss(
    PODS,
    { limit: metadataOnly ? METADATA : OBJECTS, metadataOnly, fieldSelector: RUNNING },
    {
      begin: () => {
        pods = new PodGroups();
      },
      take: (objects) => {
        for (const object of objects) pods.add(object);
      },
    },
  );
  return {
    context: cluster.context,
    namespace,
    workloads,
    sources,
    declared,
    times,
    controllers,
    pods: pods.all(),
    unseen,
    unseenKinds,
  };
}

/** Reads objects as manifests, reduced by `keep`. */
function itemReader(found: Item[], { limits }: Cluster, name: string, keep: (object: Json) => Json): ListReader {
  return {
    begin: () => found.splice(0),
    take: (objects) => {
      for (const item of liveManifests(objects.map(keep), name, limits)?.items ?? []) found.push(item);
    },
  };
}

function workloadReader(found: LiveWorkload[], { limits }: Cluster, kind: ServedKind): ListReader {
  return {
    begin: () => found.splice(0),
    take: (objects) => {
      const items = liveManifests(
        objects.map((object) => asTemplate(object, kind)),
        kind.plural,
        limits,
      )?.items;
      for (const [i, object] of objects.entries()) {
        const item = items?.[i];
        if (item === undefined) continue;
        const progress = progressOf(object, kind);
        found.push({ item, uid: uidOf(object), controller: controllerOf(object), progress });
      }
    },
  };
}

/** Adds the wanted digests to a book. Returns the objects that could not be digested. */
export async function readDigests(
  cluster: Cluster,
  namespace: string | undefined,
  book: DigestBook,
): Promise<readonly Unseen[]> {
  const unseen: Unseen[] = [];
  for (const kind of SOURCE_KINDS) {
    if (!book.wants(kind.kind)) continue;
    await cluster.list(
      listPath(kind, namespace),
      { limit: CONTENTS, ...selectorOf(kind) },
      {
        // A digest that is computed again replaces the first one.
        begin: () => undefined,
        take: (objects) => {
          const wanted = objects.filter((object) => book.isWanted({ kind: kind.kind, ...nameOf(object) }));
          const contents = wanted.map((object) => asContent(object, kind));
          for (const { message } of book.add(liveManifests(contents, kind.plural, cluster.limits)?.items ?? []))
            unseen.push({ what: resourceName(kind), because: message });
        },
      },
    );
  }
  return unseen;
}

function selectorOf(kind: (typeof SOURCE_KINDS)[number]): { readonly fieldSelector?: string } {
  return "fieldSelector" in kind ? { fieldSelector: kind.fieldSelector } : {};
}

function nameOf(object: Json): { readonly namespace: string; readonly name: string } {
  return {
    namespace: textOrEmpty(valueAt(object, ["metadata", "namespace"])),
    name: textOrEmpty(valueAt(object, ["metadata", "name"])),
  };
}

async function discover(cluster: Cluster, spec: ConfigHashSpec, unseen: Unseen[]): Promise<readonly ServedKind[]> {
  const wanted = wantedKinds(spec);
  const found = await discoverKinds(cluster, wanted, (apiVersion) =>
    unseen.push({ what: apiVersion, because: "the server does not list its kinds" }),
  );
  if (found === undefined) {
    unseen.push({ what: "custom kinds", because: "the server does not list its APIs" });
    return BUILT_IN.filter(({ kind }) =>
      wanted.some((one) => one.kind === kind && ["apps", "batch"].includes(one.group)),
    );
  }
  return found;
}

const BUILT_IN: readonly ServedKind[] = [
  ...APPS_KINDS,
  { apiVersion: "batch/v1", kind: "CronJob", plural: "cronjobs", namespaced: true, use: "workload" },
];

function seesNothing({ context, server }: Cluster, namespace: string | undefined): RollstampError {
  const where = namespace === undefined ? "in all namespaces" : `in namespace '${namespace}'`;
  return new RollstampError(
    "system",
    `the user of context '${context}' is not allowed to list workloads ${where} (forbidden by ${server})`,
    {
      remedy: "Bind the ClusterRole of docs/guides/clusters.md, or look at one namespace with -n.",
    },
  );
}
