import type { PlanPart } from "./join-parts.ts";
import type { PlanFinding, PlannedWorkload } from "./plan-report.ts";

/** A part of which every workload and finding says to which application it belongs, where that is known. */
export function namedPart(
  part: PlanPart,
  nameOf: (workload: PlannedWorkload) => string | undefined,
  ofOthers: string | undefined,
): PlanPart {
  const others = (findings: readonly PlanFinding[]): PlanFinding[] => named(findings, ofOthers);
  return {
    ...part,
    rows: part.rows.map(({ planned, ...row }) => {
      const application = nameOf(planned);
      const findings = named(planned.findings, application);
      return { ...row, planned: { ...planned, findings, ...(application === undefined ? {} : { application }) } };
    }),
    refused: others(part.refused),
    mass: others(part.mass),
    others: others(part.others),
  };
}

function named(findings: readonly PlanFinding[], application: string | undefined): PlanFinding[] {
  return application === undefined ? [...findings] : findings.map((finding) => ({ ...finding, application }));
}
