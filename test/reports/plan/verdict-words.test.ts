import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { PlanFinding, PlannedWorkload, PlanReport } from "../../../src/reports/plan/plan-report.ts";
import { summaryOf } from "../../../src/reports/plan/plan-summary.ts";
import { verdictOf } from "../../../src/reports/plan/verdict.ts";
import { workload } from "../../output/plan-workloads.ts";

interface Given {
  readonly findings?: readonly PlanFinding[];
  readonly exceeded?: readonly string[];
  readonly notExamined?: PlanReport["notExamined"];
}

function verdict(
  workloads: readonly PlannedWorkload[],
  { findings = [], exceeded = [], notExamined = [] }: Given = {},
): string {
  return verdictOf({ summary: summaryOf(workloads), workloads, findings, exceeded, notExamined }).text;
}

function error(id: PlanFinding["id"]): PlanFinding {
  return { id, severity: "error", message: id };
}

const many = (given: Partial<PlannedWorkload>): PlannedWorkload[] => ["a", "b"].map((name) => workload(name, given));

describe("the words of a verdict", () => {
  const CASES: readonly (readonly [readonly PlannedWorkload[], Given, string])[] = [
    [many({}), {}, "Ship it: 2 workloads roll, and none has fewer pods meanwhile"],
    [many({ action: "NextRun" }), {}, "Ship it: 2 workloads change, and no pod is replaced"],
    [many({ action: "None" }), {}, "Nothing changes"],
    [many({ action: "Waiting", pods: 0 }), {}, "Ship it: 2 workloads wait, and no pod is replaced"],
    [many({ action: "Waiting", pods: 0 }).slice(1), {}, "Ship it: 1 workload waits, and no pod is replaced"],
    [
      [workload("a", { action: "None" }), workload("b", { action: "Waiting", pods: 0 })],
      {},
      "Ship it: 1 workload waits, and no pod is replaced",
    ],
    [
      [workload("a"), workload("b", { action: "Waiting", pods: 0 })],
      {},
      "Ship it: 1 workload rolls, and none has fewer pods meanwhile",
    ],
    [many({ action: "Delete", safety: "Reduced" }), {}, "Look at it first: 2 workloads are deleted"],
    [many({}), { exceeded: ["a", "b"] }, "Don't ship it as it is: 2 limits are exceeded"],
    [many({}), { findings: [error("RS001")] }, "Don't ship it as it is: 1 finding is an error"],
    [many({}), { findings: [error("RS001"), error("RS011")] }, "Don't ship it as it is: 2 findings are errors"],
    [many({}), { findings: [error("RS006")] }, "Don't ship it: 1 source is refused"],
    [many({}), { findings: [error("RS006"), error("RS006")] }, "Don't ship it: 2 sources are refused"],
    [
      many({}),
      { findings: [{ ...error("RS001"), before: true }] },
      "Ship it: 2 workloads roll, and none has fewer pods meanwhile",
    ],
    [many({ findings: [error("RS020")] }), {}, "Don't ship it as it is: 2 findings are errors"],
    [many({ action: "Fail", findings: [error("RS020")] }), {}, "Don't ship it: 2 workloads fail to apply"],
  ];
  for (const [workloads, given, text] of CASES) it(text, () => assert.equal(verdict(workloads, given), text));
});
