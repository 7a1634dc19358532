import type { PlannedApplication, PlannedWorkload, PlanReport } from "../plan/plan-report.ts";
import { counted } from "../ground/words.ts";

// What the forms of a plan say of its applications, in no form yet.

/** Where a workload is, if that has to be told: the folder or file that it is looked at with, else its application. */
export function placeOf({ part, application }: Pick<PlannedWorkload, "part" | "application">): string | undefined {
  return part ?? (application === "." ? undefined : application);
}

/** The applications that can't be rendered. */
export function failedApplications({
  applications = [],
}: Pick<PlanReport, "applications">): readonly PlannedApplication[] {
  return applications.filter(({ status }) => status === "Failed");
}

/** `Kustomize overlays/prod`, with its path where that is another text. */
export function applicationTitle({ name, path, kind, cluster }: PlannedApplication): string {
  const more = [...(path === name ? [] : [path]), ...(cluster === undefined ? [] : [`cluster ${cluster}`])];
  return `${kind} ${name}${more.length === 0 ? "" : ` (${more.join(", ")})`}`;
}

/** An application that differs, with what it comes to. */
export interface ApplicationRow {
  readonly application: PlannedApplication;
  /** The workloads in which something changes. */
  readonly workloads: number;
  readonly pods: number;
}

/** The applications that differ, by cluster, then what replaces the most pods; none where there is but one application. */
export function applicationRows({ applications = [], workloads }: PlanReport): readonly ApplicationRow[] {
  if (applications.length < 2) return [];
  const sums = new Map<string, { workloads: number; pods: number }>();
  for (const { application = "", action, pods } of workloads) {
    if (action === "None") continue;
    const sum = sums.get(application) ?? { workloads: 0, pods: 0 };
    sums.set(application, { workloads: sum.workloads + 1, pods: sum.pods + pods });
  }
  return applications
    .filter(({ status }) => status === "Changed")
    .map((application) => ({ application, ...(sums.get(application.name) ?? { workloads: 0, pods: 0 }) }))
    .sort((a, b) => byCluster(a, b) || b.pods - a.pods || b.workloads - a.workloads);
}

function byCluster({ application: a }: ApplicationRow, { application: b }: ApplicationRow): number {
  const [one, other] = [a.cluster ?? "", b.cluster ?? ""];
  return one < other ? -1 : one > other ? 1 : 0;
}

/** The applications of one cluster that differ; `cluster` is undefined where none is told. */
export interface ClusterRows {
  readonly cluster: string | undefined;
  readonly rows: readonly ApplicationRow[];
  readonly workloads: number;
  readonly pods: number;
}

/** The rows by their clusters, in their order. */
export function clusterRows(rows: readonly ApplicationRow[]): readonly ClusterRows[] {
  const byName = new Map<string | undefined, ApplicationRow[]>();
  for (const row of rows) {
    const { cluster } = row.application;
    byName.set(cluster, [...(byName.get(cluster) ?? []), row]);
  }
  return [...byName].map(([cluster, own]) => ({
    cluster,
    rows: own,
    workloads: own.reduce((sum, { workloads }) => sum + workloads, 0),
    pods: own.reduce((sum, { pods }) => sum + pods, 0),
  }));
}

/** What else there is to say of a row: `added`. */
export function rowNotes({ application: { change, cluster } }: ApplicationRow): string {
  return [
    ...(change === undefined ? [] : [change.toLowerCase()]),
    ...(cluster === undefined ? [] : [`cluster ${cluster}`]),
  ].join(", ");
}

/** `12 applications: 3 changed, 9 not affected`; undefined where a plan is over none, or over one. */
export function applicationCounts({ applications = [] }: Pick<PlanReport, "applications">): string | undefined {
  const [first] = applications;
  if (applications.length < 2 && first?.status !== "Failed") return undefined;
  const count = (status: PlannedApplication["status"], words: string): string[] => {
    const n = applications.filter((application) => application.status === status).length;
    return n === 0 ? [] : [`${n} ${words}`];
  };
  const parts = [
    ...count("Failed", "can't be rendered"),
    ...count("Changed", "changed"),
    ...count("Unchanged", "unchanged"),
    ...count("NotAffected", "not affected"),
  ];
  return `${counted(applications.length, "application")}: ${parts.join(", ")}`;
}
