import { BAD, DONE, type ExitStatus } from "../base/errors.ts";
import { jsonText } from "../findings/results/json-text.ts";
import type { Level, PlannedRange, PlanReport, PlanSummary } from "../reports/plan/plan-report.ts";
import { verdictText } from "./plan-verdict.ts";

/** What a bot may do with a change: merge it, merge it at a good time, or leave it to a person. */
export type RolloutLabel = "rolls:none" | "rolls:safe" | "rolls:risky";

/** The shape of `plan -o summary` (contract, section 8; schemas/plan-summary.json). */
export interface PlanSummaryJson extends Partial<Pick<PlannedRange, "repository" | "base" | "head">> {
  /** Null if nothing was examined, or the plan can't be made. */
  readonly verdict: { readonly level: Level; readonly text: string } | null;
  readonly status: ExitStatus;
  /** Why there is no verdict. */
  readonly error?: string;
  /** Absent if there is no verdict. */
  readonly summary?: PlanSummary;
  /** Empty if there is no verdict. */
  readonly labels: readonly RolloutLabel[];
}

/** What a report of one line has beside the plan. */
export interface SummaryContext {
  readonly status: ExitStatus;
  /** Why there is no verdict. */
  readonly error: string | undefined;
}

/** `plan -o summary`: one line of JSON for bots. */
export function planSummary(report: PlanReport, context: SummaryContext): string {
  return `${jsonText(summaryShape(report, context))}\n`;
}

/** The line of a plan that can't be made. */
export function summaryOfError(error: string): string {
  const shape: PlanSummaryJson = { verdict: null, status: BAD, error, labels: [] };
  return `${jsonText(shape)}\n`;
}

function summaryShape(report: PlanReport, { status, error }: SummaryContext): PlanSummaryJson {
  const { verdict, summary, compared } = report;
  const range =
    compared === undefined ? {} : { repository: compared.repository, base: compared.base, head: compared.head };
  if (verdict === null) return { verdict, status, ...(error === undefined ? {} : { error }), labels: [], ...range };
  const { level } = verdict;
  const text = verdictText(report);
  return { verdict: { level, text }, status, summary, labels: [labelOf(summary, level, status)], ...range };
}

function labelOf({ rolls, creates, scales }: PlanSummary, level: Level, status: ExitStatus): RolloutLabel {
  if (level !== "ok" || status !== DONE) return "rolls:risky";
  return rolls + creates + scales === 0 ? "rolls:none" : "rolls:safe";
}
