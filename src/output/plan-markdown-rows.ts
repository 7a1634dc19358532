import { causesOf } from "../reports/plan/causes.ts";
import type { Reason } from "../reports/plan/plan-reasons.ts";
import type { PlanFinding, PlannedWorkload } from "../reports/plan/plan-report.ts";
import { formatList } from "../base/names.ts";
import { counted, pluralize } from "../base/words.ts";
import { messageAlone } from "./plan-finding-groups.ts";
import { bytes, escapeCode, markdownCode, markdownText, markdownWords } from "./markdown-words.ts";
import { FAILED_BEFORE, type FailedGroup } from "./plan-application-words.ts";
import { rowWord, toneOf, type Tone } from "./plan-levels.ts";
import {
  causeWords,
  caveatsOf,
  groupNames,
  groupSize,
  groupWord,
  renamedWords,
  shownReasons,
} from "./plan-row-words.ts";
import type { RowGroup } from "./plan-rows.ts";
import {
  becauseOf,
  findingWords,
  moreDiffs,
  reasonWords,
  strategyWords,
  workloadWords,
  type Words,
} from "./plan-words.ts";

/** A row of a comment: in one line, and with all that is said of it. */
export interface Row {
  readonly brief: string;
  readonly full: string;
  readonly word: string;
  readonly workloads: readonly PlannedWorkload[];
}

/** A row's mark says by its colour what its word says. */
const MARKS: Readonly<Record<Tone, string>> = { bad: "🔴", look: "🟡", quiet: "🟢" };

/** A workload by itself. What stops a reviewer is unfolded. */
export function workloadRow(workload: PlannedWorkload): Row {
  const tone = toneOf(workload);
  const { reasons, namespace, findings, next } = workload;
  const strategy = strategyWords(workload);
  const lineWith = (because: string | undefined): string =>
    [
      `${MARKS[tone]} <b>${rowWord(workload)}</b> ${markdownWords([...workloadWords(workload), ...renamedWords(workload)])}`,
      ...(strategy === undefined ? [] : [markdownWords(strategy)]),
      ...(because === undefined ? [] : [markdownText(because)]),
    ].join(" · ");
  const items = [
    ...shownReasons(reasons, (reason) => reason, MOST_REASONS).map((reason) => reasonItem(reason, namespace)),
    ...moreReasons(reasons.length),
    ...findings.map((finding) => `${findingWords(finding)}: ${markdownText(finding.message)}`),
    ...caveatsOf(workload).map(({ message }) => `but: ${markdownText(message)}`),
    ...nextItems(next),
  ];
  // The one line has no reason beside it that says the same.
  const brief = `${lineWith(workload.because)}\n\n`;
  return {
    ...folded(lineWith(becauseOf(workload)), items, tone === "bad"),
    brief,
    word: rowWord(workload),
    workloads: [workload],
  };
}

/** An error of an object that has no row: it decides as one that has. */
export function errorRow(finding: PlanFinding): Row {
  const brief = `${MARKS.bad} <b>error</b> ${finding.id}: ${markdownText(messageAlone(finding))}\n\n`;
  return { brief, full: brief, word: "error", workloads: [] };
}

/** Applications that can't be rendered: nobody knows what becomes of them. */
export function failedRow({ title, names, message, isBefore }: FailedGroup): Row {
  const head = `${MARKS.bad} <b>failed</b> ${markdownText(title)}${isBefore ? ` (${FAILED_BEFORE})` : ""}: ${markdownText(message)}`;
  const named = names.length === 0 ? "" : ` (${markdownText(formatList(names, MOST_NAMES))})`;
  return { brief: `${head}\n\n`, full: `${head}${named}\n\n`, word: "failed", workloads: [] };
}

/** The most that is named in a group's line, and below it. */
const CAUSES_OF_LINE = 3;
const MOST_REASONS = 10;
const MOST_NAMES = 50;

/** Workloads that change alike, folded. */
export function groupRow(group: RowGroup): Row & { readonly group: RowGroup } {
  const { workloads, causes, because, next } = group;
  const [first, ...others] = workloads;
  if (first !== undefined && others.length === 0) return { ...workloadRow({ ...first, findings: [] }), group };
  const more = causes.length - CAUSES_OF_LINE;
  const named = causes.slice(0, CAUSES_OF_LINE).map((cause) => markdownWords(causeWords(cause)));
  const by = causes.length === 0 ? "" : `: ${named.join(", ")}${more > 0 ? ` and ${counted(more, "more cause")}` : ""}`;
  const line = `${MARKS.quiet} <b>${groupWord(group)}</b> ${groupSize(group)}${by}`;
  const part = (n: number): string => (n === workloads.length ? "" : ` (${n} of them)`);
  const items = [
    ...(because === undefined ? [] : [markdownText(because)]),
    ...shownReasons(group.reasons, ({ reason }) => reason, MOST_REASONS).map(({ reason, namespace, workloads: n }) =>
      reasonItem(reason, namespace, part(n)),
    ),
    ...moreReasons(group.reasons.length),
    ...group.caveats.map(
      ({ message, workloads: n }) => `but: ${markdownText(message)}${n > 1 ? ` (and the like: ${n} of them)` : ""}`,
    ),
    ...nextItems(next),
    markdownWords(groupNames(group, MOST_NAMES)),
  ];
  return { ...folded(line, items, false), word: groupWord(group), workloads, group };
}

function moreReasons(all: number): string[] {
  return all <= MOST_REASONS ? [] : [`and ${counted(all - MOST_REASONS, "other change")}`];
}

function nextItems(next: string | undefined): string[] {
  return next === undefined ? [] : [`<b>next:</b> ${markdownText(next)}`];
}

function folded(line: string, items: readonly string[], isOpen: boolean): Pick<Row, "brief" | "full"> {
  const brief = `${line}\n\n`;
  if (items.length === 0) return { brief, full: brief };
  const list = `<ul>\n${items.map((item) => `<li>${item}</li>\n`).join("")}</ul>`;
  return { brief, full: `<details${isOpen ? " open" : ""}><summary>${line}</summary>\n${list}\n</details>\n\n` };
}

function reasonItem(reason: Reason, namespace: string, end = ""): string {
  const diffs = reason.type === "Source" ? (reason.diffs ?? []) : [];
  return [
    `${markdownWords(reasonWords(reason, namespace))}${end}`,
    ...diffs.map(({ key, lines }) => `<br>${markdownCode(key)}<pre>${lines.map(escapeCode).join("\n")}</pre>`),
    ...moreDiffs(reason).map((line) => `<br>${line}`),
  ].join("");
}

/** How to see what a comment doesn't hold. */
const SEE_ALL = "The same command with `-o text` or `-o html` shows all of them.";

/** What a person has to look at and a comment can't hold, by what becomes of it; "" where all is there. */
export function leftOutRows(rows: readonly Row[]): string {
  if (rows.length === 0) return "";
  const words = new Map<string, number>();
  for (const { word } of rows) words.set(word, (words.get(word) ?? 0) + 1);
  const counts = [...words].map(([word, n]) => `${n} × ${word}`).join(", ");
  const workloads = rows.flatMap((row) => row.workloads);
  return `🛑 **${rows.length} more that somebody has to look at ${pluralize(rows.length, "does", "do")} not fit into a comment: ${counts}**${byCause(workloads)}. ${SEE_ALL}\n\n`;
}

/** What rolls safely and a comment can't hold, by what it changes by; "" where all is there. */
export function leftOutGroups(rows: readonly (Row & { readonly group: RowGroup })[]): string {
  if (rows.length === 0) return "";
  const workloads = rows.flatMap((row) => row.workloads);
  const pods = rows.reduce((sum, { group }) => sum + group.pods, 0);
  const size = `${counted(workloads.length, "workload")}, ${counted(pods, "pod")}`;
  return `…and ${size}, of which nobody has to look at any${byCause(workloads)}. ${SEE_ALL}\n\n`;
}

const CAUSES_LEFT_OUT = 5;
const LONGEST_CAUSE = 300;

function byCause(workloads: readonly PlannedWorkload[]): string {
  const causes = causesOf(workloads);
  const named = causes
    .map((cause): Words => [...causeWords(cause), `: ${counted(cause.workloads, "workload")}`])
    .map(markdownWords)
    .filter((words) => bytes(words) <= LONGEST_CAUSE)
    .slice(0, CAUSES_LEFT_OUT);
  if (named.length === 0) return "";
  const more = causes.length - named.length;
  return ` (${named.join(", ")}${more === 0 ? "" : `, ${counted(more, "more cause")}`})`;
}
