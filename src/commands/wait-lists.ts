import { RollstampError } from "../base/errors.ts";
import type { Cluster } from "../platform/ports/cluster.ts";
import { fieldsOf, listOf } from "../yaml/read/json.ts";
import type { Json } from "../yaml/read/node.ts";
import { groupVersions, listPath, resourceName, servedKinds, type ServedKind } from "../reports/status/live-kinds.ts";
import { at, plain } from "../reports/status/live-objects.ts";
import type { Unseen } from "../reports/status/status-report.ts";
import type { BoardList, WaitBoard } from "../reports/status/wait-board.ts";
import { followList, type Begun, type FollowedList, type Following } from "./follow-list.ts";

const OBJECTS = 250;
const METADATA = 500;

type Kind = Omit<ServedKind, "use" | "kind">;

const WORKLOADS = [
  { apiVersion: "apps/v1", kind: "Deployment", plural: "deployments", namespaced: true },
  { apiVersion: "apps/v1", kind: "StatefulSet", plural: "statefulsets", namespaced: true },
  { apiVersion: "apps/v1", kind: "DaemonSet", plural: "daemonsets", namespaced: true },
] as const;

const ROLLOUT = { group: "argoproj.io", kind: "Rollout", use: "workload" } as const;

const METADATA_ONLY = { limit: METADATA, metadataOnly: true };

/** The lists beside workloads, and what is not known without each. */
const OTHERS: readonly (Kind & {
  readonly list: BoardList;
  readonly query: FollowedList["query"];
  readonly without: string;
})[] = [
  {
    apiVersion: "apps/v1",
    plural: "replicasets",
    namespaced: true,
    list: { use: "replicaSet" },
    query: METADATA_ONLY,
    without: "whose pods are whose",
  },
  {
    apiVersion: "apps/v1",
    plural: "controllerrevisions",
    namespaced: true,
    list: { use: "revision" },
    query: METADATA_ONLY,
    without: "when StatefulSets and DaemonSets rolled",
  },
  {
    apiVersion: "v1",
    plural: "pods",
    namespaced: true,
    list: { use: "pod" },
    query: { limit: OBJECTS },
    without: "why pods do not come up",
  },
  {
    apiVersion: "v1",
    plural: "events",
    namespaced: true,
    list: { use: "event" },
    query: { limit: METADATA, fieldSelector: "type=Warning" },
    without: "why pods can't be made",
  },
];

/** What is followed, once all of it has been read. */
export interface FollowedCluster {
  readonly unseen: readonly Unseen[];
  /** Rejects where something can't be followed any more. */
  readonly end: Promise<unknown>;
}

/** Reads and follows all that tells of rollouts, in some namespaces or in all. */
export async function followCluster(
  world: Following,
  namespaces: readonly string[] | undefined,
  board: WaitBoard,
  changed: () => void,
): Promise<FollowedCluster> {
  const unseen: Unseen[] = [];
  const begun: Begun[] = [];
  const kinds = [...WORKLOADS, ...(await rollouts(world.cluster))];
  let seesWorkloads = false;
  for (const namespace of namespaces ?? [undefined]) {
    const start = async (kind: Kind, list: BoardList, query: FollowedList["query"]): Promise<Begun> => {
      const one = await followList(world, {
        path: listPath(kind, namespace),
        query,
        keep,
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
      // It is awaited once all of them have begun.
      one.end.catch(() => undefined);
      begun.push(one);
      return one;
    };
    const where = namespaces === undefined || namespaces.length <= 1 ? "" : ` in ${namespace ?? ""}`;
    for (const { apiVersion, kind, ...rest } of kinds) {
      const served = { apiVersion, ...rest };
      const { is } = await start(served, { use: "workload", apiVersion, kind }, { limit: OBJECTS });
      if (is === "found") seesWorkloads = true;
      else if (is === "forbidden") unseen.push({ what: `${resourceName(served)}${where}`, because: "forbidden" });
    }
    for (const { list, query, without, ...kind } of OTHERS) {
      const { is } = await start(kind, { ...list }, query);
      if (is === "forbidden")
        unseen.push({ what: `${resourceName(kind)}${where}`, because: `forbidden: it can't be told ${without}` });
    }
  }
  if (!seesWorkloads) throw seesNothing(world.cluster);
  return { unseen, end: Promise.all(begun.map(({ end }) => end)) };
}

/** Argo Rollouts, where the server has them. */
async function rollouts(cluster: Cluster): Promise<readonly ServedKind[]> {
  const groups = await cluster.get("/apis");
  if (groups.is !== "found") return [];
  const [version] = groupVersions(groups.body, [ROLLOUT]);
  const resources = version === undefined ? undefined : await cluster.get(`/apis/${version}`);
  if (version === undefined || resources?.is !== "found") return [];
  return servedKinds(version, resources.body, [ROLLOUT]);
}

/** An object without its pod template or its containers: those may hold values, and much is in them. */
function keep(object: Json): Json {
  const { spec, ...rest } = fieldsOf(object);
  const { replicas, paused, strategy, updateStrategy } = fieldsOf(spec);
  const { managedFields, ...metadata } = fieldsOf(rest["metadata"]);
  const times = listOf(managedFields).map((entry) => plain({ time: at(entry, "time") }));
  return plain({
    ...rest,
    metadata: plain({ ...metadata, managedFields: times }),
    spec: plain({ replicas, paused, strategy, updateStrategy }),
  });
}

function seesNothing({ context, server }: Cluster): RollstampError {
  return new RollstampError(
    "system",
    `the user of context '${context}' may list no workloads (forbidden by ${server})`,
    {
      remedy: "Bind the ClusterRole rollstamp-wait of docs/wait.md.",
    },
  );
}
