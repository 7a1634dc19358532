import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { blockingOption, planStatus, type FailOn, type Limits } from "../../../src/reports/plan/limits.ts";
import { joinParts, NOTHING_PLANNED } from "../../../src/reports/plan/parts.ts";
import { reportOf } from "../../../src/reports/plan/plan-data.ts";
import type { PlanReport } from "../../../src/reports/plan/plan-report.ts";
import type { PlanFinding, PlannedObject, PlannedWorkload } from "../../../src/reports/plan/planned-workload.ts";
import { noPod, workload } from "../../output/plan-workloads.ts";
import { examinedAll } from "../../support/accounts.ts";
import { configMap, deployment } from "../../support/manifests.ts";
import { planned } from "./planned.ts";

interface Given {
  readonly objects?: readonly PlannedObject[];
  readonly findings?: readonly PlanFinding[];
}

function report(
  workloads: readonly PlannedWorkload[],
  limits: Partial<Limits>,
  { objects = [], findings = [] }: Given = {},
): PlanReport {
  const part = {
    ...NOTHING_PLANNED,
    rows: workloads.map((one) => ({ isListed: true, planned: one })),
    objects,
    // The namespace is not empty.
    keeps: ["default"],
  };
  const full = { maxWorkloads: undefined, maxPods: undefined, failOn: [], ...limits };
  return reportOf(joinParts([part], full, "applied"), findings, examinedAll(2, workloads.length), full);
}

const SERVED: PlannedWorkload["traffic"] = { services: ["web"], isServing: false };
const object = (kind: string, given: Partial<PlannedObject> = {}): PlannedObject => ({
  apiVersion: "v1",
  kind,
  namespace: "default",
  name: "a",
  change: "Delete",
  fields: [],
  ...given,
});
const RELEASE: PlanFinding = {
  id: "RS024",
  cause: "notRendered",
  params: {
    object: { apiVersion: "helm.toolkit.fluxcd.io/v2", kind: "HelmRelease", name: "a" },
    change: "changed",
    changed: ["spec.values.a"],
  },
};
const REFUSED = workload("a", { action: "Fail" });
const OUTAGE = workload("a", { safety: "Outage", traffic: SERVED });
const PAUSE = workload("a", { safety: "Outage", traffic: { services: [], isServing: false } });
const ACCEPTED = workload("a", { safety: "Outage", accepted: [{ id: "RS004", reason: "at night" }] });
const STUCK = workload("a", { safety: "MayStick" });
const WAITS = workload("a", { safety: "Waits" });
const STALE = workload("a", { action: "Stale" });
const GONE = workload("a", { action: "Delete" });
const MOVED = [GONE, workload("a", { action: "Create", namespace: "b" })];
const SAFE = workload("a");

describe("--fail-on", () => {
  const ROWS: readonly (readonly [FailOn, string, readonly PlannedWorkload[], number, Given?])[] = [
    ["refused", "what is refused", [REFUSED], 1],
    ["refused", "an outage", [OUTAGE], 0],
    ["danger", "what is refused", [REFUSED], 1],
    ["danger", "an outage", [OUTAGE], 1],
    ["danger", "what waits", [WAITS], 0],
    ["attention", "what is refused, an outage and what waits", [REFUSED, OUTAGE, WAITS], 3],
    ["attention", "a safe rollout", [SAFE], 0],
    ["outage", "an outage", [OUTAGE], 1],
    ["outage", "an outage of what nothing sends traffic to", [PAUSE], 1],
    ["outage", "an accepted outage", [ACCEPTED], 0],
    ["outage", "an outage that is held", [{ ...OUTAGE, held: "Suspended" }], 0],
    ["outage", "what may stick", [STUCK], 0],
    ["may-stick", "what may stick", [STUCK], 1],
    ["stale", "old content", [STALE], 1],
    ["stale", "a safe rollout", [SAFE], 0],
    ["deletes", "a deleted workload", [GONE], 1],
    ["deletes", "a workload that moves", MOVED, 1],
    ["deletes", "a workload that stays in the cluster", [{ ...GONE, leaves: true }], 0],
    ["deletes", "a deleted Service", [], 1, { objects: [object("Service")] }],
    ["deletes", "a deleted Role", [], 0, { objects: [object("Role")] }],
    ["unrendered", "a release that is not rendered", [], 1, { findings: [RELEASE] }],
    ["RS004", "a new finding", [workload("a", { findings: [noPod("a")] })], 1],
    ["RS004", "a finding of the base", [workload("a", { findings: [{ ...noPod("a"), before: true }] })], 0],
    ["RS004", "a finding of what is held", [workload("a", { held: "Suspended", findings: [noPod("a")] })], 0],
  ];
  for (const [condition, what, workloads, count, given] of ROWS) {
    it(`${condition} counts ${count} of ${what}`, () => {
      const { exceeded } = report(workloads, { failOn: [condition] }, given);
      const counts = exceeded.map((limit) =>
        limit.limit !== "failOn"
          ? undefined
          : "gate" in limit
            ? [limit.gate, limit.rows]
            : [limit.rule, limit.findings],
      );
      assert.deepEqual(counts, count === 0 ? [] : [[condition, count]]);
    });
  }
  it("changes the exit status, and not the verdict", () => {
    const [without, with_] = [report([PAUSE], {}), report([PAUSE], { failOn: ["outage", "attention"] })];
    assert.deepEqual([planStatus(without), without.verdict], [0, with_.verdict]);
    assert.deepEqual([planStatus(with_), with_.verdict?.level, with_.exceeded.length], [1, "attention", 2]);
  });
});

describe("--max-deletes", () => {
  const ROWS: readonly (readonly [string, number, readonly PlannedWorkload[], readonly PlannedObject[]])[] = [
    ["workloads", 2, [GONE, workload("b", { action: "Delete" })], []],
    ["volume claims", 1, [], [object("PersistentVolumeClaim")]],
    ["no other objects", 0, [], [object("Service"), object("Role"), object("Namespace")]],
    [
      "nothing that stays in the cluster",
      0,
      [{ ...GONE, leaves: true }],
      [object("PersistentVolumeClaim", { leaves: true })],
    ],
    [
      "nothing that is not applied",
      0,
      [{ ...GONE, orphan: true }],
      [object("PersistentVolumeClaim", { held: "Suspended" })],
    ],
    ["nothing that is created or changed", 0, [SAFE], [object("PersistentVolumeClaim", { change: "Create" })]],
  ];
  for (const [what, count, workloads, objects] of ROWS) {
    it(`counts ${what}`, () => {
      assert.deepEqual(report(workloads, { maxDeletes: count }, { objects }).exceeded, []);
      if (count === 0) return;
      assert.deepEqual(report(workloads, { maxDeletes: count - 1 }, { objects }).exceeded, [
        { limit: "maxDeletes", actual: count, allowed: count - 1 },
      ]);
    });
  }
  it("counts nothing that is accepted", () => {
    const limits = { maxDeletes: 0, acceptDeletes: ["*/default/a"] };
    assert.deepEqual(report([GONE], limits, { objects: [object("PersistentVolumeClaim")] }).exceeded, []);
  });
  it("counts all volume claims, however many", () => {
    const claims = Array.from(
      { length: 250 },
      (_, i) => `{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: c${i}}, spec: {}}`,
    );
    const { exceeded } = planned(claims.join("\n---\n"), configMap("a", "a"), { maxDeletes: 249 });
    assert.deepEqual(exceeded, [{ limit: "maxDeletes", actual: 250, allowed: 249 }]);
  });
});

describe("the option that would block a merge", () => {
  const RS026: PlanFinding = { ...noPod("a"), severityOverride: "error" };
  const ROWS: readonly (readonly [string, PlanReport, string | undefined])[] = [
    ["an outage", report([OUTAGE, STUCK], {}), "--fail-on outage"],
    ["what may stick", report([STUCK], {}), "--fail-on may-stick"],
    ["a deleted volume claim", report([], {}, { objects: [object("PersistentVolumeClaim")] }), "--fail-on deletes"],
    ["the last workload of a namespace", planned(deployment("a", "b"), ""), "--fail-on deletes"],
    ["what needs only a review", report([WAITS], {}), undefined],
    ["what is blocked by --fail-on", report([OUTAGE], { failOn: ["outage"] }), undefined],
    ["what is blocked by a limit", report([OUTAGE], { maxPods: 0 }), undefined],
    ["what is refused", report([REFUSED], {}), undefined],
    ["an error", report([], {}, { findings: [RS026] }), undefined],
    ["a safe rollout", report([SAFE], {}), undefined],
  ];
  for (const [what, made, expected] of ROWS)
    it(`of ${what} is ${expected ?? "none"}`, () => assert.equal(blockingOption(made), expected));
});
