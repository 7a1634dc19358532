import { jsonText } from "../findings/results/json-text.ts";
import type { StatusReport } from "../reports/status/status-report.ts";

/** `status -o json`. */
export function statusJson(report: StatusReport): string {
  return `${jsonText(report, 2)}\n`;
}
