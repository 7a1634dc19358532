import picocolors from "picocolors";
import { notExaminedLines } from "../examined/account-words.ts";
import { counted } from "../ground/words.ts";
import { lineText, printable } from "../results/terminal.ts";
import type { Action, PlanFinding, PlannedWorkload, PlanReport, Reason } from "../plan/plan-report.ts";
import { ACTIONS, actionWord } from "./plan-levels.ts";
import {
  becauseOf,
  beforeWords,
  findingWords,
  MOST_FINDINGS,
  plainWords,
  reasonWords,
  strategyWords,
  summaryWords,
  workloadWords,
  type Words,
  moreDiffs,
} from "./plan-words.ts";

export interface PlanTextOptions {
  readonly color: boolean;
  /** Whether all that was not looked at is named. */
  readonly verbose?: boolean;
}

const WIDTH = 80;
/** Where what is told of a workload begins. */
const INDENT = Math.max(...ACTIONS.map(({ word }) => word.length)) + 2;

type Colors = ReturnType<typeof picocolors.createColors>;

/** `plan -o text`: aligned, for a terminal of 80 columns. */
export function planText(report: PlanReport, { color, verbose = false }: PlanTextOptions): string {
  const colors = picocolors.createColors(color);
  const blocks = report.workloads.map((workload) => workloadBlock(workload, colors));
  const more = report.findings.length - MOST_FINDINGS;
  const findings = [
    ...report.findings
      .slice(0, MOST_FINDINGS)
      .flatMap((finding) => wrap(`${findingWords(finding)}: ${printable(finding.message)}`, 0)),
    ...(more > 0 ? [`…and ${counted(more, "more finding")}: plan -o json lists them all`] : []),
  ];
  const before = beforeWords(report);
  const exceeded = report.exceeded.flatMap((limit) => wrap(`over the limit: ${limit}`, 0).map(colors.red));
  const notExamined = notExaminedLines(report, { command: "plan", verbose }).flatMap((line) =>
    wrap(printable(line), 0),
  );
  const sum = [...wrap(summaryWords(report), 0).map(colors.bold), ...exceeded];
  const parts = [...blocks, findings, before === undefined ? [] : [before], notExamined, sum].filter(
    (lines) => lines.length > 0,
  );
  return `${parts.map((lines) => lines.join("\n")).join("\n\n")}\n`;
}

function workloadBlock(workload: PlannedWorkload, colors: Colors): string[] {
  const color = colorOf(workload.action, colors);
  const name = plain(workloadWords(workload));
  const head = `${color(actionWord(workload.action).toUpperCase().padEnd(INDENT))}${colors.bold(name)}${renamed(workload)}`;
  const strategy = strategyWords(workload);
  const because = becauseOf(workload);
  return [
    head,
    ...(because === undefined ? [] : told(because)),
    ...(strategy === undefined ? [] : told(plain(strategy))),
    ...workload.reasons.flatMap((reason) => reasonLines(reason, workload, colors)),
    ...workload.findings.flatMap((finding) =>
      told(`${findingWords(finding)}: ${finding.message}`).map(findingColor(finding, colors)),
    ),
  ];
}

function findingColor({ severity, before }: PlanFinding, colors: Colors): (text: string) => string {
  if (before === true) return colors.dim;
  return severity === "error" ? colors.red : severity === "warning" ? colors.yellow : colors.dim;
}

function renamed({ renamedFrom, renamedTo }: PlannedWorkload): string {
  if (renamedFrom !== undefined) return printable(` (seems to be ${renamedFrom}, renamed)`);
  return renamedTo === undefined ? "" : printable(` (seems to be renamed to ${renamedTo})`);
}

function reasonLines(reason: Reason, { namespace }: PlannedWorkload, colors: Colors): string[] {
  const words = plain(reasonWords(reason, namespace));
  const diffs = reason.type === "Source" ? (reason.diffs ?? []) : [];
  return [
    ...told(words),
    ...diffs.flatMap(({ key, lines }) => [
      `${" ".repeat(INDENT + 2)}${lineText(key)}:`,
      ...lines.map((line) => `${" ".repeat(INDENT + 4)}${diffColor(line, colors)(printable(line))}`),
    ]),
    ...moreDiffs(reason).map((line) => `${" ".repeat(INDENT + 2)}${line}`),
  ];
}

function diffColor(line: string, colors: Colors): (text: string) => string {
  return line.startsWith("+") ? colors.green : line.startsWith("-") ? colors.red : colors.dim;
}

function colorOf(action: Action, colors: Colors): (text: string) => string {
  const table: Readonly<Record<Action, (text: string) => string>> = {
    Fail: colors.red,
    Roll: colors.yellow,
    NextRun: colors.cyan,
    NoEffect: colors.magenta,
    Reload: colors.cyan,
    Create: colors.green,
    Delete: colors.dim,
    None: colors.dim,
  };
  return table[action];
}

/** A sentence below a workload's name, wrapped; what follows its first line is indented further. */
function told(text: string): string[] {
  return wrap(printable(text), INDENT);
}

function plain(words: Words): string {
  return printable(plainWords(words));
}

/** Breaks a line at spaces. A word that is longer than a line stays whole: it may be copied. */
function wrap(text: string, indent: number): string[] {
  const lines: string[] = [];
  let line = " ".repeat(indent);
  let isEmpty = true;
  for (const word of text.split(" ")) {
    if (!isEmpty && line.length + 1 + word.length > WIDTH) {
      lines.push(line);
      line = " ".repeat(indent + 2);
      isEmpty = true;
    }
    line += isEmpty ? lineText(word) : ` ${word}`;
    isEmpty = false;
  }
  return [...lines, line];
}
