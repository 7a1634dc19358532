import { examinedAll } from "../support/accounts.ts";
import { causesOf } from "../../src/reports/plan/causes.ts";
import { riskiestFirst } from "../../src/reports/plan/order.ts";
import type { PlanFinding, PlannedWorkload, PlanReport } from "../../src/reports/plan/plan-report.ts";
import { summaryOf } from "../../src/reports/plan/plan-summary.ts";
import { verdictOf } from "../../src/reports/plan/verdict.ts";

/** A workload of a plan: a Deployment of one pod that rolls safely, but for what is given. */
export function workload(name: string, given: Partial<PlannedWorkload> = {}): PlannedWorkload {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    namespace: "default",
    name,
    action: "Roll",
    pods: 1,
    safety: "Safe",
    caveats: [],
    reasons: [],
    strategy: null,
    findings: [],
    ...given,
  };
}

/** A reason: a ConfigMap of which one key has changed. */
export function changed(name: string): PlannedWorkload["reasons"][number] {
  return {
    type: "Source",
    source: { kind: "ConfigMap", namespace: "default", name },
    keys: { added: [], removed: [], changed: ["LOG_LEVEL"] },
  };
}

interface Given {
  readonly findings?: readonly PlanFinding[];
  readonly exceeded?: readonly string[];
}

/** A plan of some workloads, as `plan` makes one of them. */
export function reportOf(given: readonly PlannedWorkload[], { findings = [], exceeded = [] }: Given = {}): PlanReport {
  const workloads = riskiestFirst(given, (row) => row);
  const summary = summaryOf(workloads);
  const judged = { summary, workloads, findings, exceeded };
  return {
    apiVersion: "rollstamp.dev/v1alpha1",
    kind: "RolloutPlan",
    verdict: verdictOf(judged),
    ...judged,
    causes: causesOf(workloads),
    findingsBefore: 0,
    ...examinedAll(2, workloads.length),
  };
}
