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
  /** The applications that only the base can't render: what the commit changes in them is unknown. */
  readonly baseFailed: readonly string[];
  /** Whether something that the commit touches is outside of the repository and was not fetched, in either revision. */
  readonly lacks: boolean;
  /** The applications whose files or rendering differ. */
  readonly touched: readonly string[];
  /** How many applications with changed files nothing in the repository deploys. */
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
  /** The base has the same unreadable file: the rest was compared. */
  readonly isBefore?: true;
}

/** The changes of a commit that breaks everything, as the repository has one configuration. */
export function nothingRendered(message: string): CommitChanges {
  const unrendered = [{ application: WHOLE, because: { message }, isFailed: true }];
  return { ...NO_CHANGES, unrendered };
}

/** The changes of a commit that has nothing to be compared with, such as the first one. */
export const NO_CHANGES: CommitChanges = {
  workloads: [],
  unrendered: [],
  baseFailed: [],
  lacks: false,
  touched: [],
  orphans: 0,
  renamed: [],
  notExamined: [],
};

/** In place of the name of an application: the whole repository. */
export const WHOLE = "";

/** The application of what belongs to none. */
export const ROOT = ".";

/** The revisions of a plan. */
interface Between {
  /** The name of the head in messages. */
  readonly head: string;
  readonly renamed: CommitChanges["renamed"];
}

/** The part of a plan that an audit follows. */
export function changesOfPlan(
  { workloads, findings, applications = [], notExamined }: PlanReport,
  { head, renamed }: Between,
): CommitChanges {
  const touched = applications
    .filter(({ status, failedBefore }) => status !== "NotAffected" && failedBefore !== true)
    .map(({ name }) => name);
  const failing = applications.filter(isFailing).filter((one, _, all) => !isPartOfOther(one, all));
  const failed = failing
    .filter(({ baseFailed }) => baseFailed !== true)
    .map(({ name, message = "" }): UnrenderedApplication => ({
      application: name,
      because: { message: withoutRevision(message, head) },
      isFailed: true,
    }));
  const unreadable = new Map(
    findings.flatMap((finding) => unreadFile(finding, head).map((file) => [file, finding] as const)),
  );
  const unread = [...unreadable].flatMap(([file, finding]): UnrenderedApplication[] => {
    const application = ownerOf(file, applications);
    const isBefore = finding.before === true;
    if (isBefore && !touched.includes(application)) return [];
    const because = { finding: { ...finding, place: { ...finding.place, file } } };
    return [{ application, because, isFailed: true, ...(isBefore ? { isBefore } : {}) }];
  });
  const missing = findings.filter(isUnrendered).map((finding): UnrenderedApplication => {
    const { application = ROOT } = finding;
    return { application, because: { finding }, isFailed: false };
  });
  return {
    workloads: workloads.flatMap(changedWorkload),
    // What is new tells more than what was there before.
    unrendered: [...groupedBy([...failed, ...unread, ...missing], ({ application }) => application).values()].map(
      (rows) => rows.find(({ isFailed, isBefore }) => isFailed && isBefore !== true) ?? rows[0],
    ),
    baseFailed: failing.flatMap(({ name, baseFailed }) => (baseFailed === true ? [name] : [])),
    lacks: findings.some(({ id }) => id === "RS024"),
    touched,
    orphans: applications.filter(({ status, orphan }) => status === "Changed" && orphan === true).length,
    renamed,
    notExamined,
  };
}

/** Text without the name of the revision that it is about: commits that fail for the same reason have the same message. */
export function withoutRevision(text: string, revision: string): string {
  const prefix = `in ${revision}: `;
  const rest = text.startsWith(prefix) ? text.slice(prefix.length) : text;
  return rest.replaceAll(`${revision}:`, "").replaceAll(` in ${revision}`, "");
}

/** The file of a revision that a finding could not read. */
function unreadFile({ id, place }: PlanFinding, revision: string): readonly string[] {
  const file = id === "unreadable-manifest" ? place?.file : undefined;
  return file?.startsWith(`${revision}:`) === true ? [file.slice(revision.length + 1)] : [];
}

/** Whether what could not be made an application is a folder of another one, which fails because of it. */
function isPartOfOther({ foundBy, path }: PlannedApplication, failing: readonly PlannedApplication[]): boolean {
  return foundBy === undefined && failing.some((other) => other.foundBy !== undefined && isBelow(other.path, path));
}

function isBelow(folder: string, file: string): boolean {
  return folder === "." || file.startsWith(`${folder}/`);
}

/** The application of plain manifests that a file is in. */
function ownerOf(file: string, applications: readonly PlannedApplication[]): string {
  const around = applications.filter(({ kind, path }) => kind === "Files" && isBelow(path, file));
  return around.toSorted((a, b) => b.path.length - a.path.length)[0]?.name ?? ROOT;
}

/** Causes of RS024 that are about no rendering of the commit itself. */
const NO_RENDERING: ReadonlySet<string> = new Set(["sourceRemoved", "dependencyMissing", "notPermitted"]);

/** Whether a finding says that something of an application, which the commit touches, was not rendered after it. */
function isUnrendered(finding: PlanFinding): boolean {
  if (finding.id !== "RS024" || finding.before === true || finding.isNotApplied === true) return false;
  if (NO_RENDERING.has(finding.cause) || finding.isOfBase === true) return false;
  return finding.cause === "notRendered" || finding.cause === "notFetched" ? finding.params.change !== "removed" : true;
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
