import type { FindingId } from "../../findings/catalogue/catalogue.ts";
import type { Account } from "../../findings/not-examined/not-examined.ts";
import type { Safety } from "../../kubernetes/rollout/safety.ts";
import { isError, newFindings } from "./limits.ts";
import type {
  Level,
  PlanFinding,
  PlannedWorkload,
  RolloutPlan,
  Verdict,
  VerdictReason,
  WorkloadEffect,
} from "./plan-report.ts";

type Judged = Pick<RolloutPlan, "summary" | "workloads" | "findings" | "exceeded" | "applications"> &
  Partial<Pick<Account, "notExamined">>;

interface Row {
  readonly level: Exclude<Level, "ok">;
  readonly reasons: (plan: Judged) => readonly VerdictReason[];
}

/** From worst to best: the first row that applies decides. */
const ROWS: readonly Row[] = [
  { level: "refused", reasons: byWorkload("refused", ({ action }) => action === "Fail") },
  { level: "refused", reasons: (plan) => asReasons(errorsOf(plan).filter(({ id }) => id === "RS006")) },
  {
    level: "danger",
    reasons: ({ applications = [] }) =>
      applications
        .filter(({ status }) => status === "Failed")
        .toSorted((a, b) => Number(a.failedBefore === true) - Number(b.failedBefore === true))
        .map((application) => ({ id: "failed-application", application })),
  },
  { level: "danger", reasons: bySafety("outage", "Outage") },
  { level: "danger", reasons: bySafety("may-stick", "MayStick") },
  { level: "danger", reasons: ({ exceeded }) => exceeded.map((limit) => ({ id: "exceeded-limit", limit })) },
  { level: "danger", reasons: (plan) => asReasons(errorsOf(plan).filter(({ id }) => id !== "RS006")) },
  { level: "attention", reasons: bySafety("waits", "Waits") },
  { level: "attention", reasons: bySafety("reduced", "Reduced") },
  {
    level: "attention",
    reasons: byWorkload("deleted", ({ action, safety }) => action === "Delete" && safety !== "Safe"),
  },
  { level: "attention", reasons: bySafety("unknown", "Unknown") },
  { level: "attention", reasons: byFinding("cross-application-change") },
  { level: "attention", reasons: byFinding("suspended-application") },
  { level: "attention", reasons: byFinding("RS024") },
  {
    level: "attention",
    reasons: ({ summary: { workloads }, applications = [] }) =>
      workloads === 0 && applications.length === 0 ? [{ id: "no-workload" }] : [],
  },
];

/** The verdict on a plan. */
export function verdictOf(plan: Judged): Verdict {
  const found = ROWS.flatMap(({ level, reasons }) => reasons(plan).map((because) => ({ level, because })));
  const [worst] = found;
  if (worst === undefined) return okVerdict(plan);
  const same = found.filter(({ level }) => (level === "attention") === (worst.level === "attention"));
  const subjects = new Set(same.flatMap(({ because }) => subjectOf(because) ?? []));
  const subject = subjectOf(worst.because);
  return { ...worst, more: subjects.size - (subject === undefined ? 0 : 1) };
}

function subjectOf(reason: VerdictReason): object | undefined {
  if (reason.id === "workload") return reason.workload;
  if (reason.id === "finding") return reason.finding;
  return reason.id === "failed-application" ? reason.application : undefined;
}

function okVerdict({ summary, workloads, notExamined = [] }: Judged): Verdict {
  const rolling = workloads.filter(({ action }) => action === "Roll");
  const [workload] = rolling.toSorted((a, b) => b.pods - a.pods);
  if (workload !== undefined)
    return { level: "ok", because: { id: "workload", effect: "rolls", workload }, more: rolling.length - 1 };
  const waiting = workloads.filter(({ action }) => action === "Waiting").length;
  const changes = workloads.filter(({ action }) => action !== "None").length - waiting;
  const { otherObjects } = summary;
  const isComplete = notExamined.length === 0;
  return { level: "ok", because: { id: "no-rollouts", changes, waiting, otherObjects, isComplete }, more: 0 };
}

function byWorkload(effect: WorkloadEffect, matches: (workload: PlannedWorkload) => boolean): Row["reasons"] {
  return ({ workloads }) => workloads.filter(matches).map((workload) => ({ id: "workload", effect, workload }));
}

/** Refused and deleted workloads have their own rows. */
function bySafety(effect: WorkloadEffect, safety: Safety): Row["reasons"] {
  return byWorkload(
    effect,
    (workload) => workload.safety === safety && workload.action !== "Fail" && workload.action !== "Delete",
  );
}

/** Findings that need attention at any severity. */
function byFinding(id: FindingId): Row["reasons"] {
  return ({ findings }) => asReasons(findings.filter((finding) => finding.id === id));
}

function asReasons(findings: readonly PlanFinding[]): readonly VerdictReason[] {
  return findings.map((finding) => ({ id: "finding", finding }));
}

/** New errors, except those of refused workloads. */
function errorsOf(plan: Judged): readonly PlanFinding[] {
  const refused = new Set(plan.workloads.filter(({ action }) => action === "Fail").flatMap(({ findings }) => findings));
  return newFindings(plan).filter((finding) => isError(finding) && !refused.has(finding));
}
