import { counted } from "../../base/words.ts";
import type { PlanFinding } from "../../reports/plan/plan-report.ts";
import type { FindingGroup } from "../plan-finding-groups.ts";
import { findingWords, MOST_FINDINGS } from "../plan-words.ts";
import { element, type Child, type Html } from "./html.ts";

/** Findings of a plan, of a workload or of none, with what each says. */
export function findingsList(
  findings: readonly PlanFinding[],
  said: (finding: PlanFinding) => string = ({ message }) => message,
): Html {
  const more = findings.length - MOST_FINDINGS;
  return element(
    "ul",
    { class: "findings" },
    findings.slice(0, MOST_FINDINGS).map((finding) => {
      const { severity, remedy } = finding;
      return element(
        "li",
        { class: severity },
        element("span", { class: "rule" }, findingWords(finding)),
        ` ${said(finding)}`,
        remedyText(remedy),
      );
    }),
    more > 0 ? element("li", {}, `and ${more} more`) : undefined,
  );
}

const MOST_MESSAGES = 3;

/** Findings of several workloads: those with one remedy are told once, with the first of what they say. */
export function findingGroupsList(groups: readonly FindingGroup[]): Html {
  return element(
    "ul",
    { class: "findings" },
    groups.map((group) => {
      const { severity, messages, remedy, findings } = group;
      const more = messages.length - MOST_MESSAGES;
      return element(
        "li",
        { class: severity },
        element(
          "span",
          { class: "rule" },
          findingWords(group),
          findings > 1 ? `, ${counted(findings, "finding")}` : undefined,
        ),
        ` ${messages.slice(0, MOST_MESSAGES).join("; ")}${more > 0 ? `; and ${more} more` : ""}`,
        remedyText(remedy),
      );
    }),
  );
}

function remedyText(remedy: string | undefined): Child {
  return remedy === undefined ? undefined : [" ", element("span", { class: "remedy" }, remedy)];
}
