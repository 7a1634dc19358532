import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { leavesNoPod, rolloutOf } from "../../../src/kubernetes/rollout/mechanics.ts";
import type { WrittenRollout, WrittenStrategy } from "../../../src/kubernetes/rollout/rollout-types.ts";
import { PAUSED } from "../../../src/kubernetes/rollout/rollout-kinds.ts";

// What the API server rejects in a strategy, and the field (pkg/apis/apps/validation; observed on a control plane), and
// the rest of a rollout's data.

const NO_COUNT = "must be a whole number";
const NO_PERCENTAGE = "must be a whole number or a percentage such as 25%";

const rolloutFor = (kind: string, strategy: WrittenStrategy, more: Partial<WrittenRollout> = {}): WrittenRollout => ({
  apiVersion: "apps/v1",
  kind,
  rollsBy: "template",
  replicas: 3,
  strategy,
  ...more,
});

describe("the API server rejects", () => {
  const ROWS: readonly (readonly [kind: string, WrittenStrategy, path: string, problem: string])[] = [
    [
      "Deployment",
      { maxSurge: 0, maxUnavailable: 0 },
      "rollingUpdate.maxUnavailable",
      "must not be 0 if maxSurge is 0",
    ],
    ["Deployment", { maxUnavailable: "101%" }, "rollingUpdate.maxUnavailable", "must not be more than 100%"],
    ["Deployment", { maxUnavailable: -1 }, "rollingUpdate.maxUnavailable", NO_COUNT],
    ["Deployment", { maxSurge: 1.5 }, "rollingUpdate.maxSurge", NO_COUNT],
    ["Deployment", { maxSurge: "1" }, "rollingUpdate.maxSurge", NO_PERCENTAGE],
    ["Deployment", { maxSurge: "x1%" }, "rollingUpdate.maxSurge", NO_PERCENTAGE],
    ["Deployment", { type: "OnDelete" }, "type", "must be RollingUpdate or Recreate"],
    ["Deployment", { type: "Recreate", hasRollingUpdate: true }, "rollingUpdate", "is not allowed with type Recreate"],
    ["StatefulSet", { maxUnavailable: 0 }, "rollingUpdate.maxUnavailable", "must not be 0"],
    ["StatefulSet", { maxUnavailable: "0%" }, "rollingUpdate.maxUnavailable", "must not be 0"],
    ["StatefulSet", { partition: -1 }, "rollingUpdate.partition", NO_COUNT],
    ["StatefulSet", { type: "Recreate" }, "type", "must be RollingUpdate or OnDelete"],
    ["StatefulSet", { type: "OnDelete", hasRollingUpdate: true }, "rollingUpdate", "is not allowed with type OnDelete"],
    ["DaemonSet", { maxUnavailable: 0 }, "rollingUpdate.maxUnavailable", "must not be 0 if maxSurge is 0"],
    ["DaemonSet", { maxUnavailable: 0, maxSurge: "101%" }, "rollingUpdate.maxSurge", "must not be more than 100%"],
    ["DaemonSet", { type: "Recreate" }, "type", "must be RollingUpdate or OnDelete"],
    ["DaemonSet", { maxSurge: 1 }, "rollingUpdate.maxSurge", "must be 0 unless maxUnavailable is 0 (default 1)"],
  ];
  for (const [kind, strategy, field, problem] of ROWS) {
    it(`${kind} with ${JSON.stringify(strategy)}`, () => {
      const path = `spec.${kind === "Deployment" ? "strategy" : "updateStrategy"}.${field}`;
      const { strategy: shown, ...rollout } = rolloutOf(rolloutFor(kind, strategy));
      assert.deepEqual(rollout, {
        effect: "Fail",
        because: `${path} ${problem}`,
        field: path,
        pods: 0,
        refused: { path, problem },
      });
      assert.notEqual(shown, null);
    });
  }
  it("an invalid number of replicas", () => {
    for (const replicas of [-1, 1.5]) {
      const { effect, because, refused } = rolloutOf(rolloutFor("Deployment", {}, { replicas }));
      assert.deepEqual([effect, because], ["Fail", `spec.replicas ${NO_COUNT}`]);
      assert.deepEqual(refused, { path: "spec.replicas", problem: NO_COUNT });
    }
  });

  const TAKEN: readonly (readonly [kind: string, WrittenStrategy, effect: string])[] = [
    ["Deployment", { maxSurge: "200%" }, "Roll"],
    ["Deployment", { maxUnavailable: "100%" }, "Roll"],
    ["Deployment", { type: "Recreate" }, "Roll"],
    // A field that only StatefulSets have: the API server drops it.
    ["Deployment", { partition: -1 }, "Roll"],
    ["DaemonSet", { partition: 2 }, "Roll"],
    ["DaemonSet", { maxSurge: "100%", maxUnavailable: 0 }, "Roll"],
    ["DaemonSet", { type: "OnDelete", hasRollingUpdate: true, maxSurge: 1 }, "NoEffect"],
    ["StatefulSet", { type: "OnDelete" }, "NoEffect"],
  ];
  for (const [kind, strategy, effect] of TAKEN) {
    it(`${kind} with ${JSON.stringify(strategy)} is accepted`, () => {
      const rollout = rolloutOf(rolloutFor(kind, strategy));
      assert.deepEqual([rollout.effect, rollout.refused], [effect, undefined]);
    });
  }
});

describe("the strategy of a kind", () => {
  it("of a StatefulSet has a partition only if one is set", () => {
    assert.equal(rolloutOf(rolloutFor("StatefulSet", { partition: 1 })).strategy?.partition, 1);
    for (const strategy of [{}, { partition: 0 }])
      assert.ok(!Object.hasOwn(rolloutOf(rolloutFor("StatefulSet", strategy)).strategy ?? {}, "partition"));
    assert.equal(rolloutOf(rolloutFor("Deployment", { partition: 1 })).pods, 3);
  });
  it("of a StatefulSet with OnDelete leaves all pods available", () => {
    assert.deepEqual(rolloutOf(rolloutFor("StatefulSet", { type: "OnDelete" })), {
      effect: "NoEffect",
      because: "its update strategy is OnDelete",
      field: "spec.updateStrategy.type",
      next: "Delete its pods one by one: the new pods have the change.",
      strategy: {
        type: "OnDelete",
        replicas: 3,
        maxSurge: null,
        maxUnavailable: null,
        minAvailable: 3,
        maxTotal: 3,
      },
      pods: 0,
      refused: undefined,
    });
  });
  it("of a DaemonSet with OnDelete has no counts", () => {
    const { strategy } = rolloutOf(rolloutFor("DaemonSet", { type: "OnDelete", maxUnavailable: "100%" }));
    assert.deepEqual([strategy?.type, strategy?.maxSurge, strategy?.maxUnavailable], ["OnDelete", null, null]);
  });
  it("that is the default of a version names no field", () => {
    const rollout = rolloutOf(rolloutFor("StatefulSet", {}, { apiVersion: "apps/v1beta1" }));
    assert.equal(rollout.effect, "NoEffect");
    assert.ok(!Object.hasOwn(rollout, "field"));
  });
  it("that only an operator knows is the written one, or Operator", () => {
    const crd = { apiVersion: "example.com/v1" };
    assert.equal(rolloutOf(rolloutFor("Web", {}, crd)).strategy?.type, "Operator");
    assert.equal(rolloutOf(rolloutFor("Web", { type: "Mine" }, crd)).strategy?.type, "Mine");
    assert.equal(rolloutOf(rolloutFor("Web", { type: "OnDelete" }, crd)).effect, "NoEffect");
    // Another group: neither Kubernetes' Deployment nor a Deployment without a group.
    assert.equal(rolloutOf(rolloutFor("Deployment", {}, crd)).strategy?.minAvailable, null);
    assert.equal(rolloutOf(rolloutFor("Deployment", {}, { apiVersion: "v1" })).strategy?.minAvailable, null);
    assert.equal(rolloutOf(rolloutFor("Deployment", {}, { apiVersion: "apps1" })).strategy?.minAvailable, null);
  });
  it("of kinds without a controller has replicas but no rules; a Pod, a Job and a CronJob have none", () => {
    const plain = (kind: string, apiVersion: string, rollsBy: WrittenRollout["rollsBy"], replicas?: number): unknown =>
      rolloutOf({ apiVersion, kind, rollsBy, replicas }).strategy;
    const none = { type: "None", maxSurge: null, maxUnavailable: null, minAvailable: null, maxTotal: null };
    assert.deepEqual(plain("ReplicaSet", "apps/v1", "never", 3), { ...none, replicas: 3 });
    assert.deepEqual(plain("ReplicationController", "v1", "never"), { ...none, replicas: 1 });
    assert.equal(plain("Pod", "v1", "never"), null);
    assert.equal(plain("Job", "batch/v1", "immutable"), null);
    assert.equal(plain("CronJob", "batch/v1", "nextRun"), null);
  });
  it("has an in-place setting only if one is on", () => {
    assert.ok(!Object.hasOwn(rolloutOf(rolloutFor("Deployment", {})), "inPlace"));
    assert.ok(!Object.hasOwn(rolloutOf(rolloutFor("Deployment", {}, { holds: [PAUSED] })), "inPlace"));
  });
});

describe("a rollout without available pods", () => {
  const ROWS: readonly (readonly [string, WrittenRollout, boolean])[] = [
    ["a rollout of one at a time of one", rolloutFor("StatefulSet", {}, { replicas: 1 }), true],
    ["one that is refused", rolloutFor("Deployment", { type: "Recreate", hasRollingUpdate: true }), false],
    ["what waits for deletions", rolloutFor("DaemonSet", { type: "OnDelete", maxUnavailable: "100%" }), false],
    ["all nodes at once, refused", rolloutFor("DaemonSet", { maxSurge: 1, maxUnavailable: "100%" }), false],
    ["all nodes at once", rolloutFor("DaemonSet", { maxUnavailable: "100%" }), true],
    [
      "what an operator rolls, all at once or not",
      rolloutFor("Web", { maxUnavailable: "100%" }, { apiVersion: "a.b/v1" }),
      false,
    ],
    ["what has no pods of its own", { apiVersion: "batch/v1", kind: "CronJob", rollsBy: "nextRun" }, false],
  ];
  for (const [name, written, leaves] of ROWS)
    it(`${name}: ${leaves ? "yes" : "no"}`, () => assert.equal(leavesNoPod(rolloutOf(written)), leaves));
});
