import { joinParts, NOTHING_PLANNED } from "../../src/reports/plan/parts.ts";
import { reportOf as reportOfPlan } from "../../src/reports/plan/plan-data.ts";
import type { ExceededLimit, PlanReport } from "../../src/reports/plan/plan-report.ts";
import type { PlanFinding, PlannedWorkload } from "../../src/reports/plan/planned-workload.ts";
import { examinedAll } from "../support/accounts.ts";

/** A Deployment of one pod that rolls safely, but for what is given. */
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

/** A reason: one key of a ConfigMap has changed. */
export function changed(name: string): PlannedWorkload["reasons"][number] {
  return {
    type: "Source",
    source: { kind: "ConfigMap", namespace: "default", name },
    keys: { added: [], removed: [], changed: ["LOG_LEVEL"] },
  };
}

const object = (kind: string, name: string): { apiVersion: string; kind: string; namespace: string; name: string } => ({
  apiVersion: "v1",
  kind,
  namespace: "default",
  name,
});

/** A warning about an object: nothing uses it. */
export function unused(name: string): PlanFinding {
  return { id: "RS012", cause: "unused", params: { source: object("ConfigMap", name) } };
}

/** An error about an object: its apply is refused. */
export function immutable(name: string): PlanFinding {
  return { id: "RS006", cause: "mutable", params: { source: object("ConfigMap", name) } };
}

/** A warning about a workload: a rollout leaves no pod. */
export function noPod(name: string): PlanFinding {
  const strategy = { type: "Recreate", replicas: 1, maxUnavailable: null, maxSurge: null };
  return { id: "RS004", cause: "recreate", params: { workload: object("Deployment", name), strategy } };
}

interface Given {
  readonly findings?: readonly PlanFinding[];
  readonly exceeded?: readonly ExceededLimit[];
}

/** A plan of some workloads, as `plan` makes one of them. */
export function reportOf(
  workloads: readonly PlannedWorkload[],
  { findings = [], exceeded = [] }: Given = {},
): PlanReport {
  const part = {
    ...NOTHING_PLANNED,
    rows: workloads.map((planned) => ({ isListed: true, planned })),
    others: findings,
  };
  const plan = joinParts([part], { maxWorkloads: undefined, maxPods: undefined, failOn: [] }, "applied");
  return reportOfPlan({ ...plan, exceeded }, [], examinedAll(2, workloads.length), { failOn: [] });
}
