import { groupedBy } from "../../base/grouped.ts";
import type { ObjectName } from "../../base/names.ts";
import type { NotExamined } from "../../findings/not-examined/not-examined.ts";
import type { Safety } from "../../kubernetes/rollout/safety.ts";
import { isApplied, isFailing } from "../plan/counted.ts";
import type { Reason, SourceReason } from "../plan/plan-reasons.ts";
import type { PlanReport } from "../plan/plan-report.ts";
import type { Action, PlanFinding, PlannedWorkload } from "../plan/planned-workload.ts";
import type { PlannedApplication } from "../plan/planned-application.ts";
import type { UnrenderedCause } from "./audit-report.ts";

/** What one commit changed, as an audit follows it: plain data, without renderings and values. */
export interface CommitChanges {
  readonly workloads: readonly ChangedWorkload[];
  readonly unrendered: readonly UnrenderedApplication[];
  /** The applications whose files or rendering differ. */
  readonly touched: readonly string[];
  /** How many changed applications nothing in the repository deploys. */
  readonly orphans: number;
  /** Old names of applications by their new ones. */
  readonly renamed: readonly (readonly [from: string, to: string])[];
  /** What was not examined after the commit. */
  readonly notExamined: readonly NotExamined[];
}

export interface ChangedWorkload {
  readonly application: string;
  /** Its folder or file, if several of the application have an object of this name. */
  readonly part?: string;
  readonly workload: ObjectName;
  readonly action: Action;
  readonly pods: number;
  readonly safety: Safety;
  readonly reasons: readonly Reason[];
  /** The content that its pods see changed, with digests. */
  readonly content: readonly SourceReason[];
  /** Its pods are gone: it is scaled to 0. */
  readonly isStopped?: true;
  /** For a `Delete`: the application that has it now, under the same namespace and name. */
  readonly movedTo?: string;
}

export interface UnrenderedApplication {
  readonly application: string;
  readonly because: UnrenderedCause;
  /** Whether it could not be compared: the next commit is compared with the last one that could be rendered. */
  readonly isFailed: boolean;
}

/** The changes of a commit that breaks everything, as the repository has one configuration. */
export function nothingRendered(message: string): CommitChanges {
  const unrendered = [{ application: WHOLE, because: { message }, isFailed: true }];
  return { workloads: [], unrendered, touched: [], orphans: 0, renamed: [], notExamined: [] };
}

/** In place of the name of an application: the whole repository. */
export const WHOLE = "";

/** The application of what belongs to none. */
export const ROOT = ".";

/** The part of a plan that an audit follows. */
export function changesOfPlan(
  { workloads, findings, applications = [], notExamined }: PlanReport,
  { head, renamed }: { readonly head: string; readonly renamed: CommitChanges["renamed"] },
): CommitChanges {
  const touched = applications
    .filter(({ status, failedBefore }) => status !== "NotAffected" && failedBefore !== true)
    .map(({ name }) => name);
  const failed = applications
    .filter(isFailing)
    .map(({ name, message = "" }) => ({ application: name, because: { message }, isFailed: true }));
  const unread = findings.flatMap((finding): UnrenderedApplication[] => {
    const file = finding.id === "unreadable-manifest" ? finding.place?.file : undefined;
    if (file?.startsWith(`${head}:`) !== true) return [];
    return [{ application: ownerOf(file.slice(head.length + 1), applications), because: { finding }, isFailed: true }];
  });
  const missing = findings.filter(isUnrendered).map((finding): UnrenderedApplication => {
    const { application = ROOT } = finding;
    return { application, because: { finding }, isFailed: false };
  });
  const broken = new Set([...failed, ...unread].map(({ application }) => application));
  return {
    // What else of it was compared is compared again with the next commit that can be rendered.
    workloads: workloads.flatMap(changedWorkload).filter(({ application }) => !broken.has(application)),
    unrendered: [...groupedBy([...failed, ...unread, ...missing], ({ application }) => application).values()].flatMap(
      ([first]) => first ?? [],
    ),
    touched,
    orphans: applications.filter(({ status, orphan }) => status === "Changed" && orphan === true).length,
    renamed,
    notExamined,
  };
}

/** The application of plain manifests that a file is in. */
function ownerOf(file: string, applications: readonly PlannedApplication[]): string {
  const around = applications.filter(
    ({ kind, path }) => kind === "Files" && (path === "." || file.startsWith(`${path}/`)),
  );
  return around.toSorted((a, b) => b.path.length - a.path.length)[0]?.name ?? ROOT;
}

/** Whether a finding says that something of an application was not rendered. A removed source is no rendering. */
function isUnrendered({ id, cause, before, isNotApplied }: PlanFinding): boolean {
  return id === "RS024" && cause !== "sourceRemoved" && before !== true && isNotApplied !== true;
}

function changedWorkload(planned: PlannedWorkload): ChangedWorkload[] {
  const { apiVersion, kind, namespace, name, part, action, pods, safety } = planned;
  const { reasons, content = [], replicas, movedTo } = planned;
  if (!isApplied(planned) || action === "Create" || (action === "None" && content.length === 0)) return [];
  const { application = ROOT } = planned;
  const isMoved = movedTo !== undefined && movedTo.release === undefined && movedTo.namespace === namespace;
  return [
    {
      application,
      ...(part === undefined ? {} : { part }),
      workload: { apiVersion, kind, namespace, name },
      action,
      pods,
      safety,
      reasons,
      content,
      ...(replicas?.to === 0 ? { isStopped: true as const } : {}),
      ...(isMoved && movedTo.application !== undefined ? { movedTo: movedTo.application } : {}),
    },
  ];
}

/** Whether text from a cache, whose digest was checked, holds changes of a commit. */
export function isCommitChanges(data: unknown): data is CommitChanges {
  return typeof data === "object" && data !== null && "workloads" in data && Array.isArray(data.workloads);
}
