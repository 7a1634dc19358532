import { printHtml } from "../../src/output/document/html.ts";
import { commentMarker, LONGEST_COMMENT, printMarkdown } from "../../src/output/document/markdown.ts";
import { printText } from "../../src/output/document/text.ts";
import {
  EVERYTHING,
  MOST_IN_MARKDOWN,
  MOST_IN_PAGE,
  MOST_IN_TEXT,
  planDocument,
} from "../../src/output/plan-document.ts";
import type { PlanReport } from "../../src/reports/plan/plan-report.ts";

// The reports of a plan as `rollstamp plan` prints them.

const TITLE = "Rollout plan";

export interface PrintedOptions {
  readonly title?: string;
  readonly color?: boolean;
  readonly all?: boolean;
  readonly verbose?: boolean;
}

export function planText(
  report: PlanReport,
  { title = TITLE, color = false, all = false, verbose = false }: PrintedOptions = {},
): Promise<string> {
  const document = planDocument(report, { title, verbose, most: all ? EVERYTHING : MOST_IN_TEXT });
  return printText(document, { color });
}

export function planMarkdown(report: PlanReport, { title = TITLE, verbose = false }: PrintedOptions = {}): string {
  const document = planDocument(report, { title, verbose, most: MOST_IN_MARKDOWN });
  return printMarkdown(document, { marker: commentMarker("plan", title), longest: LONGEST_COMMENT });
}

export function planHtml(report: PlanReport, { title = TITLE, verbose = false }: PrintedOptions = {}): string {
  return printHtml(planDocument(report, { title, verbose, most: MOST_IN_PAGE }));
}
