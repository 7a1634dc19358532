import { groupedBy } from "../../base/grouped.ts";
import { groupOf, workloadKey } from "../../base/identity.ts";
import type { Accepts } from "./accepted-deletes.ts";
import { isApplied } from "./counted.ts";
import {
  clustersOf,
  emptiedNamespaces,
  isDeleted,
  namespaceKey,
  type CountedPart,
  type Landscape,
} from "./last-workloads.ts";
import type { MovedTo, PlanFinding, PlannedObject, PlannedWorkload } from "./planned-workload.ts";

interface DeletingPart extends CountedPart {
  readonly objects: readonly PlannedObject[];
  readonly others: readonly PlanFinding[];
}

/** Adds what is known only when all parts are joined: where a workload moves, and whether it is the last of its namespace. */
export function withDeletions<P extends DeletingPart>(
  parts: readonly P[],
  landscape: Landscape,
  accepts: Accepts,
): readonly P[] {
  const workloads = parts.flatMap(({ rows }) => rows.map(({ planned }) => planned));
  if (!workloads.some(({ action }) => action === "Delete") && !parts.some(hasDeleted)) return parts;
  const clusterOf = clustersOf(landscape);
  const moves = movesOf(workloads, clusterOf);
  const last = new Set(
    emptiedNamespaces(parts, landscape)
      .filter(({ isCertain }) => isCertain)
      .map(({ cluster, namespace }) => namespaceKey(cluster, namespace)),
  );
  const isLast = ({ application, namespace }: PlannedWorkload): boolean =>
    last.has(namespaceKey(clusterOf(application), namespace));
  const judged = (planned: PlannedWorkload): PlannedWorkload => {
    if (planned.action !== "Delete") return planned;
    const movedTo = moves.get(planned);
    return {
      ...planned,
      ...(movedTo === undefined ? {} : { movedTo }),
      ...(isDeleted(planned) && isLast(planned) ? { isLast: true as const } : {}),
      ...(accepts(planned) ? { isAccepted: true as const } : {}),
      ...(keepsVolumes(planned, movedTo ?? planned.movedTo)
        ? { findings: planned.findings.filter(({ id }) => id !== "deleted-volumes") }
        : {}),
    };
  };
  const objectKeyOf = ({ application, kind, namespace, name }: PlannedObject): string =>
    JSON.stringify([clusterOf(application), kind, namespace, name]);
  const created = new Set(
    parts.flatMap(({ objects }) => objects.filter(({ change }) => change === "Create").map(objectKeyOf)),
  );
  const judgedObject = ({ isNeeded, usedBy, ...object }: PlannedObject): PlannedObject => ({
    ...object,
    // Another application has it now.
    ...(created.has(objectKeyOf(object))
      ? {}
      : { ...(isNeeded === true ? { isNeeded } : {}), ...(usedBy === undefined ? {} : { usedBy }) }),
    ...(object.change === "Delete" && accepts(object) ? { isAccepted: true as const } : {}),
  });
  const taken = takenOver(workloads, clusterOf);
  return parts.map((part) => {
    const isStillServed = stillServed(part, moves);
    return {
      ...part,
      rows: part.rows.map((row) => (row.planned.action === "Delete" ? { ...row, planned: judged(row.planned) } : row)),
      objects: part.objects.map(judgedObject),
      others: [
        ...part.others.filter((finding) => !isStillServed(finding)),
        ...part.rows.flatMap(({ planned }) => taken.get(planned) ?? []),
      ],
    };
  });
}

/** A finding for each created workload that another application of the cluster leaves there. */
function takenOver(
  workloads: readonly PlannedWorkload[],
  clusterOf: ClusterOf,
): ReadonlyMap<PlannedWorkload, PlanFinding> {
  const keyOf = (workload: PlannedWorkload): string =>
    JSON.stringify([nameKey(workload), workload.namespace, clusterOf(workload.application)]);
  const left = new Map(
    workloads.filter(({ action, leaves }) => action === "Delete" && leaves === true).map((row) => [keyOf(row), row]),
  );
  return new Map(
    workloads.flatMap((row): (readonly [PlannedWorkload, PlanFinding])[] => {
      const from = row.action === "Create" && isApplied(row) ? left.get(keyOf(row))?.application : undefined;
      const { apiVersion, kind, namespace, name, application: to } = row;
      if (from === undefined || to === undefined || from === to) return [];
      const params = { workload: { apiVersion, kind, namespace, name }, from, to };
      return [[row, { id: "taken-over", cause: "unknown", params }]];
    }),
  );
}

/** Whether the object stays in the cluster: nothing prunes it, or another application takes it over. */
function keepsVolumes({ leaves, namespace }: PlannedWorkload, movedTo: MovedTo | undefined): boolean {
  return leaves === true || (movedTo?.namespace === namespace && movedTo.release === undefined);
}

/**
 * Finds the Services that only seem to lose their pods (RS026): another application of the namespace has them now, or prune
 * leaves them.
 */
function stillServed(
  { rows, others }: DeletingPart,
  moves: ReadonlyMap<PlannedWorkload, MovedTo>,
): (finding: PlanFinding) => boolean {
  if (!others.some(({ id }) => id === "RS026")) return () => false;
  const keyOf = ({ kind, name }: { readonly kind: string; readonly name: string }): string => `${kind}/${name}`;
  const stays = groupedBy(
    rows
      .map(({ planned }) => planned)
      .filter((row) => row.leaves === true || moves.get(row)?.namespace === row.namespace),
    keyOf,
  );
  return (finding) =>
    finding.id === "RS026" &&
    finding.cause === "workloadDeleted" &&
    finding.params.workloads.some((workload) =>
      stays.get(keyOf(workload))?.some(({ namespace }) => namespace === (workload.namespace ?? namespace)),
    );
}

function hasDeleted({ objects }: DeletingPart): boolean {
  return objects.some(({ change }) => change === "Delete");
}

type ClusterOf = (application: string | undefined) => string | undefined;

/**
 * Pairs deleted workloads with created ones of the same kind and name in one cluster: first those that stay in their
 * application, then those that stay in their namespace, then others. Of several that could be intended, none is.
 */
function movesOf(workloads: readonly PlannedWorkload[], clusterOf: ClusterOf): ReadonlyMap<PlannedWorkload, MovedTo> {
  const applied = workloads.filter((workload) => isDeleted(workload));
  let gone = applied.filter(({ action }) => action === "Delete");
  let come = applied.filter(({ action }) => action === "Create");
  const moves = new Map<PlannedWorkload, MovedTo>();
  for (const placeOf of PLACES) {
    const keyOf = (workload: PlannedWorkload): string =>
      JSON.stringify([nameKey(workload), clusterOf(workload.application), placeOf(workload)]);
    const created = groupedBy(come, keyOf);
    const taken = new Set<PlannedWorkload>();
    for (const [key, [from, ...others]] of groupedBy(gone, keyOf)) {
      const [to, ...more] = created.get(key) ?? [];
      if (to === undefined || others.length + more.length > 0) continue;
      const { namespace, application } = to;
      const isElsewhere = application !== from.application;
      // Only its file moves.
      if (!isElsewhere && namespace === from.namespace) continue;
      moves.set(from, { namespace, ...(isElsewhere && application !== undefined ? { application } : {}) });
      taken.add(from).add(to);
    }
    gone = gone.filter((one) => !taken.has(one));
    come = come.filter((one) => !taken.has(one));
  }
  return moves;
}

/** What two workloads of one name have in common, if one is where the other has moved. */
const PLACES: readonly ((workload: PlannedWorkload) => string)[] = [
  ({ application = "" }) => application,
  ({ namespace }) => namespace,
  () => "",
];

/** The kind and name of a workload, in any namespace. */
function nameKey({ apiVersion, kind, name }: PlannedWorkload): string {
  return workloadKey({ group: groupOf(apiVersion), kind, name }, "");
}
