import { RollstampError } from "../../base/errors.ts";
import type { Answer, Cluster, ListQuery } from "../../platform/ports/cluster.ts";
import { fieldsOf, listOf, fieldOf } from "../../yaml/read/json.ts";
import type { Json } from "../../yaml/read/node.ts";
import { APPS_KINDS, groupVersions, listPath, resourceName, servedKinds, type ServedKind } from "./live-kinds.ts";
import { plain } from "./live-objects.ts";
import { liveEvent, livePod } from "./live-pods.ts";
import type { Unseen } from "./status-report.ts";
import { revisionOf, type Seen } from "./wait-board.ts";

const OBJECTS = 250;
const METADATA = 500;

type Kind = Omit<ServedKind, "use" | "kind">;

const ROLLOUT = { group: "argoproj.io", kind: "Rollout", use: "workload" } as const;

/** A list besides those of workloads. */
interface Other extends Kind {
  readonly query: ListQuery;
  /** What is unknown if the list is forbidden. */
  readonly without: string;
  /** Why a rollout makes no progress is read only where one has not ended. */
  readonly places: "all" | "open";
  /** Keeps a part of an object. */
  readonly take: (object: Json, seen: Seen) => void;
}

const LISTS: readonly Other[] = [
  {
    apiVersion: "apps/v1",
    plural: "replicasets",
    namespaced: true,
    query: { limit: METADATA, metadataOnly: true },
    without: "which workload a pod belongs to",
    places: "all",
    take: (object, { replicaSets }) => replicaSets.push(revisionOf(object, false)),
  },
  {
    apiVersion: "apps/v1",
    plural: "controllerrevisions",
    namespaced: true,
    query: { limit: METADATA, metadataOnly: true },
    without: "which pods of a DaemonSet have the current template",
    places: "all",
    take: (object, { revisions }) => revisions.push(revisionOf(object, true)),
  },
  {
    apiVersion: "v1",
    plural: "pods",
    namespaced: true,
    query: { limit: OBJECTS },
    without: "why pods do not start",
    places: "open",
    take: (object, { pods }) => pods.push(livePod(object)),
  },
  {
    apiVersion: "v1",
    plural: "events",
    namespaced: true,
    query: { limit: METADATA, fieldSelector: "type=Warning" },
    without: "why pods cannot be created",
    places: "open",
    take: (object, { events }) => {
      const event = liveEvent(object);
      if (event !== undefined) events.push(event);
    },
  },
];

// Above this number the pods of all namespaces are read together.
const MOST_NAMESPACES = 8;

/** One reading of everything that shows the state of rollouts. */
export interface ReadRollouts {
  readonly seen: Seen;
  readonly unseen: readonly Unseen[];
}

/**
 * Returns a reader of the rollouts in a namespace, or in all. It takes the namespaces with rollouts that have not ended;
 * undefined if they are unknown.
 */
export async function rolloutReader(
  cluster: Cluster,
  namespace: string | undefined,
): Promise<(open: ReadonlySet<string> | undefined) => Promise<ReadRollouts>> {
  const undiscovered: Unseen[] = [];
  const kinds = [...APPS_KINDS, ...(await rollouts(cluster, undiscovered))];
  const allowed = new Set<string>();
  const read = async (kind: Kind, place: string | undefined, query: ListQuery, take: (object: Json) => void) => {
    const path = listPath(kind, place);
    const is = await readList(cluster, path, query, take);
    if (is === "found") allowed.add(path);
    // A starting API server refuses everything until it has read its roles.
    if (is === "forbidden" && allowed.has(path)) throw forbidden(cluster, `list ${path}`, true);
    return is;
  };
  return async (open) => {
    const seen: Seen = { workloads: [], replicaSets: [], revisions: [], pods: [], events: [] };
    const unseen = [...undiscovered];
    let seesWorkloads = false;
    for (const { apiVersion, kind, use: _, ...rest } of kinds) {
      const served = { apiVersion, ...rest };
      const is = await read(served, namespace, { limit: OBJECTS }, (object) =>
        seen.workloads.push({ apiVersion, kind, object }),
      );
      if (is === "found") seesWorkloads = true;
      else if (is === "forbidden") unseen.push({ what: resourceName(served), because: "forbidden" });
    }
    if (!seesWorkloads) throw forbidden(cluster, "list workloads", false);
    for (const { query, without, take, places, ...kind } of LISTS) {
      for (const place of places === "open" ? openOf(open, namespace) : [namespace]) {
        const is = await read(kind, place, query, (object) => take(object, seen));
        if (is === "forbidden") unseen.push({ what: resourceName(kind), because: `forbidden: unknown ${without}` });
      }
    }
    return { seen, unseen };
  };
}

function openOf(open: ReadonlySet<string> | undefined, namespace: string | undefined): (string | undefined)[] {
  if (open === undefined) return [namespace];
  return open.size > MOST_NAMESPACES ? [undefined] : [...open];
}

/** Passes on the objects of a list once it has been read completely. */
async function readList(
  cluster: Cluster,
  path: string,
  query: ListQuery,
  take: (object: Json) => void,
): Promise<Answer["is"]> {
  let objects: Json[] = [];
  const is = await cluster.list(path, query, {
    begin: () => {
      objects = [];
    },
    take: (items) => {
      for (const item of items) objects.push(withoutTemplate(item));
    },
  });
  for (const object of objects) take(object);
  return is;
}

/** Argo Rollouts, if the server has them. */
async function rollouts(cluster: Cluster, unseen: Unseen[]): Promise<readonly ServedKind[]> {
  const groups = await cluster.get("/apis");
  if (groups.is !== "found") {
    unseen.push({ what: "custom kinds", because: "the server does not list its APIs" });
    return [];
  }
  const [version] = groupVersions(groups.body, [ROLLOUT]);
  if (version === undefined) return [];
  const resources = await cluster.get(`/apis/${version}`);
  if (resources.is === "found") return servedKinds(version, resources.body, [ROLLOUT]);
  unseen.push({ what: version, because: "the server does not list its kinds" });
  return [];
}

/** An object without its pod template and its containers: these are large and may hold values. */
function withoutTemplate(object: Json): Json {
  const { spec, ...rest } = fieldsOf(object);
  const { replicas, paused, strategy, updateStrategy } = fieldsOf(spec);
  const { managedFields, ...metadata } = fieldsOf(rest["metadata"]);
  const times = listOf(managedFields).map((entry) => plain({ time: fieldOf(entry, "time") }));
  return plain({
    ...rest,
    metadata: plain({ ...metadata, managedFields: times }),
    spec: plain({ replicas, paused, strategy, updateStrategy }),
  });
}

function forbidden({ context, server }: Cluster, action: string, mayPass: boolean): RollstampError {
  return new RollstampError(
    "system",
    `the user of context '${context}' is not allowed to ${action} (forbidden by ${server})`,
    { remedy: "Bind the ClusterRole rollstamp-wait of docs/guides/clusters.md.", mayPass },
  );
}
