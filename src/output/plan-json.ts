import { jsonText } from "../findings/results/json-text.ts";
import type { PlanReport } from "../reports/plan/plan-report.ts";

/** `plan -o json`: the plan as it stands. */
export function planJson(report: PlanReport): string {
  return `${jsonText(report, 2)}\n`;
}
