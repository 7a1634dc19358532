import { addTo } from "../base/grouped.ts";
import { formatList } from "../base/names.ts";
import { severityOf } from "../findings/catalogue/finding.ts";
import { SEVERITIES } from "../findings/catalogue/severity.ts";
import { describeFinding } from "../findings/catalogue/describe.ts";
import type { PlanFinding, PlanReport } from "../reports/plan/plan-report.ts";
import type { PlanRows } from "./plan-rows.ts";
import { findingText } from "./plan-words.ts";

/** Findings of one rule that need the same fix. */
export interface FindingGroup {
  readonly first: PlanFinding;
  readonly findings: number;
  readonly remedy: string | undefined;
  /** What they say and no row does; what several say alike once, with their applications. */
  readonly messages: readonly string[];
}

/** All findings by what has to be done about them: those of this change first, then the worst. */
export function findingGroups(
  { findings }: Pick<PlanReport, "findings">,
  { single, groups }: PlanRows,
  errors: readonly PlanFinding[],
): FindingGroup[] {
  const inRows = single.flatMap((workload) => workload.findings);
  const inGroups = groups.flatMap(({ workloads }) => workloads.flatMap((workload) => workload.findings));
  const shown = new Set([...errors, ...inRows].map((finding) => keyOf(finding, finding.application)));
  const byFix = new Map<string, PlanFinding[]>();
  for (const finding of [...inRows, ...inGroups, ...findings]) {
    const { id, before = false } = finding;
    const { severity, remedy = "" } = describeFinding(finding);
    addTo(byFix, JSON.stringify([id, severity, before, remedy]), finding);
  }
  return [...byFix.values()]
    .flatMap((alike): FindingGroup[] => {
      const [first] = alike;
      if (first === undefined) return [];
      const others = alike.filter((finding) => !shown.has(keyOf(finding, finding.application)));
      return [{ first, findings: alike.length, remedy: describeFinding(first).remedy, messages: messagesOf(others) }];
    })
    .sort((a, b) => rank(a) - rank(b));
}

/** What a finding says, whoever has it. */
function keyOf({ id, cause, params, more, place }: PlanFinding, application = ""): string {
  return JSON.stringify({ id, cause, params, more, place, application });
}

function messagesOf(findings: readonly PlanFinding[]): string[] {
  const alike = new Map<string, PlanFinding[]>();
  for (const finding of findings) addTo(alike, keyOf(finding), finding);
  return [...alike.values()].flatMap((some) => (some[0] === undefined ? [] : [withApplications(some[0], some)]));
}

const MOST_APPLICATIONS = 3;

/** What a finding says, with the applications that have one like it. Plain manifests of the root need no name. */
export function withApplications(finding: PlanFinding, alike: readonly PlanFinding[]): string {
  const names = new Set(alike.flatMap(({ application = "." }) => (application === "." ? [] : [application])));
  return names.size === 0
    ? findingText(finding)
    : `${findingText(finding)} (in ${formatList([...names], MOST_APPLICATIONS)})`;
}

function rank({ first }: FindingGroup): number {
  const behind = first.before === true ? Object.keys(SEVERITIES).length : 0;
  return behind + SEVERITIES[severityOf(first)].rank;
}
