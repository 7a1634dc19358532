import { notExaminedGroups } from "../findings/not-examined/account-words.ts";
import type { PlanReport } from "../reports/plan/plan-report.ts";
import { counted } from "../base/words.ts";
import { bytes, markdownCode, markdownText, markdownWords } from "./markdown-words.ts";
import { LEVEL_TONES, type Tone } from "./plan-levels.ts";
import {
  errorRow,
  failedRow,
  groupRow,
  leftOutGroups,
  leftOutRows,
  workloadRow,
  type Row,
} from "./plan-markdown-rows.ts";
import {
  applicationCounts,
  applicationRows,
  failedGroups,
  rowNotes,
  rowsWithWorkloads,
} from "./plan-application-words.ts";
import { causeWords, inTwo, otherFindings, shownCauses, type ShownCauses } from "./plan-row-words.ts";
import type { FindingGroup } from "./plan-finding-groups.ts";
import { planRows } from "./plan-rows.ts";
import { upgradeWords } from "./upgrade-words.ts";
import { beforeWords, findingWords, summaryWords } from "./plan-words.ts";

export interface PlanMarkdownOptions {
  /** Tells several plans of one pull request apart. */
  readonly title: string;
  /** Whether all that was not looked at is named. */
  readonly verbose?: boolean;
}

/** GitHub takes no longer comment: 65,536 characters. Counted in bytes, to be on the safe side. */
export const LONGEST_COMMENT = 65_536;
/** Kept for the lines that say what was left out. */
const RESERVE = 6_000;
/** A row that takes more has names that no cluster takes. */
const LONGEST_ROW = 2_000;

/** The first line, by which a workflow finds the comment that it edits. */
export function marker(title: string): string {
  return `<!-- rollstamp plan: ${title.replace(/[^\w ./=-]/gu, "_").replaceAll("--", "__")} -->`;
}

/**
 * `plan -o markdown`: for a comment on a pull request. It opens with the verdict; then comes what a person has to look
 * at, what it comes of, and folded what rolls safely. Where a comment can't hold it all, details go before rows, and
 * rows of what rolls safely before all others; what goes is counted, by what it changes by.
 */
export function planMarkdown(report: PlanReport, { title, verbose = false }: PlanMarkdownOptions): string {
  const rows = planRows(report);
  const { errors, groups } = otherFindings(report, rows);
  const { stop, look } = inTwo(rows);
  const head = `${marker(title)}\n${headLines(report, title)}`;
  const space = new Space(LONGEST_COMMENT - RESERVE - bytes(head));
  // In the order in which they are given room.
  const own = space.rows([
    ...failedGroups(report).map(failedRow),
    ...stop.map(workloadRow),
    ...errors.map(errorRow),
    ...look.map(workloadRow),
  ]);
  const causes = space.text(causesTable(shownCauses(report, MOST_CAUSES)));
  const applications = space.text(applicationsTable(report));
  const safe = space.rows(rows.groups.map(groupRow));
  const before = space.text(beforeLine(report));
  own.details();
  const found = space.text(foundLines(groups));
  const unseen = space.text(notExamined(report, verbose));
  safe.details();
  const text = [
    head,
    own.text(),
    leftOutRows(own.leftOut()),
    causes,
    safe.text(),
    leftOutGroups(safe.leftOut()),
    applications,
    found,
    before,
    unseen,
  ];
  return `${text.join("").trimEnd()}\n`;
}

/** Rows with the room that they were given. */
interface Placed<T extends Row> {
  /** Gives the rows their details, as far as there is room. */
  readonly details: () => void;
  readonly text: () => string;
  /** The rows for which there was no room. */
  readonly leftOut: () => T[];
}

/** What a comment still takes. */
class Space {
  #left: number;

  constructor(left: number) {
    this.#left = left;
  }

  text(text: string): string {
    return this.#takes(bytes(text)) ? text : "";
  }

  rows<T extends Row>(rows: readonly T[]): Placed<T> {
    const placed = rows.map((row) => {
      const size = bytes(row.brief);
      return { row, text: size <= LONGEST_ROW && this.#takes(size) ? row.brief : undefined };
    });
    return {
      details: () => {
        for (const one of placed)
          if (one.text !== undefined && this.#takes(bytes(one.row.full) - bytes(one.text))) one.text = one.row.full;
      },
      text: () => placed.map(({ text = "" }) => text).join(""),
      leftOut: () => placed.filter(({ text }) => text === undefined).map(({ row }) => row),
    };
  }

  #takes(size: number): boolean {
    if (size > this.#left) return false;
    this.#left -= size;
    return true;
  }
}

const VERDICT_MARKS: Readonly<Record<Tone, string>> = { bad: "🛑", look: "⚠️", quiet: "✅" };

function headLines(report: PlanReport, title: string): string {
  const { verdict, exceeded } = report;
  const limits = exceeded.map((limit) => `**Over the limit:** ${markdownText(limit)}.\n\n`).join("");
  const sum = `${markdownText(title)} · ${summaryWords(report)}.`;
  return `### ${VERDICT_MARKS[LEVEL_TONES[verdict.level]]} ${verdict.text}\n\n${limits}${sum}\n\n${upgradeLines(report)}`;
}

function upgradeLines({ upgrade }: PlanReport): string {
  if (upgrade === undefined) return "";
  return `${upgradeWords(upgrade)
    .map((words) => `- ${markdownWords(words)}`)
    .join("\n")}\n\n`;
}

const MOST_CAUSES = 20;

function causesTable({ causes, more }: ShownCauses): string {
  if (causes.length === 0) return "";
  const lines = causes.map((cause) => `| ${markdownWords(causeWords(cause))} | ${cause.workloads} | ${cause.pods} |`);
  const rest = more.map((words) => `| ${words} | | |`);
  return `${["| cause | workloads | pods |", "|---|--:|--:|", ...lines, ...rest].join("\n")}\n\n`;
}

const MOST_APPLICATIONS = 30;

function applicationsTable(report: PlanReport): string {
  const counts = applicationCounts(report);
  if (counts === undefined) return "";
  const rows = rowsWithWorkloads(applicationRows(report));
  const lines = rows.slice(0, MOST_APPLICATIONS).map((row) => {
    const notes = rowNotes(row);
    const name = `${markdownCode(row.application.name)}${notes === "" ? "" : ` ${markdownText(notes)}`}`;
    return `| ${name} | ${row.workloads} | ${row.pods} |`;
  });
  const more = rows.length - lines.length;
  const rest = more > 0 ? [`| and ${counted(more, "more application")} | | |`] : [];
  const table =
    lines.length === 0
      ? ""
      : `${["| application | workloads | pods |", "|---|--:|--:|", ...lines, ...rest].join("\n")}\n\n`;
  return `${table}${counts}.\n\n`;
}

/** The messages of one rule, and of all, that are listed; what stands in rows is not repeated. */
const MOST_MESSAGES = 5;
const MOST_FOUND = 10_000;
const LONGEST_MESSAGE = 500;

/** What was found, by what is to be done about it. */
function foundLines(groups: readonly FindingGroup[]): string {
  if (groups.length === 0) return "";
  let text = "**Findings, and what to do**\n\n";
  let left = MOST_FOUND;
  let unseen = 0;
  for (const group of groups) {
    const part = foundLine(group);
    left -= bytes(part);
    if (left < 0) unseen += group.findings;
    else text += part;
  }
  const more = unseen === 0 ? "" : `- and ${counted(unseen, "more finding")}: \`plan -o json\` lists them all\n`;
  return `${text}${more}\n`;
}

function foundLine(group: FindingGroup): string {
  const { findings, remedy, messages } = group;
  const words = `${findingWords(group)}${findings > 1 ? `, ${findings} findings` : ""}`;
  const shown = messages.slice(0, MOST_MESSAGES).map((message) => `  - ${markdownText(clipped(message))}\n`);
  const more = messages.length - shown.length;
  const todo = remedy === undefined ? "" : `: ${markdownText(clipped(remedy))}`;
  return `- ${words}${todo}\n${shown.join("")}${more === 0 ? "" : `  - and ${more} more\n`}`;
}

function clipped(text: string): string {
  const characters = [...text];
  return characters.length <= LONGEST_MESSAGE ? text : `${characters.slice(0, LONGEST_MESSAGE).join("")}…`;
}

function beforeLine(report: PlanReport): string {
  const words = beforeWords(report);
  return words === undefined ? "" : `${words}\n\n`;
}

/** What a comment may hold of it: `--verbose` must not take the place of the workloads. */
const MOST_NAMED = 50;

function notExamined(report: PlanReport, verbose: boolean): string {
  const lines = notExaminedGroups(report, { command: "plan", verbose }).map(({ what, names, more, look }) => {
    const shown = names.slice(0, MOST_NAMED);
    const left = more + names.length - shown.length;
    const named = shown.map(markdownCode).join(", ");
    return `- ${markdownText(what)} (${named}${left === 0 ? "" : ` and ${left} more`}): ${markdownCode(look)}\n`;
  });
  return lines.length === 0 ? "" : `<b>Not examined</b>\n\n${lines.join("")}`;
}
