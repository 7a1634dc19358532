import { counted, formatNumber, pluralize } from "../base/words.ts";
import { DONE, type ExitStatus } from "../base/errors.ts";
import { isApplied, isError, isFailing, isHeldBack, newFindings, refusedObjects } from "../reports/plan/counted.ts";
import { blockingOption } from "../reports/plan/limits.ts";
import type { PlanReport } from "../reports/plan/plan-report.ts";
import type { PlannedApplication } from "../reports/plan/planned-application.ts";
import { momentWords } from "../stamping/waves/words.ts";
import { code } from "./document/blocks.ts";
import type { Words } from "./document/document.ts";
import { limitText, podsText } from "./plan-words.ts";

// The last lines of a report: how many workloads there are of each kind, and what the exit status means. A number that is
// zero is left out.

/** What the workloads do, by number: `10 roll (23 to 41 pods, 1 DaemonSet), 1 at its next run`. */
export function changesText(report: PlanReport): string {
  const { summary, workloads } = report;
  const { fails, rolls, deletes, lost, stale, nextRuns, creates, noEffects, reloads } = summary;
  const scaled = workloads.filter((workload) => workload.action === "Scale" && isApplied(workload));
  const toNone = scaled.filter(({ replicas }) => replicas?.to === 0).length;
  const hasChange = fails + rolls + deletes + creates > 0;
  const parts = [
    ...(fails === 0 ? [] : [`${formatNumber(fails)} refused`]),
    ...(rolls === 0
      ? hasChange
        ? []
        : ["no rollouts"]
      : [`${counted(rolls, "rolls", "roll")}${rollingText(report)}`]),
    ...some(deletes, "deleted"),
    ...some(lost, "with a lost source"),
    ...some(toNone, "scaled to 0"),
    ...some(stale, "stale"),
    ...some(nextRuns, pluralize(nextRuns, "at its next run", "at the next run")),
    ...some(creates, "created"),
    ...some(scaled.length - toNone, "scaled"),
    ...some(noEffects, "without effect"),
    ...some(reloads, pluralize(reloads, "reloads", "reload")),
    ...scheduleTexts(report.schedule),
  ];
  const { held } = summary;
  const later =
    held.workloads === 0 ? "" : `; held: ${counted(held.workloads, "workload")}${behind(podsText(held.pods))}`;
  return `${parts.join(", ")}${later}.`;
}

function some(n: number, words: string): string[] {
  return n === 0 ? [] : [`${formatNumber(n)} ${words}`];
}

function behind(text: string | undefined): string {
  return text === undefined ? "" : ` (${text})`;
}

/** The pods of what rolls. How many nodes run a DaemonSet is unknown. */
function rollingText({ summary: { pods, podsAtMost }, workloads }: PlanReport): string {
  const nodes = workloads.filter(
    (workload) => workload.action === "Roll" && workload.kind === "DaemonSet" && isApplied(workload),
  ).length;
  const parts = [podsText(pods, podsAtMost), nodes === 0 ? undefined : counted(nodes, "DaemonSet")];
  const known = parts.filter((part) => part !== undefined);
  return behind(known.length === 0 ? undefined : known.join(", "));
}

/** `12 wait, next window Sunday 02:00 UTC`. */
function scheduleTexts(schedule: PlanReport["schedule"]): string[] {
  if (schedule === undefined || schedule.waiting === 0) return [];
  const { waiting, ready = 0, at, nextWindow } = schedule;
  const free = ready > 0 && nextWindow !== undefined ? [`${ready} of them for no window`] : [];
  const next =
    at === undefined || nextWindow === undefined
      ? []
      : [`next window ${momentWords(new Date(nextWindow), new Date(at))}`];
  return [counted(waiting, "waits", "wait"), ...free, ...next];
}

/** What was checked: `26 workloads checked in 2 applications; 3 not affected. 6 existing findings (--all shows them).` */
export function checkedText(report: PlanReport, hasHint: boolean): string {
  const { summary, applications = [], findingsBefore } = report;
  const compared = applications.filter(isCompared);
  const [only, ...others] = compared;
  const where =
    applications.length < 2 || only === undefined
      ? ""
      : others.length === 0
        ? ` in ${only.name}`
        : ` in ${counted(compared.length, "application")}`;
  const checked = summary.workloads === 0 ? [] : [`${counted(summary.workloads, "workload")} checked${where}`];
  const rest = applicationTexts(applications, summary.workloads > 0);
  const hint = hasHint ? " (--all shows them)" : "";
  return [
    ...(checked.length + rest.length === 0
      ? []
      : [`${[...checked, ...(rest.length === 0 ? [] : [rest.join(", ")])].join("; ")}.`]),
    ...(findingsBefore === 0 ? [] : [`${counted(findingsBefore, "existing finding")}${hint}.`]),
  ].join(" ");
}

/** Whether an application was compared, and something applies it. */
export function isCompared({ status, orphan }: PlannedApplication): boolean {
  return (status === "Changed" || status === "Unchanged") && orphan !== true;
}

/**
 * The applications in which nothing was checked, or nothing counts: `1 application failed, 2 held, 3 not affected`. If no
 * workload was checked, those whose renderings are equal too.
 */
function applicationTexts(applications: readonly PlannedApplication[], hasWorkloads: boolean): string[] {
  const known = applications.filter(({ orphan }) => orphan !== true);
  const idle = known.filter(({ status }) => status === "NotAffected");
  const counts: readonly (readonly [number, string])[] = [
    [known.filter(({ status }) => status === "Failed").length, "failed"],
    [known.filter((application) => isHeldBack(application) && isCompared(application)).length, "held"],
    [hasWorkloads ? 0 : known.filter(({ status }) => status === "Unchanged").length, "rendered without a difference"],
    [idle.length, "not affected"],
  ];
  return counts
    .filter(([n]) => n > 0)
    .map(([n, words], i) => (i === 0 ? `${counted(n, "application")} ${words}` : `${formatNumber(n)} ${words}`));
}

/** What the exit status means: which option would block a dangerous change, or what blocked this one. */
export function gateWords(report: PlanReport, status: ExitStatus): Words | undefined {
  if (report.verdict === null) return ["Exit status 2: nothing was examined"];
  if (status === DONE) {
    const option = report.verdict.level === "danger" ? blockingOption(report) : undefined;
    return option === undefined ? undefined : ["Exit status 0. To block this merge: ", code(option)];
  }
  const blocking = blockedBy(report);
  return blocking.length === 0 ? undefined : [`Exit status ${status}: ${blocking.join("; ")}`];
}

function blockedBy(report: PlanReport): readonly string[] {
  const { summary, exceeded, applications = [] } = report;
  const failed = applications.filter(isFailing);
  const errors = newFindings(report).filter(isError).length;
  const objects = refusedObjects(report).length;
  return [
    ...(summary.fails === 0 ? [] : [counted(summary.fails, "workload is refused", "workloads are refused")]),
    ...(objects === 0 ? [] : [counted(objects, "other object is refused", "other objects are refused")]),
    ...(failed.length === 0
      ? []
      : [counted(failed.length, "application cannot be rendered", "applications cannot be rendered")]),
    ...exceeded.map(limitText),
    ...(errors === 0 || summary.fails > 0
      ? []
      : [counted(errors, "new finding is an error", "new findings are errors")]),
  ];
}
