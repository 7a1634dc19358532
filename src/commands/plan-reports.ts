import { reportErrors } from "../applications/inputs/read-inputs.ts";
import { nothingExamined } from "../findings/not-examined/account-words.ts";
import { BAD, RollstampError, type ExitStatus } from "../base/errors.ts";
import { planStatus } from "../reports/plan/limits.ts";
import { type PlanShard } from "../reports/plan/shards.ts";
import type { Document } from "../output/document/document.ts";
import { printHtml } from "../output/document/html.ts";
import { commentMarker, LONGEST_COMMENT, printMarkdown } from "../output/document/markdown.ts";
import { planDocument } from "../output/plan-document.ts";
import { type PlanForm } from "../output/plan-head.ts";
import { planJson } from "../output/plan-json.ts";
import { planSummary } from "../output/plan-summary.ts";
import { type PlanReport } from "../reports/plan/plan-report.ts";
import { wantsColor, type ColorWhen } from "./options.ts";
import type { Io } from "../platform/ports/io.ts";
import { writeReport } from "./write-text.ts";

// The reports of a plan, and its exit status.

type PlanOutput = "text" | "markdown" | "json" | "html" | "summary";

export interface PlanReportOptions {
  readonly output: PlanOutput;
  readonly title: string;
  readonly color: ColorWhen;
  readonly all?: boolean;
  readonly verbose?: boolean;
}

/** What reports have beside the plan. */
interface Reported {
  readonly options: PlanReportOptions;
  readonly status: ExitStatus;
  /** Why there is no verdict. */
  readonly error: RollstampError | undefined;
  readonly sides: readonly string[];
  readonly shard: PlanShard | undefined;
}

type Reporter = (report: PlanReport, reported: Reported) => string | Document;

export const REPORTERS: Readonly<Record<PlanOutput, Reporter>> = {
  text: (report, reported) => documentOf("text", report, reported),
  markdown: (report, reported) =>
    printMarkdown(documentOf("markdown", report, reported), {
      marker: commentMarker("plan", reported.options.title),
      longest: LONGEST_COMMENT,
    }),
  json: (report, { shard }) => planJson(report, shard),
  html: (report, reported) => printHtml(documentOf("html", report, reported)),
  summary: (report, { status, error }) => planSummary(report, { status, error: error?.message }),
};

function documentOf(form: PlanForm, report: PlanReport, { options, status, sides }: Reported): Document {
  const { title, verbose = false, all = false } = options;
  return planDocument(report, { form, title, all, verbose, status, sides });
}

const ALL_FAILED = new RollstampError(
  "input",
  "nothing was examined: no application can be rendered in either revision",
);

/** Writes the report; returns the exit status. */
export async function printReport(
  io: Io,
  report: PlanReport,
  options: PlanReportOptions,
  { shard, sides = [] }: { readonly shard?: PlanShard | undefined; readonly sides?: readonly string[] } = {},
): Promise<ExitStatus> {
  // Whether nothing was examined is known only when all shards are merged.
  const error = shard === undefined && report.verdict === null ? errorOf(report, options) : undefined;
  const status = error === undefined ? planStatus(report) : BAD;
  const text = REPORTERS[options.output](report, { options, status, error, sides, shard });
  await writeReport(io, text, wantsColor(options.color, io));
  if (error !== undefined) reportErrors(io, [error]);
  return status;
}

function errorOf(report: PlanReport, { verbose = false }: PlanReportOptions): RollstampError {
  return report.notExamined.length === 0 ? ALL_FAILED : nothingExamined(report, { command: "plan", verbose });
}
