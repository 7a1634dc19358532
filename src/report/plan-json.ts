import type { PlanReport } from "./plan-report.ts";

/** `plan -o json`: the plan as it stands. */
export function planJson(report: PlanReport): string {
  return `${escaped(JSON.stringify(report, undefined, 2))}\n`;
}

/** JSON keeps control characters and direction marks beyond ASCII: a terminal would follow them. */
function escaped(json: string): string {
  return json.replace(
    /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
