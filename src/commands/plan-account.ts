import type { Finding } from "../findings/catalogue/finding.ts";
import { formatPlace } from "../base/errors.ts";
import { planFinding, worstFirst } from "../reports/plan/plan-findings.ts";
import type { PlanReport, RolloutPlan } from "../reports/plan/plan-report.ts";
import { verdictOf } from "../reports/plan/verdict.ts";
import type { ApplicationsPlan } from "../applications/compare/plan-applications.ts";

/** The plan with what was met while its sides were read, and parted. */
export function withAccount(
  plan: RolloutPlan,
  { account, findings }: ApplicationsPlan["inputs"],
  ofParts: readonly Finding[],
): PlanReport {
  const met = [...findings, ...ofParts].map((finding) => {
    const { message, ...told } = planFinding(finding);
    return { ...told, message: finding.place === undefined ? message : `${formatPlace(finding.place)}: ${message}` };
  });
  const report = {
    ...plan,
    findings: worstFirst([...met, ...plan.findings]),
    examined: { ...account.examined, workloads: plan.summary.workloads },
    notExamined: account.notExamined,
  };
  // What can't be read is no "nothing changes".
  return { ...report, verdict: verdictOf(report) };
}
