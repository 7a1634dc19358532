import { SEVERITIES, type Severity } from "../findings/severity.ts";
import type { PlanFinding, PlannedWorkload } from "../plan/plan-report.ts";

/** Findings of one rule for which the same is to be done: what to do is told once for all of them. */
export interface FindingGroup {
  readonly id: string;
  readonly severity: Severity;
  /** The base had them too: `--all` lists them. */
  readonly before: boolean;
  /** What to do about each of them. */
  readonly remedy?: string;
  /** What is said of each, in the order of the plan; what several say alike once. There is at least one. */
  readonly messages: readonly string[];
  /** How many there are. */
  readonly findings: number;
}

/** Findings by what is to be done about them: what comes of this change first, then the worst. */
export function findingGroups(findings: readonly PlanFinding[]): FindingGroup[] {
  const found = new Map<string, PlanFinding[]>();
  for (const finding of findings) {
    const { id, severity, remedy = "", before = false } = finding;
    const key = JSON.stringify([id, severity, before, remedy]);
    const known = found.get(key);
    if (known === undefined) found.set(key, [finding]);
    else known.push(finding);
  }
  return [...found.values()]
    .flatMap((alike): FindingGroup[] => {
      const [first] = alike;
      if (first === undefined) return [];
      const { id, severity, remedy, before = false } = first;
      const messages = [...new Set(alike.map(({ message }) => message))];
      return [{ id, severity, before, ...(remedy === undefined ? {} : { remedy }), messages, findings: alike.length }];
    })
    .sort((a, b) => Number(a.before) - Number(b.before) || rank(a) - rank(b));
}

function rank({ severity }: FindingGroup): number {
  return SEVERITIES[severity].rank;
}

/** All findings of some workloads. */
export function findingsOf(workloads: readonly PlannedWorkload[]): PlanFinding[] {
  return workloads.flatMap(({ findings }) => findings);
}
