// What happens to a workload, as the rows of a report say it.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { judgedOf } from "../../../../src/reports/plan/judged.ts";
import type { Strategy } from "../../../../src/kubernetes/rollout/rollout-types.ts";
import type { PlannedWorkload } from "../../../../src/reports/plan/planned-workload.ts";
import { effectOf, type Effect } from "../../../../src/reports/plan/rows/effects.ts";
import { workload } from "../../../output/plan-workloads.ts";

const strategy = (replicas: number): Strategy => ({
  type: "RollingUpdate",
  replicas,
  maxSurge: 1,
  maxUnavailable: 0,
  minAvailable: replicas,
  maxTotal: replicas + 1,
});
const GONE: Partial<PlannedWorkload> = {
  lost: [{ source: { kind: "ConfigMap", namespace: "default", name: "env" }, keys: [] }],
};
const UP = { from: 2, to: 4 };
const DOWN = { from: 2, to: 0 };

const ROWS: readonly (readonly [what: string, given: Partial<PlannedWorkload>, effect: Partial<Effect>])[] = [
  ["a rollout that also scales", { strategy: strategy(4), replicas: UP }, { is: "rolls", replicas: UP }],
  [
    "old content that also scales",
    { action: "Stale", strategy: strategy(4), replicas: UP },
    { is: "stale", replicas: UP },
  ],
  ["a lost source", { action: "None", strategy: strategy(2), ...GONE }, { is: "lost", pods: "running" }],
  [
    "a lost source of what has no pods",
    { action: "None", strategy: strategy(0), ...GONE },
    { is: "lost", pods: "none" },
  ],
  [
    "a lost source of what is scaled to 0",
    { action: "Scale", strategy: strategy(0), replicas: DOWN, ...GONE },
    { is: "lost", pods: "none", replicas: DOWN },
  ],
  ["a lost source of a CronJob", { action: "None", kind: "CronJob", ...GONE }, { is: "lost", pods: "run" }],
  ["a lost source of a next run", { action: "NextRun", kind: "CloneJob", ...GONE }, { is: "lost", pods: "run" }],
  [
    "a lost source that a creation needs",
    { action: "Create", strategy: strategy(2), ...GONE },
    { is: "rolls", stuck: { by: "lost" } },
  ],
];

describe("the effect on a workload", () => {
  for (const [what, given, expected] of ROWS)
    it(`of ${what}`, () => {
      const subject = workload("web", given);
      const [judged] = judgedOf({ workloads: [subject], objects: [], findings: [], exceeded: [] });
      assert.ok(judged !== undefined);
      const effect = effectOf(judged.label, subject);
      assert.deepEqual({ ...effect, ...expected }, effect);
    });
});
