import { notExaminedGroups } from "../examined/account-words.ts";
import { printable } from "../results/terminal.ts";
import type { PlannedWorkload, PlanReport, Reason } from "../plan/plan-report.ts";
import { wordFor } from "../ground/words.ts";
import {
  becauseOf,
  beforeWords,
  findingWords,
  MOST_FINDINGS,
  reasonWords,
  strategyWords,
  summaryWords,
  workloadWords,
  type Words,
  moreDiffs,
} from "./plan-words.ts";
import { actionWord } from "./plan-levels.ts";

export interface PlanMarkdownOptions {
  /** Tells several plans of one pull request apart. */
  readonly title: string;
  /** Whether all that was not looked at is named. */
  readonly verbose?: boolean;
}

/** GitHub takes no longer comment: 65,536 characters. Counted in bytes, to be on the safe side. */
export const LONGEST_COMMENT = 65_536;
/** Kept for the lines behind the workloads. */
const RESERVE = 2_000;

/** The first line, by which a workflow finds the comment that it edits. */
export function marker(title: string): string {
  return `<!-- rollstamp plan: ${title.replace(/[^\w ./=-]/gu, "_").replaceAll("--", "__")} -->`;
}

/**
 * `plan -o markdown`: for a comment on a pull request. What doesn't fit into one is left out with a
 * line that says so; what fails or rolls comes first.
 */
export function planMarkdown(report: PlanReport, { title, verbose = false }: PlanMarkdownOptions): string {
  const head = `${marker(title)}\n### ${escapeHtml(title)}\n\n${summaryWords(report)}.\n\n`;
  const tail = `${limits(report)}${otherFindings(report)}${foundBefore(report)}${notExamined(report, verbose)}`;
  let text = head;
  let left = LONGEST_COMMENT - RESERVE - bytes(head) - bytes(tail);
  let shown = 0;
  for (const workload of report.workloads) {
    const block = workloadBlock(workload);
    const fitting = bytes(block) <= left ? block : `${summaryLine(workload)}\n\n`;
    if (bytes(fitting) > left) break;
    text += fitting;
    left -= bytes(fitting);
    shown += 1;
  }
  const more = report.workloads.length - shown;
  const rest = more === 0 ? "" : `…and ${more} more ${wordFor(more, "workload")}: \`plan -o json\` lists them all.\n\n`;
  return `${(text + rest + tail).trimEnd()}\n`;
}

function bytes(text: string): number {
  return Buffer.byteLength(text, "utf8");
}

function summaryLine(workload: PlannedWorkload): string {
  const strategy = strategyWords(workload);
  const renamed = renamedWords(workload);
  const because = becauseOf(workload);
  return [
    `<b>${actionWord(workload.action)}</b> ${html(workloadWords(workload))}`,
    ...(renamed === "" ? [] : [renamed]),
    ...(strategy === undefined ? [] : [html(strategy)]),
    ...(because === undefined ? [] : [escapeHtml(because)]),
  ].join(" · ");
}

function renamedWords({ renamedFrom, renamedTo }: PlannedWorkload): string {
  if (renamedFrom !== undefined) return html(["seems to be ", { code: renamedFrom }, ", renamed"]);
  return renamedTo === undefined ? "" : html(["seems to be renamed to ", { code: renamedTo }]);
}

function workloadBlock(workload: PlannedWorkload): string {
  const lines = [
    ...workload.findings.map(
      (finding) => `<li>${escapeHtml(findingWords(finding))}: ${escapeHtml(finding.message)}</li>`,
    ),
    ...workload.reasons.map((reason) => `<li>${html(reasonWords(reason, workload.namespace))}${diffs(reason)}</li>`),
  ];
  if (lines.length === 0) return `${summaryLine(workload)}\n\n`;
  const isOpen = workload.action === "Fail" ? " open" : "";
  return `<details${isOpen}><summary>${summaryLine(workload)}</summary>\n<ul>\n${lines.join("\n")}\n</ul>\n</details>\n\n`;
}

function diffs(reason: Reason): string {
  if (reason.type !== "Source") return "";
  return [
    ...(reason.diffs ?? []).map(
      ({ key, lines }) => `<br><code>${escapeCode(key)}</code><pre>${lines.map(escapeCode).join("\n")}</pre>`,
    ),
    ...moreDiffs(reason).map((line) => `<br>${line}`),
  ].join("");
}

function limits({ exceeded }: PlanReport): string {
  return exceeded.map((limit) => `<b>Over the limit:</b> ${escapeHtml(limit)}.\n\n`).join("");
}

function otherFindings({ findings }: PlanReport): string {
  const shown = findings
    .slice(0, MOST_FINDINGS)
    .map((finding) => `- ${escapeHtml(findingWords(finding))}: ${escapeHtml(finding.message)}\n`);
  const more = findings.length - shown.length;
  return `${shown.join("")}${more === 0 ? "" : `- …and ${more} more\n`}`;
}

function foundBefore(report: PlanReport): string {
  const words = beforeWords(report);
  // A paragraph of its own, whatever list stands before it.
  return words === undefined ? "" : `\n${words}\n`;
}

/** What a comment may hold of it: `--verbose` must not take the place of the workloads. */
const MOST_NAMED = 50;

function notExamined(report: PlanReport, verbose: boolean): string {
  const lines = notExaminedGroups(report, { command: "plan", verbose }).map(({ what, names, more, look }) => {
    const shown = names.slice(0, MOST_NAMED);
    const left = more + names.length - shown.length;
    const named = shown.map((name) => `<code>${escapeCode(name)}</code>`).join(", ");
    return `- ${escapeHtml(what)} (${named}${left === 0 ? "" : ` and ${left} more`}): <code>${escapeCode(look)}</code>\n`;
  });
  return lines.length === 0 ? "" : `\n<b>Not examined</b>\n\n${lines.join("")}`;
}

/** Texts from manifests stand in <code>: GitHub looks for no mention, no issue and no commit there. */
function html(words: Words): string {
  return words
    .map((piece) => (typeof piece === "string" ? escapeHtml(piece) : `<code>${escapeCode(piece.code)}</code>`))
    .join("");
}

/** Our own sentences; the names in them must not call anybody or link anything. */
function escapeHtml(text: string): string {
  return escapeCode(text).replace(/&#(?:64|35);/gu, "$&\u200b");
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

// What GitHub's Markdown reads within a line of HTML: emphasis, links, code, math, emoji, addresses.
const MARKS = /[&<>"'\\`*_[\]#|~@:$]|(?<=www)\./gu;

function escapeCode(text: string): string {
  return printable(text).replace(MARKS, (c) => ENTITIES[c] ?? `&#${c.charCodeAt(0)};`);
}
