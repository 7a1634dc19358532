import type { Account } from "../../findings/not-examined/not-examined.ts";
import type { FindingId } from "../../findings/catalogue/catalogue.ts";
import { counted } from "../../base/words.ts";
import { ownFindings } from "./limits.ts";
import type { Level, PlannedApplication, PlannedWorkload, RolloutPlan, Verdict } from "./plan-report.ts";
import type { Safety } from "../../kubernetes/rollout/safety.ts";

/** What of a plan a verdict is made of. */
type Judged = Pick<RolloutPlan, "summary" | "workloads" | "findings" | "exceeded" | "applications"> &
  Partial<Pick<Account, "notExamined">>;

/** Something that decides: told where there is any of it. */
interface Row {
  readonly level: Level;
  readonly told: (report: Judged) => string | undefined;
}

/** The worst level of which there is something decides; what else is told stands behind it. */
const ROWS: readonly Row[] = [
  {
    level: "refused",
    told: ({ summary: { fails } }) => some(fails, "workload fails to apply", "workloads fail to apply"),
  },
  {
    level: "refused",
    told: (report) => some(errorsOf(report, true), "source is refused", "sources are refused"),
  },
  {
    level: "danger",
    told: ({ applications = [] }) => unrendered(applications.filter(({ status }) => status === "Failed")),
  },
  { level: "danger", told: bySafety("Outage", "workload has no pod for a while", "workloads have no pod for a while") },
  { level: "danger", told: bySafety("MayStick", "rollout can hang half-way", "rollouts can hang half-way") },
  { level: "danger", told: ({ exceeded }) => some(exceeded.length, "limit is exceeded", "limits are exceeded") },
  { level: "danger", told: (report) => some(errorsOf(report, false), "finding is an error", "findings are errors") },
  { level: "attention", told: bySafety("Waits", "rollout waits for a person", "rollouts wait for a person") },
  {
    level: "attention",
    told: bySafety("Reduced", "workload has fewer pods for a while", "workloads have fewer pods for a while"),
  },
  {
    level: "attention",
    told: ({ workloads }) => some(workloads.filter(isTaken).length, "workload is deleted", "workloads are deleted"),
  },
  {
    level: "attention",
    told: bySafety(
      "Unknown",
      "workload changes in a way that Git can't tell",
      "workloads change in ways that Git can't tell",
    ),
  },
  {
    level: "attention",
    told: byFinding(
      "cross-application-change",
      "change of a source rolls none of the pods that see it",
      "changes of sources roll none of the pods that see them",
    ),
  },
  {
    level: "attention",
    told: byFinding(
      "suspended-application",
      "application is suspended, or resumed with more than this plan shows",
      "applications are suspended, or resumed with more than this plan shows",
    ),
  },
  {
    level: "attention",
    told: byFinding(
      "RS024",
      "release changes, and what it makes was not rendered",
      "releases change, and what they make was not rendered",
    ),
  },
  {
    level: "attention",
    told: ({ summary: { workloads }, applications = [] }) =>
      workloads === 0 && applications.length === 0 ? "there is no workload to compare" : undefined,
  },
];

const LEVELS: readonly { readonly level: Exclude<Level, "ok">; readonly words: string }[] = [
  { level: "refused", words: "Don't ship it" },
  { level: "danger", words: "Don't ship it as it is" },
  { level: "attention", words: "Look at it first" },
];

/** Whether a plan may go on. */
export function verdictOf(report: Judged): Verdict {
  const told = ROWS.flatMap(({ level, told: of }) => {
    const text = of(report);
    return text === undefined ? [] : [{ level, text }];
  });
  const worst = LEVELS.find(({ level }) => told.some((row) => row.level === level));
  if (worst === undefined) return { level: "ok", text: okWords(report) };
  return { level: worst.level, text: `${worst.words}: ${told.map(({ text }) => text).join(", ")}` };
}

function okWords({ summary, workloads, notExamined = [] }: Judged): string {
  // What was met and not looked at may change as well.
  const examined = notExamined.length === 0 ? "" : " in what was examined";
  const changes = workloads.filter(({ action }) => action !== "None" && action !== "Waiting").length;
  const waiting = workloads.filter(({ action }) => action === "Waiting").length;
  if (changes === 0 && waiting > 0)
    return `Ship it: ${counted(waiting, "workload waits", "workloads wait")}${examined}, and no pod is replaced`;
  const { otherObjects } = summary;
  if (changes === 0 && otherObjects > 0)
    return `Ship it: ${counted(otherObjects, "object changes", "objects change")}${examined}, and no pod is replaced`;
  if (changes === 0) return `Nothing changes${examined}`;
  if (summary.rolls === 0)
    return `Ship it: ${counted(changes, "workload changes", "workloads change")}${examined}, and no pod is replaced`;
  return `Ship it: ${counted(summary.rolls, "workload rolls", "workloads roll")}${examined}, and none has fewer pods meanwhile`;
}

function some(n: number, one: string, many: string): string | undefined {
  return n === 0 ? undefined : counted(n, one, many);
}

/** What can't be rendered, and how many of that the change doesn't break. */
function unrendered(failed: readonly PlannedApplication[]): string | undefined {
  const before = failed.filter(({ failedBefore }) => failedBefore === true).length;
  const told = some(failed.length, "application can't be rendered", "applications can't be rendered");
  if (told === undefined || before === 0) return told;
  return `${told} (${before === failed.length ? "" : `${before} of them `}in both revisions)`;
}

/** A workload that is deleted with its pods. */
function isTaken({ action, safety }: PlannedWorkload): boolean {
  return action === "Delete" && safety !== "Safe";
}

/** What fails or is deleted is told as that. */
function bySafety(safety: Safety, one: string, many: string): Row["told"] {
  const isSo = ({ safety: own, action }: PlannedWorkload): boolean =>
    own === safety && action !== "Fail" && action !== "Delete";
  return ({ workloads }) => some(workloads.filter(isSo).length, one, many);
}

/** Findings of one name that are something to look at, whatever their severity. */
function byFinding(name: FindingId, one: string, many: string): Row["told"] {
  return ({ findings }) => some(findings.filter(({ id }) => id === name).length, one, many);
}

/** Errors beside those of workloads that fail: of sources that the API server refuses (RS006), and all others. */
function errorsOf(report: Judged, isRefused: boolean): number {
  const failing = new Set(
    report.workloads.filter(({ action }) => action === "Fail").flatMap(({ findings }) => findings),
  );
  return ownFindings(report).filter(
    (finding) => finding.severity === "error" && !failing.has(finding) && (finding.id === "RS006") === isRefused,
  ).length;
}
