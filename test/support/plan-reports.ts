import type { ExitStatus } from "../../src/base/errors.ts";
import { BAD } from "../../src/base/errors.ts";
import { printHtml } from "../../src/output/document/html.ts";
import { commentMarker, LONGEST_COMMENT, printMarkdown } from "../../src/output/document/markdown.ts";
import { printText } from "../../src/output/document/text.ts";
import { planDocument, type PlanDocumentOptions } from "../../src/output/plan-document.ts";
import { DEFAULT_TITLE } from "../../src/output/plan-head.ts";
import { planStatus } from "../../src/reports/plan/limits.ts";
import type { PlanReport } from "../../src/reports/plan/plan-report.ts";

// The reports of a plan as `rollstamp plan` prints them.

export interface PrintedOptions extends Partial<Omit<PlanDocumentOptions, "form">> {
  readonly color?: boolean;
  readonly columns?: number;
}

function optionsOf(report: PlanReport, form: PlanDocumentOptions["form"], given: PrintedOptions): PlanDocumentOptions {
  const status: ExitStatus = report.verdict === null ? BAD : planStatus(report);
  const { color: _color, columns: _columns, ...options } = given;
  return { form, title: DEFAULT_TITLE, all: false, verbose: false, status, ...options };
}

export function planText(report: PlanReport, given: PrintedOptions = {}): Promise<string> {
  return printText(planDocument(report, optionsOf(report, "text", given)), {
    color: given.color ?? false,
    columns: given.columns,
  });
}

export function planMarkdown(
  report: PlanReport,
  given: PrintedOptions = {},
  longest: number = LONGEST_COMMENT,
): string {
  const options = optionsOf(report, "markdown", given);
  return printMarkdown(planDocument(report, options), { marker: commentMarker("plan", options.title), longest });
}

export function planHtml(report: PlanReport, given: PrintedOptions = {}): string {
  return printHtml(planDocument(report, optionsOf(report, "html", given)));
}
