import { groupedBy } from "../../../base/grouped.ts";
import type { PlanFinding } from "../planned-workload.ts";
import type { Many } from "./row-types.ts";

/** Findings with one cause, and what they say together. */
export interface JoinedFindings {
  readonly says: PlanFinding;
  readonly all: Many<PlanFinding>;
}

/**
 * Findings of one rule by what they say. Each application whose sources change has a finding about the applications that may
 * use them: one unknown rendering is one cause.
 */
export function joinedFindings(
  findings: readonly PlanFinding[],
  textOf: (one: PlanFinding) => string,
): JoinedFindings[] {
  const groups = groupedBy(findings, (finding) => JSON.stringify(unknownUsesOf(finding) ?? textOf(finding)));
  return [...groups.values()].map((all) => ({ says: together(all), all }));
}

function unknownUsesOf(finding: PlanFinding): object | undefined {
  if (finding.id !== "unrendered-application" || finding.cause !== "unknownUses") return undefined;
  const { sources: _, ...unknown } = finding.params;
  return unknown;
}

function together(all: Many<PlanFinding>): PlanFinding {
  const [first] = all;
  if (first.id !== "unrendered-application" || first.cause !== "unknownUses") return first;
  const sources = all.flatMap((one) =>
    one.id === "unrendered-application" && one.cause === "unknownUses" ? one.params.sources : [],
  );
  return { ...first, params: { ...first.params, sources } };
}
