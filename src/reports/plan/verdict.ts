import type { Account } from "../../findings/not-examined/not-examined.ts";
import { isApplied } from "./counted.ts";
import { identityOf, judgedOf, type Judgeable } from "./judged.ts";
import type { Judged, Level, PlanReport, Verdict } from "./plan-report.ts";
import type { PlannedApplication } from "./planned-application.ts";

export type JudgedPlan = Judgeable &
  Pick<PlanReport, "summary"> &
  Partial<Pick<Account, "notExamined"> & Pick<PlanReport, "moreUnread">>;

/** The verdict on a plan: its worst row. */
export function verdictOf(plan: JudgedPlan): Verdict {
  const rows = judgedOf(plan);
  const worst = rows.find(({ level }) => isBad(level));
  if (worst?.level === undefined) return okVerdict(plan, rows);
  const alike = rows.filter(({ level }) => isBad(level) && isReview(level) === isReview(worst.level));
  const subjects = new Set([worst, ...alike].filter(isCounted).map(({ subject }) => identityOf(subject)));
  return {
    level: worst.level,
    because: { id: "row", row: worst },
    more: subjects.size - (isCounted(worst) ? 1 : 0),
  };
}

function isBad(level: Level | undefined): boolean {
  return level !== undefined && level !== "ok";
}

/** `refused` and `danger` both begin with "Do not merge:". */
function isReview(level: Level | undefined): boolean {
  return level === "attention";
}

/** Only workloads, objects, files and applications are counted. */
function isCounted({ subject }: Judged): boolean {
  return subject.is !== "limit";
}

function okVerdict(plan: JudgedPlan, rows: readonly Judged[]): Verdict {
  const { summary, workloads, applications = [], notExamined = [], unread = [], moreUnread = 0 } = plan;
  const applied = workloads.filter(isApplied);
  // What rolls with an accepted risk has no level, and rolls too.
  const rolling = rows.filter(
    ({ subject }) => subject.is === "workload" && subject.workload.action === "Roll" && isApplied(subject.workload),
  );
  const [row] = rolling;
  if (row !== undefined) return { level: "ok", because: { id: "row", row }, more: rolling.length - 1 };
  if (summary.workloads === 0 && applications.length === 0)
    return { level: "attention", because: { id: "no-workload" }, more: 0 };
  const waiting = applied.filter(({ action }) => action === "Waiting").length;
  const changes = applied.filter(({ action }) => action !== "None").length - waiting;
  const { otherObjects } = summary;
  const isComplete = notExamined.length === 0;
  const because = {
    id: "no-rollouts" as const,
    changes,
    waiting,
    otherObjects,
    unread: unread.length + moreUnread,
    orphans: orphansAlone(applications),
    isComplete,
  };
  return { level: "ok", because, more: 0 };
}

/** How many orphans change, if no other application does: then "no rollouts" may only mean that nothing here deploys them. */
function orphansAlone(applications: readonly PlannedApplication[]): number {
  const changed = applications.filter(({ status }) => status === "Changed" || status === "Failed");
  return changed.every(({ orphan }) => orphan === true) ? changed.length : 0;
}
