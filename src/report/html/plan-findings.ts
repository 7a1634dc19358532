import type { PlanFinding } from "../../plan/plan-report.ts";
import { findingWords } from "../plan-words.ts";
import { element, type Html } from "./html.ts";

/** Findings of a plan, of a workload or of none. */
export function findingsList(findings: readonly PlanFinding[]): Html {
  return element(
    "ul",
    { class: "findings" },
    findings.map((finding) => {
      const { severity, message, remedy } = finding;
      return element(
        "li",
        { class: severity },
        element("span", { class: "rule" }, findingWords(finding)),
        ` ${message}`,
        remedy === undefined ? undefined : [" ", element("span", { class: "remedy" }, remedy)],
      );
    }),
  );
}
