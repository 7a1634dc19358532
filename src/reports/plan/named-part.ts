import type { PlanPart } from "./join-parts.ts";
import type { PlanFinding, PlannedWorkload } from "./plan-report.ts";

/** A part of which every workload and finding says to which application it belongs, where that is known. */
export function namedPart(
  part: PlanPart,
  nameOf: (workload: PlannedWorkload) => string | undefined,
  ofOthers: string | undefined,
): PlanPart {
  const others = (findings: readonly PlanFinding[]): PlanFinding[] => named(findings, ofOthers);
  // Not by spreads, which would make hidden classes of their own for each application (docs/benchmarks.md).
  return Object.assign({}, part, {
    rows: part.rows.map(({ id, isListed, planned }) => {
      const application = nameOf(planned);
      const findings = named(planned.findings, application);
      const own = Object.assign({}, planned, { findings }, application === undefined ? {} : { application });
      return { id, isListed, planned: own };
    }),
    refused: others(part.refused),
    mass: others(part.mass),
    others: others(part.others),
  });
}

function named(findings: readonly PlanFinding[], application: string | undefined): PlanFinding[] {
  return application === undefined ? [...findings] : findings.map((finding) => ({ ...finding, application }));
}
