import { groupedBy, sumOf } from "../base/grouped.ts";
import { counted } from "../base/words.ts";
import type { PlanReport } from "../reports/plan/plan-report.ts";
import { workloadsOf } from "../reports/plan/rows/report-rows.ts";
import type { ReportRow } from "../reports/plan/rows/row-types.ts";
import { row } from "./document/blocks.ts";
import type { Block, Fold, FoldGroup, Row, Words } from "./document/document.ts";
import { causeLine } from "./plan-causes.ts";
import { labelWord, signOf, toneOf } from "./plan-labels.ts";
import { podsText } from "./plan-words.ts";

// Rows that nobody has to read, and what a report says about those that it leaves out.

interface FoldOptions {
  /** How many rows text shows. */
  readonly most: number;
  /** The rows of a plan that rows of a document are made from. */
  readonly originalsOf: (rows: readonly Row[]) => readonly ReportRow[];
}

/** Rows by their labels; nothing if there are none. */
export function foldOf(rows: readonly Row[], { most, originalsOf }: FoldOptions): readonly Fold[] {
  if (rows.length === 0) return [];
  const groups = [...groupedBy(rows, ({ label }) => label)].map(([label, own]): FoldGroup => {
    const [{ tone, sign = "" }] = own;
    return { label, tone, sign, size: sizeText(originalsOf(own)), rows: own };
  });
  const more = (left: readonly Row[]): Words => [`and ${moreText(originalsOf(left))}`];
  return [{ is: "fold", groups, ...(most === Infinity ? {} : { most, more }) }];
}

/** `7 workloads, 18 pods`. */
function sizeText(rows: readonly ReportRow[]): string {
  const { workloads, objects, pods, podsAtMost } = sizeOf(rows);
  const size = workloads === 0 ? counted(objects, "object") : counted(workloads, "workload");
  const cost = podsText(pods, podsAtMost);
  return cost === undefined ? size : `${size}, ${cost}`;
}

/** `31 more causes (214 workloads)`. */
function moreText(rows: readonly ReportRow[]): string {
  const { workloads, objects } = sizeOf(rows);
  if (workloads === 0) return counted(objects, "more object");
  return `${counted(rows.length, "more cause")} (${counted(workloads, "workload")})`;
}

interface Size {
  readonly workloads: number;
  readonly objects: number;
  readonly pods: number;
  readonly podsAtMost: number;
}

function sizeOf(rows: readonly ReportRow[]): Size {
  const workloads = rows.flatMap((one) => (one.is === "workloads" ? workloadsOf(one) : []));
  const rolling = workloads.filter(({ action }) => action === "Roll");
  return {
    workloads: workloads.length,
    objects: sumOf(rows, (one) => ("objects" in one ? one.objects.length : 0)),
    pods: sumOf(rolling, ({ pods }) => pods),
    podsAtMost: sumOf(rolling, ({ pods, podsAtMost = pods }) => podsAtMost),
  };
}

/** Objects that the plan counts and does not list. */
export function moreObjects({ objects, summary }: PlanReport): readonly Block[] {
  const more = summary.otherObjects - objects.length;
  if (more <= 0) return [];
  const size = objects.length === 0 ? counted(more, "object") : counted(more, "more object");
  return [
    row({
      label: labelWord("other"),
      tone: toneOf("ok"),
      sign: signOf("other", "ok"),
      words: [],
      size,
      effect: ["created, changed or deleted"],
    }),
  ];
}

const MOST_CAUSES = 3;

/** What a comment says about rows that it has no room for: how many workloads of which cause, and where all are. */
export function leftOutWords(rows: readonly ReportRow[], { compared }: PlanReport): Words {
  const { workloads, objects } = sizeOf(rows);
  const findings = sumOf(rows, (one) => ("findings" in one ? one.findings.length : 0));
  const counts = [
    ...(workloads === 0 ? [] : [counted(workloads, "workload")]),
    ...(objects === 0 ? [] : [counted(objects, "object")]),
    ...(findings === 0 ? [] : [counted(findings, "finding")]),
  ];
  const size = counts.length === 0 ? counted(rows.length, "row") : counts.join(", ");
  const run = compared?.links?.run;
  const where: Words =
    run === undefined
      ? ["-o text and -o html have all of them."]
      : [{ link: run, words: ["The run has all of them"] }, "."];
  return [`Not shown: ${size}`, ...byCause(rows), ". ", ...where];
}

function byCause(rows: readonly ReportRow[]): Words {
  const caused = rows.flatMap((one) =>
    one.is === "workloads" ? one.causes.map((cause) => ({ cause, workloads: workloadsOf(one).length })) : [],
  );
  const all = [...groupedBy(caused, ({ cause }) => JSON.stringify(cause)).values()]
    .map(([first, ...others]) => ({
      ...first,
      workloads: others.reduce((sum, one) => sum + one.workloads, first.workloads),
    }))
    .sort((a, b) => b.workloads - a.workloads);
  if (all.length === 0) return [];
  const more = all.length - MOST_CAUSES;
  return [
    " (",
    ...all
      .slice(0, MOST_CAUSES)
      .flatMap(({ cause, workloads }, i): Words => [
        i === 0 ? "" : ", ",
        ...causeLine(cause).words,
        `: ${counted(workloads, "workload")}`,
      ]),
    ...(more > 0 ? [`, ${counted(more, "more cause")}`] : []),
    ")",
  ];
}
