import type { Account } from "../../findings/not-examined/not-examined.ts";
import { judgedOf, type Judgeable } from "./judged.ts";
import type { Judged, Level, PlanReport, Verdict } from "./plan-report.ts";

export type JudgedPlan = Judgeable &
  Pick<PlanReport, "summary"> &
  Partial<Pick<Account, "notExamined"> & Pick<PlanReport, "moreUnread">>;

/** The verdict on a plan: its worst row. */
export function verdictOf(plan: JudgedPlan): Verdict {
  const rows = judgedOf(plan).filter(({ level }) => level !== undefined && level !== "ok");
  const [worst] = rows;
  if (worst?.level === undefined) return okVerdict(plan);
  const alike = rows.filter(({ level }) => isAdviceOf(level) === isAdviceOf(worst.level));
  return {
    level: worst.level,
    because: { id: "row", row: worst },
    more: alike.filter(isCounted).length - (isCounted(worst) ? 1 : 0),
  };
}

/** `refused` and `danger` both begin with "Do not merge:". */
function isAdviceOf(level: Level | undefined): boolean {
  return level === "attention";
}

/** Only workloads, objects and applications are counted, each once. */
function isCounted({ subject }: Judged): boolean {
  return subject.is !== "limit";
}

function okVerdict(plan: JudgedPlan): Verdict {
  const { summary, workloads, applications = [], notExamined = [], unread = [], moreUnread = 0 } = plan;
  const rolling = judgedOf(plan).filter(({ label, level }) => label === "rolls" && level === "ok");
  const [row] = rolling;
  if (row !== undefined) return { level: "ok", because: { id: "row", row }, more: rolling.length - 1 };
  if (summary.workloads === 0 && applications.length === 0)
    return { level: "attention", because: { id: "no-workload" }, more: 0 };
  const waiting = workloads.filter(({ action }) => action === "Waiting").length;
  const changes = workloads.filter(({ action }) => action !== "None").length - waiting;
  const { otherObjects } = summary;
  const isComplete = notExamined.length === 0;
  const because = {
    id: "no-rollouts" as const,
    changes,
    waiting,
    otherObjects,
    unread: unread.length + moreUnread,
    isComplete,
  };
  return { level: "ok", because, more: 0 };
}
