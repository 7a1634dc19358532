import type { PlanFinding } from "../../plan/plan-report.ts";
import { element, type Html } from "./html.ts";

/** Findings of a plan, of a workload or of none. */
export function findingsList(findings: readonly PlanFinding[]): Html {
  return element(
    "ul",
    { class: "findings" },
    findings.map(({ id, severity, message, remedy }) =>
      element(
        "li",
        { class: severity },
        element("span", { class: "rule" }, `${severity} ${id}`),
        ` ${message}`,
        remedy === undefined ? undefined : [" ", element("span", { class: "remedy" }, remedy)],
      ),
    ),
  );
}
