import { jsonText } from "../results/json-text.ts";
import type { StatusReport } from "../status/status-report.ts";

/** `status -o json`. */
export function statusJson(report: StatusReport): string {
  return `${jsonText(report, 2)}\n`;
}
