import type { PlanFinding } from "../../plan/plan-report.ts";
import { findingWords, MOST_FINDINGS } from "../plan-words.ts";
import { element, type Html } from "./html.ts";

/** Findings of a plan, of a workload or of none. */
export function findingsList(findings: readonly PlanFinding[]): Html {
  const more = findings.length - MOST_FINDINGS;
  return element(
    "ul",
    { class: "findings" },
    findings.slice(0, MOST_FINDINGS).map((finding) => {
      const { severity, message, remedy } = finding;
      return element(
        "li",
        { class: severity },
        element("span", { class: "rule" }, findingWords(finding)),
        ` ${message}`,
        remedy === undefined ? undefined : [" ", element("span", { class: "remedy" }, remedy)],
      );
    }),
    more > 0 ? element("li", {}, `and ${more} more`) : undefined,
  );
}
