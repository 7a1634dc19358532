import type { PlannedApplication, PlannedWorkload, PlanReport } from "../reports/plan/plan-report.ts";
import { alikeGroups } from "../base/alike.ts";
import { counted, saysPath } from "../base/words.ts";

// What the forms of a plan say of its applications, in no form yet.

/** Where a workload is, if that has to be told: the folder or file that it is looked at with, else its application. */
export function placeOf({ part, application }: Pick<PlannedWorkload, "part" | "application">): string | undefined {
  return part ?? (application === "." ? undefined : application);
}

/** Applications that can't be rendered for one reason. */
export interface FailedGroup {
  /** Which, in one line. */
  readonly title: string;
  /** Their names, where they are several. */
  readonly names: readonly string[];
  readonly message: string;
  /** They can't be rendered in the base either. */
  readonly isBefore: boolean;
}

/** What is said of those that the change doesn't break. */
export const FAILED_BEFORE = "failed in both revisions";

/** The applications that can't be rendered, those that fail alike together; first those that the change breaks. */
export function failedGroups({ applications = [] }: Pick<PlanReport, "applications">): readonly FailedGroup[] {
  const failed = applications.filter(({ status }) => status === "Failed");
  const inOrder = failed.toSorted((a, b) => Number(isBefore(a)) - Number(isBefore(b)));
  return alikeGroups(inOrder, ({ message = "", missing, failedBefore }) => ({
    message,
    ...(missing === undefined ? {} : { missing }),
    apart: String(failedBefore === true),
  })).map(({ all, message }) => ({
    title: all.length > 1 ? counted(all.length, "application") : applicationTitle(all[0]),
    names: all.length > 1 ? all.map(({ name }) => name) : [],
    message,
    isBefore: isBefore(all[0]),
  }));
}

function isBefore({ failedBefore }: PlannedApplication): boolean {
  return failedBefore === true;
}

/** `Kustomize overlays/prod`, with its path where the name does not say it. */
export function applicationTitle({ name, path, kind, cluster }: PlannedApplication): string {
  const more = [...(saysPath(name, path) ? [] : [path]), ...(cluster === undefined ? [] : [`cluster ${cluster}`])];
  return `${kind} ${name}${more.length === 0 ? "" : ` (${more.join(", ")})`}`;
}

/** An application that differs, with what it comes to. */
export interface ApplicationRow {
  readonly application: PlannedApplication;
  /** The workloads in which something changes. */
  readonly workloads: number;
  readonly pods: number;
}

/** The rows in which a workload changes. */
export function rowsWithWorkloads(rows: readonly ApplicationRow[]): readonly ApplicationRow[] {
  return rows.filter(({ workloads }) => workloads > 0);
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

/** `12 applications: 3 changed (2 of them in no workload), 9 not affected`; undefined where a plan is over none, or over one. */
export function applicationCounts(report: PlanReport): string | undefined {
  const { applications = [] } = report;
  const [first] = applications;
  if (applications.length < 2 && first?.status !== "Failed") return undefined;
  const count = (status: PlannedApplication["status"], words: string): string[] => {
    const n = applications.filter((application) => application.status === status).length;
    return n === 0 ? [] : [`${n} ${words}`];
  };
  const rows = applicationRows(report);
  const without = rows.length - rowsWithWorkloads(rows).length;
  const parts = [
    ...count("Failed", "can't be rendered"),
    ...count("Changed", without === 0 ? "changed" : `changed (${without} of them in no workload)`),
    ...count("Unchanged", "unchanged"),
    ...count("NotAffected", "not affected"),
  ];
  return `${counted(applications.length, "application")}: ${parts.join(", ")}`;
}
