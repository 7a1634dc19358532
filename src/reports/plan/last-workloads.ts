import type { Item } from "../../yaml/read/items.ts";
import { groupOf, kindKey } from "../../base/identity.ts";
import { isApplied } from "./counted.ts";
import type { PlannedWorkload } from "./planned-workload.ts";
import type { PlannedApplication } from "./planned-application.ts";

// A namespace that loses all its Deployments, StatefulSets, DaemonSets and Rollouts. All applications of the cluster count.
// If it is unknown whether one of them has workloads in the namespace, nothing is the last.

const KINDS: ReadonlySet<string> = new Set([
  "apps/Deployment",
  "apps/StatefulSet",
  "apps/DaemonSet",
  "extensions/Deployment",
  "extensions/DaemonSet",
  "argoproj.io/Rollout",
]);

/** Whether an object runs pods all the time: a namespace without any is empty. */
export function isLasting(object: Pick<Item, "group" | "kind">): boolean {
  return KINDS.has(kindKey(object));
}

/** The namespaces in which an application has such workloads after the change. */
export interface KeptNamespaces {
  readonly application: string;
  readonly namespaces: readonly string[];
  /** It was rendered without something, where more workloads may be. */
  readonly isPartial?: true;
}

/** What is known about applications besides the parts that were compared. */
export interface Landscape {
  readonly applications: readonly Pick<PlannedApplication, "name" | "cluster" | "status" | "orphan" | "partial">[];
  /** Of applications without a part, as far as someone looked at them. */
  readonly kept: readonly KeptNamespaces[];
}

/** What a plan of files and folders has: there are no applications. */
export const NO_APPLICATIONS: Landscape = { applications: [], kept: [] };

/** What a part of a plan says about namespaces. */
export interface CountedPart {
  readonly rows: readonly { readonly planned: PlannedWorkload }[];
  /** The namespaces in which its heads have such workloads. */
  readonly keeps: readonly string[];
  readonly application?: string;
}

/** A namespace in which no workload is known to be left. */
export interface EmptiedNamespace {
  readonly cluster: string | undefined;
  readonly namespace: string;
  /** False if another application may have workloads there. */
  readonly isCertain: boolean;
}

/** Whether two applications may be in one cluster: an unknown cluster may be any. */
export function sharesCluster(a: string | undefined, b: string | undefined): boolean {
  return a === undefined || b === undefined || a === b;
}

/** The cluster of each application, by name. */
export function clustersOf({ applications }: Landscape): (application: string | undefined) => string | undefined {
  const clusters = new Map(applications.map(({ name, cluster }) => [name, cluster]));
  return (application) => (application === undefined ? undefined : clusters.get(application));
}

/** The namespaces whose workloads are deleted, and in which no workload is known to be left. */
export function emptiedNamespaces(parts: readonly CountedPart[], landscape: Landscape): EmptiedNamespace[] {
  const clusterOf = clustersOf(landscape);
  const deleted = parts.flatMap(({ rows }) =>
    rows.map(({ planned }) => planned).filter((planned) => planned.action === "Delete" && isLastingWorkload(planned)),
  );
  const emptied = new Map<string, { readonly cluster: string | undefined; readonly namespace: string }>();
  for (const { namespace, application } of deleted.filter(isDeleted)) {
    const cluster = clusterOf(application);
    emptied.set(namespaceKey(cluster, namespace), { cluster, namespace });
  }
  if (emptied.size === 0) return [];
  const kept = clustersByNamespace(
    [
      ...parts,
      ...landscape.kept.map(({ namespaces: keeps, application }) => ({ keeps, application })),
      // What prune leaves and what is held stays.
      ...deleted
        .filter((workload) => workload.orphan !== true && !isDeleted(workload))
        .map(({ namespace, application }) => ({ keeps: [namespace], application })),
    ],
    clusterOf,
  );
  const known = new Set(
    landscape.kept.flatMap(({ application, isPartial }) => (isPartial === true ? [] : application)),
  );
  const unknown = new Set(
    landscape.applications
      .filter(({ name, orphan, ...application }) => orphan !== true && !known.has(name) && !isCompared(application))
      .map(({ cluster }) => cluster),
  );
  return [...emptied.values()]
    .filter(({ cluster, namespace }) => !hasShared(kept.get(namespace), cluster))
    .map(({ cluster, namespace }) => ({ cluster, namespace, isCertain: !hasShared(unknown, cluster) }));
}

/** Whether everything of an application was compared. */
function isCompared({ status, partial }: Pick<PlannedApplication, "status" | "partial">): boolean {
  return status === "Changed" && partial === undefined;
}

/** The key of a namespace in a cluster. */
export function namespaceKey(cluster: string | undefined, namespace: string): string {
  return JSON.stringify([cluster, namespace]);
}

function isLastingWorkload({ apiVersion, kind }: PlannedWorkload): boolean {
  return isLasting({ group: groupOf(apiVersion), kind });
}

type Clusters = ReadonlySet<string | undefined>;

/** The clusters in which each namespace keeps workloads. */
function clustersByNamespace(
  parts: readonly { readonly keeps: readonly string[]; readonly application?: string | undefined }[],
  clusterOf: (application: string | undefined) => string | undefined,
): ReadonlyMap<string, Clusters> {
  const clusters = new Map<string, Set<string | undefined>>();
  for (const { keeps, application } of parts) {
    for (const namespace of keeps) {
      const known = clusters.get(namespace) ?? new Set();
      clusters.set(namespace, known.add(clusterOf(application)));
    }
  }
  return clusters;
}

/** Whether something may be in a cluster: an unknown cluster may be any. */
function hasShared(clusters: Clusters = new Set(), cluster: string | undefined): boolean {
  return clusters.has(cluster) || clusters.has(undefined) || (cluster === undefined && clusters.size > 0);
}

/** Whether a deletion removes a workload from its cluster. */
export function isDeleted(workload: Pick<PlannedWorkload, "leaves" | "held" | "orphan">): boolean {
  return workload.leaves !== true && isApplied(workload);
}
