import picocolors from "picocolors";
import { notExaminedLines } from "../findings/not-examined/account-words.ts";
import type { Reason } from "../reports/plan/plan-reasons.ts";
import type { PlanFinding, PlannedWorkload, PlanReport } from "../reports/plan/plan-report.ts";
import { formatList } from "../base/names.ts";
import { counted } from "../base/words.ts";
import { lineText, printable } from "../findings/results/terminal.ts";
import { ACTIONS, LEVEL_TONES, rowWord, SAFETY_WORDS, toneOf, type Tone } from "./plan-levels.ts";
import {
  causeWords,
  caveatsOf,
  groupNames,
  groupSize,
  groupWord,
  inTwo,
  otherFindings,
  renamedWords,
  shownCauses,
  shownReasons,
  type ShownCauses,
} from "./plan-row-words.ts";
import {
  applicationCounts,
  applicationRows,
  FAILED_BEFORE,
  failedGroups,
  rowNotes,
  rowsWithWorkloads,
  type FailedGroup,
} from "./plan-application-words.ts";
import { messageAlone, type FindingGroup } from "./plan-finding-groups.ts";
import { planRows, type RowGroup } from "./plan-rows.ts";
import { upgradeWords } from "./upgrade-words.ts";
import {
  becauseOf,
  beforeWords,
  findingWords,
  MOST_FINDINGS,
  moreDiffs,
  plainWords,
  reasonWords,
  strategyWords,
  summaryWords,
  workloadWords,
  type Words,
} from "./plan-words.ts";

export interface PlanTextOptions {
  readonly color: boolean;
  /** Whether all that was not looked at is named. */
  readonly verbose?: boolean;
  /** Whether every workload of a row is named, and every cause. */
  readonly all?: boolean;
}

/** Where what is told of a workload begins. */
const INDENT =
  Math.max(...[...ACTIONS.map(({ word }) => word), ...Object.values(SAFETY_WORDS)].map((word) => word.length)) + 2;
const MARGIN = " ".repeat(INDENT);

/** Of what many have alike, a row says the first of each. */
const MOST_NAMES = 10;
const MOST_REASONS = 10;
const MOST_CAUSES = 20;
const MOST_APPLICATIONS = 30;
/** Of one rule. */
const MOST_MESSAGES = 10;

type Colors = ReturnType<typeof picocolors.createColors>;
type Paint = (text: string) => string;

/**
 * `plan -o text`: the verdict, then what it comes of, the riskiest first; then what rolls safely, a row for each set of
 * causes. Nothing that anybody has to look at is left out. Lines are as long as they are: a terminal wraps them.
 */
export function planText(report: PlanReport, { color, verbose = false, all = false }: PlanTextOptions): string {
  const colors = picocolors.createColors(color);
  const mostNames = all ? Infinity : MOST_NAMES;
  const mostReasons = all ? Infinity : MOST_REASONS;
  const rows = planRows(report);
  const { stop, look } = inTwo(rows);
  const { errors, groups } = otherFindings(report, rows);
  const before = beforeWords(report);
  const parts = [
    verdictLines(report, colors),
    report.upgrade === undefined ? [] : upgradeWords(report.upgrade).map((words) => plain(words)),
    ...failedGroups(report).map((group) => failedBlock(group, all ? Infinity : MOST_NAMED, colors)),
    ...stop.map((workload) => workloadBlock(workload, mostReasons, colors)),
    ...errors.map((finding) => [errorLine(finding, colors)]),
    ...look.map((workload) => workloadBlock(workload, mostReasons, colors)),
    ...rows.groups.map((group) => groupBlock(group, { mostNames, mostReasons }, colors)),
    causesTable(shownCauses(report, all ? Infinity : MOST_CAUSES), colors),
    applicationsTable(report, all ? Infinity : MOST_APPLICATIONS, colors),
    findingLines(groups, all, colors),
    before === undefined ? [] : [before],
    notExaminedLines(report, { command: "plan", verbose }).map(lineText),
    [colors.bold(printable(summaryWords(report)))],
  ].filter((lines) => lines.length > 0);
  return `${parts.map((lines) => lines.join("\n")).join("\n\n")}\n`;
}

function verdictLines({ verdict, exceeded }: PlanReport, colors: Colors): string[] {
  const paint = paintOf(LEVEL_TONES[verdict.level], colors);
  return [
    colors.bold(paint(printable(verdict.text))),
    ...exceeded.map((limit) => colors.red(printable(`over the limit: ${limit}`))),
  ];
}

function paintOf(tone: Tone, colors: Colors): Paint {
  return { bad: colors.red, look: colors.yellow, quiet: colors.green }[tone];
}

function head(word: string, rest: string, paint: Paint): string {
  return `${paint(word.toUpperCase().padEnd(INDENT))}${rest}`;
}

function told(text: string, paint: Paint = String): string {
  return `${MARGIN}${paint(lineText(text))}`;
}

function workloadBlock(workload: PlannedWorkload, mostReasons: number, colors: Colors): string[] {
  const strategy = strategyWords(workload);
  const because = becauseOf(workload);
  const name = `${colors.bold(plain(workloadWords(workload)))}${plain(renamedWords(workload))}`;
  return [
    head(rowWord(workload), name, paintOf(toneOf(workload), colors)),
    ...(because === undefined ? [] : [told(because)]),
    ...(strategy === undefined ? [] : [told(plainWords(strategy))]),
    ...shownReasons(workload.reasons, (reason) => reason, mostReasons).flatMap((reason) =>
      reasonLines(reason, workload.namespace, "", colors),
    ),
    ...moreReasons(workload.reasons.length, mostReasons),
    ...workload.findings.map((finding) =>
      told(`${findingWords(finding)}: ${finding.message}`, severityPaint(finding, colors)),
    ),
    ...caveatsOf(workload).map(({ message }) => told(`but: ${message}`)),
    ...nextLines(workload),
  ];
}

function nextLines({ next }: { readonly next?: string }): string[] {
  return next === undefined ? [] : [told(`next: ${next}`)];
}

function errorLine(finding: PlanFinding, colors: Colors): string {
  return head("error", printable(`${finding.id}: ${messageAlone(finding)}`), colors.red);
}

/** How much of what is alike a row says. */
interface Most {
  readonly mostNames: number;
  readonly mostReasons: number;
}

function moreReasons(all: number, most: number): string[] {
  return all <= most ? [] : [told(`and ${counted(all - most, "other change")}: --all lists them`)];
}

function groupBlock(group: RowGroup, { mostNames, mostReasons }: Most, colors: Colors): string[] {
  const [first, ...others] = group.workloads;
  if (first !== undefined && others.length === 0) return workloadBlock({ ...first, findings: [] }, mostReasons, colors);
  const part = (n: number): string => (n === group.workloads.length ? "" : ` (${n} of them)`);
  return [
    head(groupWord(group), colors.bold(groupSize(group)), paintOf("quiet", colors)),
    ...(group.because === undefined ? [] : [told(group.because)]),
    ...shownReasons(group.reasons, ({ reason }) => reason, mostReasons).flatMap(({ reason, namespace, workloads }) =>
      reasonLines(reason, namespace, part(workloads), colors),
    ),
    ...moreReasons(group.reasons.length, mostReasons),
    ...group.caveats.map(({ message, workloads }) =>
      told(`but: ${message}${workloads > 1 ? ` (and the like: ${workloads} of them)` : ""}`),
    ),
    ...nextLines(group),
    told(plainWords(groupNames(group, mostNames))),
  ];
}

function reasonLines(reason: Reason, namespace: string, end: string, colors: Colors): string[] {
  const diffs = reason.type === "Source" ? (reason.diffs ?? []) : [];
  return [
    told(`${plainWords(reasonWords(reason, namespace))}${end}`),
    ...diffs.flatMap(({ key, lines }) => [
      `${MARGIN}  ${lineText(key)}:`,
      ...lines.map((line) => `${MARGIN}    ${diffPaint(line, colors)(printable(line))}`),
    ]),
    ...moreDiffs(reason).map((line) => `${MARGIN}  ${line}`),
  ];
}

function diffPaint(line: string, colors: Colors): Paint {
  return line.startsWith("+") ? colors.green : line.startsWith("-") ? colors.red : colors.dim;
}

/** The numbers stand first: names are as long as they are. */
function causesTable({ causes, more }: ShownCauses, colors: Colors): string[] {
  if (causes.length === 0) return [];
  const row = (pods: string, workloads: string, cause: string): string =>
    `${pods.padStart(7)}  ${workloads.padStart(9)}  ${cause}`;
  return [
    colors.bold(row("pods", "workloads", "cause")),
    ...causes.map((cause) => row(String(cause.pods), String(cause.workloads), plain(causeWords(cause)))),
    ...more.map((words) => row("", "", words)),
  ];
}

/** What each application comes to, where there are several. */
function applicationsTable(report: PlanReport, most: number, colors: Colors): string[] {
  const counts = applicationCounts(report);
  if (counts === undefined) return [];
  const rows = most === Infinity ? applicationRows(report) : rowsWithWorkloads(applicationRows(report));
  const row = (pods: string, workloads: string, name: string): string =>
    `${pods.padStart(7)}  ${workloads.padStart(9)}  ${name}`;
  const lines = rows.slice(0, most).map((one) => {
    const notes = rowNotes(one);
    const name = `${one.application.name}${notes === "" ? "" : ` (${notes})`}`;
    return row(String(one.pods), String(one.workloads), lineText(printable(name)));
  });
  const more = rows.length - lines.length;
  return [
    ...(lines.length === 0 ? [] : [colors.bold(row("pods", "workloads", "application")), ...lines]),
    ...(more > 0 ? [row("", "", `and ${counted(more, "more application")}`)] : []),
    printable(counts),
  ];
}

/** Applications of which nobody knows what becomes. */
function failedBlock({ title, names, message, isBefore }: FailedGroup, most: number, colors: Colors): string[] {
  return [
    head("failed", colors.bold(printable(title)), colors.red),
    ...(isBefore ? [told(FAILED_BEFORE)] : []),
    ...message.split("\n").map((line) => told(printable(line))),
    ...(names.length === 0 ? [] : [told(lineText(printable(formatList(names, most))))]),
  ];
}

/** How many of the applications that fail alike are named. */
const MOST_NAMED = 20;

/** What was found, by what is to be done about it: rows say the rest. */
function findingLines(groups: readonly FindingGroup[], all: boolean, colors: Colors): string[] {
  let left = all ? Infinity : MOST_FINDINGS;
  const most = all ? Infinity : MOST_MESSAGES;
  let unseen = 0;
  const lines = groups.flatMap((group) => {
    const { messages, findings, remedy } = group;
    const shown = messages.slice(0, Math.min(left, most));
    left -= shown.length;
    unseen += messages.length - shown.length;
    const paint = severityPaint(group, colors);
    const [only] = shown;
    const words = findingWords(group);
    const count = findings > 1 ? `, ${findings} findings` : "";
    const title = messages.length === 0 ? `${words}${count}, told above` : `${words}${count}`;
    return [
      ...(findings === 1 && only !== undefined
        ? [paint(printable(`${words}: ${only}`))]
        : [paint(title), ...shown.map((message) => `  ${lineText(message)}`)]),
      ...(messages.length > shown.length ? [`  and ${messages.length - shown.length} more`] : []),
      ...(remedy === undefined ? [] : [colors.dim(`  to do: ${printable(remedy)}`)]),
    ];
  });
  return unseen === 0 ? lines : [...lines, `…and ${counted(unseen, "more finding")}: plan -o json lists them all`];
}

function severityPaint(
  { severity, before }: Pick<PlanFinding, "severity"> & { before?: boolean },
  colors: Colors,
): Paint {
  if (before === true) return colors.dim;
  return severity === "error" ? colors.red : severity === "warning" ? colors.yellow : colors.dim;
}

function plain(words: Words): string {
  return printable(plainWords(words));
}
