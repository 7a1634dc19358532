import { counted } from "../base/words.ts";
import { severityOf } from "../findings/catalogue/finding.ts";
import type { Severity } from "../findings/catalogue/severity.ts";
import { notExaminedCounts, notExaminedGroups } from "../findings/not-examined/account-words.ts";
import { isNothing } from "../findings/not-examined/not-examined.ts";
import { causesOf } from "../reports/plan/causes.ts";
import { isError } from "../reports/plan/counted.ts";
import type { Cause, PlanFinding, PlannedWorkload, PlanReport } from "../reports/plan/plan-report.ts";
import {
  code,
  list,
  numbers,
  paragraph,
  plainText,
  row,
  section,
  strong,
  table,
  texts,
  verdict,
  type Block,
  type Document,
  type Row,
  type Tone,
  type Words,
} from "./document/document.ts";
import { applicationsSection, failedRows } from "./plan-applications.ts";
import { planFacets, planFilter } from "./plan-facets.ts";
import { findingGroups, withApplications, type FindingGroup } from "./plan-findings.ts";
import { LEVEL_SIGNS, LEVEL_TONES } from "./plan-levels.ts";
import { planRows, type RowGroup } from "./plan-rows.ts";
import { NOT_CHECKED, PHRASES, verdictWords } from "./plan-verdict.ts";
import { causeWords, limitText, totalsText } from "./plan-words.ts";
import { groupRow, workloadRow } from "./plan-workload-rows.ts";
import { upgradeWords } from "./plan-upgrade.ts";

/** How much of what is alike a report has. */
export interface Most {
  readonly names: number;
  readonly reasons: number;
  readonly causes: number;
  readonly applications: number;
  /** What findings that need the same fix say, and what all findings say. */
  readonly messages: number;
  readonly allMessages: number;
}

export interface PlanDocumentOptions {
  /** Tells several plans of one pull request apart. */
  readonly title: string;
  readonly most: Most;
  /** Whether everything that was not examined is named. */
  readonly verbose: boolean;
}

/** A terminal shows the first of many alike. */
export const MOST_IN_TEXT: Most = {
  names: 10,
  reasons: 10,
  causes: 20,
  applications: 30,
  messages: 10,
  allMessages: 50,
};
/** A comment has little room. */
export const MOST_IN_MARKDOWN: Most = { ...MOST_IN_TEXT, names: 50, messages: 5, allMessages: 20 };
/** A page folds what is long. */
export const MOST_IN_PAGE: Most = {
  names: Infinity,
  reasons: Infinity,
  causes: Infinity,
  applications: Infinity,
  messages: 10,
  allMessages: 500,
};
export const EVERYTHING: Most = { ...MOST_IN_PAGE, messages: Infinity, allMessages: Infinity };

/**
 * A plan as a document: the verdict, then what a person has to read, the riskiest first; then what is routine, a row
 * for each set of causes; then causes, applications, findings and totals.
 */
export function planDocument(report: PlanReport, { title, most, verbose }: PlanDocumentOptions): Document {
  const rows = planRows(report);
  const facets = planFacets(report);
  const stops = rows.single.filter(isStopping);
  const others = rows.single.filter((workload) => !isStopping(workload));
  const errors = report.findings.filter(isError);
  const rowOf = (workload: PlannedWorkload): RowOf<PlannedWorkload> => ({
    row: workloadRow(workload, facets, most),
    subject: workload,
  });
  const risky = [
    ...failedRows(report, most.names).map((failed) => ({ row: failed, subject: undefined })),
    ...stops.map(rowOf),
    ...errors.map((finding) => ({ row: errorRow(finding), subject: undefined })),
    ...others.map(rowOf),
  ];
  const groups = rows.groups.map((group): RowOf<RowGroup> => ({ row: groupRow(group, facets, most), subject: group }));
  const isRolling = ({ subject: { action } }: RowOf<RowGroup>): boolean => action === "Roll";
  const blocks: (Block | undefined)[] = [
    verdictBlock(report),
    ...report.exceeded.map((limit) =>
      paragraph([strong("Over the limit: "), limitText(limit)], { tone: "danger", role: "exceeded" }),
    ),
    report.upgrade === undefined ? undefined : list(upgradeWords(report.upgrade), { role: "upgrade" }),
    planFilter(report),
    riskySection(risky),
    routineSection("safe", "Rolls safely", groups.filter(isRolling)),
    routineSection(
      "others",
      "Without a rollout",
      groups.filter((one) => !isRolling(one)),
    ),
    causesSection(report, most.causes),
    applicationsSection(report, most.applications),
    findingsSection(findingGroups(report, rows, errors), most),
    notExaminedBlock(report, verbose),
    paragraph([strong(`${title}: `), totalsText(report)], { role: "totals" }),
  ];
  return { title, blocks: blocks.filter((block) => block !== undefined) };
}

/** A row, and what it is of. */
interface RowOf<T> {
  readonly row: Row;
  readonly subject: T;
}

function verdictBlock({ verdict: advice, applications, summary }: PlanReport): Block {
  if (advice === null) return verdict("muted", "○", NOT_CHECKED.phrase, NOT_CHECKED.text);
  const { level } = advice;
  const words = verdictWords({ verdict: advice, summary, ...(applications === undefined ? {} : { applications }) });
  return verdict(LEVEL_TONES[level], LEVEL_SIGNS[level], PHRASES[level], ...words);
}

/** Whether a workload is refused or loses its pods: these come before errors of objects without a row. */
function isStopping(workload: PlannedWorkload): boolean {
  const { action, safety } = workload;
  return action === "Fail" || safety === "Outage" || safety === "MayStick";
}

function riskySection(rows: readonly RowOf<PlannedWorkload | undefined>[]): Block | undefined {
  if (rows.length === 0) return undefined;
  const workloads = new Map(rows.map((one) => [one.row, one.subject]));
  const rest = (left: readonly Row[]): Words => {
    const counts = new Map<string, number>();
    for (const { label } of left) counts.set(label, (counts.get(label) ?? 0) + 1);
    const labels = [...counts].map(([label, n]) => `${n} × ${label}`).join(", ");
    const what = `${counted(left.length, "more row", "more rows")} to review: ${labels}`;
    return [strong(what), ...byCause(left.flatMap((one) => workloads.get(one) ?? [])), SEE_ALL];
  };
  const total = rows.filter((one) => one.subject !== undefined).length;
  return section({ id: "own", title: "Review these", ...(total === 0 ? {} : { total }), isTitleHidden: true }, [
    { is: "cut", rows: rows.map((one) => one.row), rest, isRoutine: false },
  ]);
}

function routineSection(id: string, title: string, rows: readonly RowOf<RowGroup>[]): Block | undefined {
  if (rows.length === 0) return undefined;
  const groups = new Map(rows.map((one) => [one.row, one.subject]));
  const rest = (left: readonly Row[]): Words => {
    const workloads = left.flatMap((one) => groups.get(one)?.workloads ?? []);
    const pods = workloads.reduce((sum, workload) => sum + workload.pods, 0);
    const size = `…and ${counted(workloads.length, "workload")}, ${counted(pods, "pod")}, which nobody has to review`;
    return [size, ...byCause(workloads), SEE_ALL];
  };
  const total = rows.reduce((sum, one) => sum + one.subject.workloads.length, 0);
  return section({ id, title, total, isTitleHidden: true }, [
    { is: "cut", rows: rows.map((one) => one.row), rest, isRoutine: true },
  ]);
}

/** How to see what a comment doesn't have. */
const SEE_ALL = ". The same command with -o text or -o html shows all of them.";

const MOST_CAUSES_LEFT_OUT = 3;
/** A longer name would take the room that is kept for these sentences. */
const LONGEST_CAUSE = 100;

function byCause(workloads: readonly PlannedWorkload[]): Words {
  const causes = causesOf(workloads);
  const named = causes
    .filter((cause) => plainText(causeWords(cause)).length <= LONGEST_CAUSE)
    .slice(0, MOST_CAUSES_LEFT_OUT);
  if (named.length === 0) return [];
  const more = causes.length - named.length;
  return [
    " (",
    ...named.flatMap((cause, i): Words => [
      i === 0 ? "" : ", ",
      ...causeWords(cause),
      `: ${counted(cause.workloads, "workload")}`,
    ]),
    more > 0 ? `, ${counted(more, "more cause")}` : "",
    ")",
  ];
}

/** So few causes are shown whatever they cause. */
const FEW_CAUSES = 5;
const FOLD_AFTER = 12;

/** The causes that several workloads have in common: rows name those of one workload. */
export function shownCauses(
  { workloads, causes }: Pick<PlanReport, "workloads" | "causes">,
  most: number,
): ShownCauses {
  if (workloads.filter(({ reasons }) => reasons.length > 0).length < 2) return { causes: [], more: 0, single: 0 };
  const isAll = causes.length <= FEW_CAUSES || most === Infinity;
  const shared = isAll ? causes : causes.filter((cause) => cause.workloads > 1);
  const shown = shared.slice(0, most);
  return { causes: shown, more: shared.length - shown.length, single: causes.length - shared.length };
}

interface ShownCauses {
  readonly causes: readonly Cause[];
  /** How many others several workloads have, and how many one workload has. */
  readonly more: number;
  readonly single: number;
}

function causesSection(report: PlanReport, most: number): Block | undefined {
  const { causes, more, single } = shownCauses(report, most);
  if (causes.length === 0) return undefined;
  const places = new Map(report.causes.map((cause, i) => [cause, i]));
  const lines = causes.map((cause): Words[] => [
    [String(cause.pods)],
    [String(cause.workloads)],
    [{ facet: "cause", value: String(places.get(cause)), words: causeWords(cause) }],
  ]);
  const rest = [
    ...(more > 0 ? [`and ${counted(more, "more cause")}`] : []),
    ...(single > 0 ? [`and ${counted(single, "cause")} of one workload each`] : []),
  ].map((text): Words[] => [[""], [""], [text]]);
  const columns = [numbers("pods"), numbers("workloads"), texts("cause")];
  return section({ id: "causes", title: "Causes" }, [table(columns, [...lines, ...rest], { foldAfter: FOLD_AFTER })]);
}

const SEVERITY_TONES: Readonly<Record<Severity, Tone>> = { error: "danger", warning: "attention", info: "muted" };

/** An error of an object without a row: the verdict counts it. */
function errorRow(finding: PlanFinding): Row {
  const words: Words = [`${finding.id}: ${withApplications(finding, [finding])}`];
  return row({ label: "error", tone: "danger", sign: "✕", words, isOpen: true });
}

/** What was found, by what has to be done. */
function findingsSection(groups: readonly FindingGroup[], most: Most): Block | undefined {
  if (groups.length === 0) return undefined;
  let left = most.allMessages;
  const rows = groups.map((group) => {
    const shown = group.messages.slice(0, Math.max(0, Math.min(left, most.messages)));
    left -= shown.length;
    return findingRow(group, shown);
  });
  const rest = (some: readonly Row[]): Words => [
    `…and ${counted(some.length, "more row", "more rows")} of findings: plan -o json lists them all`,
  ];
  return section({ id: "findings", title: "Findings" }, [{ is: "cut", rows, rest, isRoutine: true }]);
}

function findingRow({ first, findings, remedy, messages }: FindingGroup, shown: readonly string[]): Row {
  const isBefore = first.before === true;
  const [only] = shown;
  const isOne = findings === 1 && only !== undefined;
  const name = `${first.id}${isBefore ? " (existing)" : ""}`;
  const count = findings > 1 ? `, ${findings} findings` : "";
  const more = messages.length - shown.length;
  const severity = severityOf(first);
  return row(
    {
      label: severity,
      tone: isBefore ? "muted" : SEVERITY_TONES[severity],
      words: [`${name}${count}${messages.length === 0 ? " (see above)" : ""}`],
      ...(isOne ? { effect: [only] } : {}),
      isOpen: true,
    },
    [
      ...(isOne || shown.length === 0 ? [] : [list(shown, { role: "messages" })]),
      ...(more > 0 ? [paragraph(`and ${more} more: plan -o json lists them all`)] : []),
      ...(remedy === undefined ? [] : [paragraph([strong("Fix: "), remedy], { role: "remedy" })]),
    ],
  );
}

/** A comment must keep its room for the workloads. */
const MOST_NOT_EXAMINED = 50;

function notExaminedBlock(report: PlanReport, verbose: boolean): Block | undefined {
  const groups = notExaminedGroups(report, { command: "plan", verbose });
  if (groups.length === 0) return undefined;
  const items = groups.map(({ what, names, more, look }): Words => {
    const shown = names.slice(0, MOST_NOT_EXAMINED);
    const left = more + names.length - shown.length;
    const named = shown.flatMap((name, i): Words => [i === 0 ? "" : ", ", code(name)]);
    return [`${what} (`, ...named, left === 0 ? "" : ` and ${left} more`, "): ", code(look)];
  });
  return {
    is: "details",
    summary: [`Not examined: ${notExaminedCounts(report)}`],
    blocks: [list(items)],
    role: "not-examined",
    // A report about nothing has nothing else to read.
    ...(isNothing(report) ? { isOpen: true } : {}),
  };
}
