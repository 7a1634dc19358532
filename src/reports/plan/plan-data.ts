import { groupedBy } from "../../base/grouped.ts";
import type { Account, Examined, NotExamined } from "../../findings/not-examined/not-examined.ts";
import type { KeptNamespaces } from "./last-workloads.ts";
import { isBroken } from "./counted.ts";
import { failedGates, type Limits } from "./limits.ts";
import { joinParts, type PlanPart } from "./parts.ts";
import { worstFirst } from "./plan-findings.ts";
import type { ComparedAs, PlanReport, RolloutPlan, UnreadFile } from "./plan-report.ts";
import type { PlanFinding } from "./planned-workload.ts";
import type { ApplicationStatus, PlannedApplication } from "./planned-application.ts";
import { verdictOf } from "./verdict.ts";

/** The data of a plan over applications: of the whole plan or of one shard. */
export interface PlanData {
  readonly as: ComparedAs;
  readonly parts: readonly OrderedPart[];
  readonly applications: readonly PlacedApplication[];
  /** Findings from reading plain manifests. */
  readonly findings: readonly PlanFinding[];
  /** What was not examined outside of all parts. */
  readonly notExamined: readonly NotExamined[];
  /** What was examined in plain manifests. */
  readonly examined: Examined;
  /** Where applications without a part have workloads, as far as someone looked at them. */
  readonly kept: readonly KeptNamespaces[];
  /** The changed files that nothing reads. */
  readonly unread: readonly UnreadFile[];
}

/** The result of one comparison, with its position in the whole plan. */
export interface OrderedPart {
  readonly order: number;
  readonly part: PlanPart | undefined;
  readonly notExamined: readonly NotExamined[];
}

/** An application, with its position in the whole plan. */
export interface PlacedApplication {
  readonly place: number;
  readonly application: PlannedApplication;
}

/** The report of a plan over applications, from one run or several shards. */
export function reportOfData(data: PlanData, limits: Limits): PlanReport {
  const parts = data.parts.toSorted((a, b) => a.order - b.order);
  const applications = data.applications
    .toSorted((a, b) => RANK[a.application.status] - RANK[b.application.status] || a.place - b.place)
    .map(({ application }) => application);
  const plan = joinParts(
    parts.flatMap(({ part }) => part ?? []),
    limits,
    data.as,
    { applications, kept: data.kept },
  );
  return reportOf(
    { ...plan, applications, ...unreadOf(data) },
    data.findings,
    {
      examined: examinedWith(data.examined, applications),
      notExamined: eachOnce([...parts.flatMap((part) => part.notExamined), ...data.notExamined]),
    },
    limits,
  );
}

/** How many files that nothing reads a report has. */
const MOST_UNREAD = 200;

function unreadOf({ unread }: PlanData): Pick<RolloutPlan, "unread" | "moreUnread"> {
  const more = unread.length - MOST_UNREAD;
  return { unread: unread.slice(0, MOST_UNREAD), ...(more > 0 ? { moreUnread: more } : {}) };
}

/** A plan with the findings from reading its sides, the verdict on the whole, and the gates that it fails. */
export function reportOf(
  plan: RolloutPlan,
  findings: readonly PlanFinding[],
  { examined, notExamined }: Account,
  { failOn }: Pick<Limits, "failOn">,
): PlanReport {
  const report = {
    ...plan,
    findings: worstFirst([...findings, ...plan.findings]),
    examined: { ...examined, workloads: plan.summary.workloads },
    notExamined,
  };
  const exceeded = [...plan.exceeded, ...failedGates(report, failOn)];
  return { verdict: isUnexamined(report) ? null : verdictOf(report), ...report, exceeded };
}

/** Whether nothing was examined, and nothing is broken: no change would look like a safe one. */
function isUnexamined({ applications = [], ...account }: Account & Pick<RolloutPlan, "applications">): boolean {
  const { workloads, applications: rendered = 0 } = account.examined;
  if (workloads > 0 || rendered > 0 || applications.some(isBroken)) return false;
  return account.notExamined.length > 0 || applications.some(({ status }) => status === "Failed");
}

/** Joins the data of several shards. */
export function mergedData(shards: readonly PlanData[]): PlanData {
  const sum = (count: (examined: Examined) => number): number =>
    shards.reduce((all, { examined }) => all + count(examined), 0);
  return {
    // All shards of a plan have the same options.
    as: shards[0]?.as ?? "applied",
    parts: shards.flatMap(({ parts }) => parts),
    applications: shards.flatMap(({ applications }) => applications),
    findings: shards.flatMap(({ findings }) => findings),
    kept: shards.flatMap(({ kept }) => kept),
    notExamined: shards.flatMap(({ notExamined }) => notExamined),
    examined: {
      files: sum(({ files }) => files),
      objects: sum(({ objects }) => objects),
      workloads: 0,
      otherFiles: sum(({ otherFiles }) => otherFiles),
    },
    unread: shards.flatMap(({ unread }) => unread),
  };
}

/** The order of applications in a report: failed ones come first. */
const RANK: Readonly<Record<ApplicationStatus, number>> = { Failed: 0, Changed: 1, Unchanged: 2, NotAffected: 3 };

/** What was examined: each application that was rendered counts as a file. */
function examinedWith(plain: Examined, applications: readonly PlannedApplication[]): Examined {
  const all = applications.filter(({ status, unrendered }) => status !== "Failed" && unrendered !== true);
  const rendered = all.filter((application) => !isPlain(application) && application.status !== "NotAffected");
  return {
    ...plain,
    files: plain.files + rendered.length,
    // Plain manifests that were read count by their workloads.
    applications: all.filter((application) => !isPlain(application) || plain.files === 0).length,
  };
}

function isPlain({ kind, foundBy }: PlannedApplication): boolean {
  return foundBy === undefined ? kind === "Files" || kind === "Kpt" : foundBy === "Manifests" || foundBy === "Kptfile";
}

function eachOnce(rows: readonly NotExamined[]): NotExamined[] {
  const same = groupedBy(rows, ({ kind, path, name = "" }) => `${kind}\n${path}\n${name}`);
  return [...same.values()].map(([first]) => first);
}
