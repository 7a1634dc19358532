import { formatList } from "../base/names.ts";
import { SEVERITIES, type Severity } from "../findings/catalogue/severity.ts";
import type { PlanFinding, PlannedWorkload } from "../reports/plan/plan-report.ts";
import { addTo } from "../base/grouped.ts";

/** Findings of one rule for which the same is to be done: what to do is told once for all of them. */
export interface FindingGroup {
  readonly id: string;
  readonly severity: Severity;
  /** The base had them too: `--all` lists them. */
  readonly before: boolean;
  /** What to do about each of them. */
  readonly remedy?: string;
  /** What is said of each that is not told elsewhere, in the order of the plan; what several say alike once. */
  readonly messages: readonly string[];
  /** How many there are. */
  readonly findings: number;
}

/** Findings by what is to be done about them: what comes of this change first, then the worst. */
export function findingGroups(
  findings: readonly PlanFinding[],
  isTold: (finding: PlanFinding) => boolean = () => false,
): FindingGroup[] {
  const found = new Map<string, PlanFinding[]>();
  for (const finding of findings) {
    const { id, severity, remedy = "", before = false } = finding;
    const key = JSON.stringify([id, severity, before, remedy]);
    addTo(found, key, finding);
  }
  return [...found.values()]
    .flatMap((alike): FindingGroup[] => {
      const [first] = alike;
      if (first === undefined) return [];
      const { id, severity, remedy, before = false } = first;
      const messages = messagesOf(alike.filter((finding) => !isTold(finding)));
      return [{ id, severity, before, ...(remedy === undefined ? {} : { remedy }), messages, findings: alike.length }];
    })
    .sort((a, b) => Number(a.before) - Number(b.before) || rank(a) - rank(b));
}

/** How many of the applications of which the same is found are named. */
const MOST_APPLICATIONS = 3;

/** What findings say, each once, with the applications of which it is said. */
function messagesOf(findings: readonly PlanFinding[]): string[] {
  const by = new Map<string, Set<string>>();
  for (const { message, application } of findings) {
    const known = by.get(message) ?? new Set();
    by.set(message, known);
    if (application !== undefined && application !== ROOT) known.add(application);
  }
  return [...by].map(([message, applications]) => withApplications(message, [...applications]));
}

// The plain manifests of the root need no name, as in `placeOf`.
const ROOT = ".";

/** What a finding says that stands in no row, with its application. */
export function messageAlone(finding: PlanFinding): string {
  return messagesOf([finding])[0] ?? finding.message;
}

function withApplications(message: string, applications: readonly string[]): string {
  return applications.length === 0 ? message : `${message} (in ${formatList(applications, MOST_APPLICATIONS)})`;
}

function rank({ severity }: FindingGroup): number {
  return SEVERITIES[severity].rank;
}

/** All findings of some workloads. */
export function findingsOf(workloads: readonly PlannedWorkload[]): PlanFinding[] {
  return workloads.flatMap(({ findings }) => findings);
}
