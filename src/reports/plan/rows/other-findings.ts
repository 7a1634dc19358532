import { groupedBy } from "../../../base/grouped.ts";
import { describeFinding } from "../../../findings/catalogue/describe.ts";
import { severityOf } from "../../../findings/catalogue/finding.ts";
import { SEVERITIES } from "../../../findings/catalogue/severity.ts";
import { judgedOf } from "../judged.ts";
import type { Label } from "../labels.ts";
import type { PlanReport } from "../plan-report.ts";
import type { PlanFinding, PlannedWorkload } from "../planned-workload.ts";
import type { RowCause } from "./row-causes.ts";
import type { FindingRow } from "./row-types.ts";

/** What the row of a workload says, so that its findings need no rows. */
const SAID: Partial<Record<Label, readonly string[]>> = {
  refused: ["RS006", "RS019", "RS020"],
  outage: ["RS004"],
  "may-stick": ["RS015", "RS001", "RS002", "lost-port", "cannot-start"],
  lost: ["RS001", "RS002"],
  stale: ["RS025"],
  "no-effect": ["RS005"],
};

/** The findings that the cause of all rows changes many workloads: they are said with the cause. */
export function massFindings(
  { findings }: Pick<PlanReport, "findings">,
  shared: readonly RowCause[],
): readonly PlanFinding[] {
  const sources = new Set(
    shared.flatMap((cause) => {
      if (cause.is !== "reason" || cause.reason.type !== "Source") return [];
      const { kind, name } = cause.reason.source;
      return [`${kind} ${name}`];
    }),
  );
  return findings.filter(
    ({ id, before, params }) =>
      id === "RS017" &&
      before !== true &&
      "source" in params &&
      sources.has(`${params.source.kind} ${params.source.name}`),
  );
}

/** Rows of the findings that no other row has, those of the change first: they are no part of the verdict. */
export function otherFindings(report: PlanReport, shared: readonly RowCause[]): readonly FindingRow[] {
  const judged = judgedOf(report);
  const said = new Set(massFindings(report, shared));
  const rows = new Set(judged.flatMap(({ subject }) => (subject.is === "finding" ? subject.finding : [])));
  const ofWorkloads = judged.flatMap(({ label, subject }) =>
    subject.is === "workload" ? notSaid(label, subject.workload) : [],
  );
  const left = [...ofWorkloads, ...report.findings].filter(
    (finding) =>
      !rows.has(finding) && !said.has(finding) && finding.isNotApplied !== true && finding.accepted === undefined,
  );
  const byFix = groupedBy(left, (finding) => {
    const { id, severity, remedy } = describeFinding(finding);
    return JSON.stringify([id, severity, remedy, finding.before]);
  });
  return [...byFix.values()]
    .map((findings): FindingRow => ({ is: "findings", label: "warning", level: undefined, findings }))
    .sort((a, b) => rank(a) - rank(b));
}

function notSaid(label: Label, { findings, held, orphan }: PlannedWorkload): readonly PlanFinding[] {
  if (held !== undefined || orphan === true) return [];
  const said = SAID[label] ?? [];
  // That a pod counts as available once it has started is in the words of a rollout.
  return findings.filter(({ id, before }) => before === true || (id !== "RS016" && !said.includes(id)));
}

function rank({ findings: [first] }: FindingRow): number {
  const behind = first.before === true ? Object.keys(SEVERITIES).length : 0;
  return behind + SEVERITIES[severityOf(first)].rank;
}
