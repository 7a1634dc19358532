import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { PAUSED } from "../../../src/kubernetes/rollout/rollout-kinds.ts";
import { leavesNoPod, rolloutOf } from "../../../src/kubernetes/rollout/mechanics.ts";
import type { WrittenRollout, WrittenStrategy } from "../../../src/kubernetes/rollout/rollout-types.ts";

// The numbers of Kubernetes' code, as its documentation and a real control plane show them; docs/reference/plan.md has the
// sources.

const APPS = ["apps/v1", "apps/v1beta1", "apps/v1beta2"] as const;

function deployment(replicas: number | undefined, strategy?: WrittenStrategy, apiVersion = "apps/v1"): WrittenRollout {
  return { apiVersion, kind: "Deployment", rollsBy: "template", replicas, strategy };
}

function statefulSet(replicas: number, strategy?: WrittenStrategy, apiVersion = "apps/v1"): WrittenRollout {
  return { apiVersion, kind: "StatefulSet", rollsBy: "template", replicas, strategy };
}

function daemonSet(strategy?: WrittenStrategy, apiVersion = "apps/v1"): WrittenRollout {
  return { apiVersion, kind: "DaemonSet", rollsBy: "template", strategy };
}

const bounds = (written: WrittenRollout): string => {
  const { strategy } = rolloutOf(written);
  return `${strategy?.minAvailable} to ${strategy?.maxTotal}`;
};

describe("a Deployment", () => {
  const AT_A_QUARTER = { 1: "1 to 2", 2: "2 to 3", 3: "3 to 4", 4: "3 to 5", 10: "8 to 13" };
  for (const apiVersion of APPS) {
    for (const [replicas, expected] of Object.entries(AT_A_QUARTER)) {
      it(`${apiVersion} of ${replicas} by default: ${expected}`, () => {
        assert.equal(bounds(deployment(Number(replicas), undefined, apiVersion)), expected);
      });
    }
  }

  it("of extensions/v1beta1 has the defaults 1 and 1", () => {
    assert.equal(bounds(deployment(1, undefined, "extensions/v1beta1")), "0 to 2");
    assert.equal(bounds(deployment(1, { maxUnavailable: 0 }, "extensions/v1beta1")), "1 to 2");
    assert.ok(leavesNoPod(rolloutOf(deployment(1, undefined, "extensions/v1beta1"))));
    assert.ok(!leavesNoPod(rolloutOf(deployment(1, { maxUnavailable: 0 }, "extensions/v1beta1"))));
  });

  it("without replicas has one pod", () => assert.equal(rolloutOf(deployment(undefined)).strategy?.replicas, 1));

  it("with an autoscaler has at least minReplicas, regardless of replicas", () => {
    assert.equal(
      rolloutOf({ ...deployment(10), scaledBy: { kind: "HorizontalPodAutoscaler", name: "h", min: 2, max: 9 } })
        .strategy?.replicas,
      2,
    );
    assert.equal(
      rolloutOf({ ...deployment(1), scaledBy: { kind: "HorizontalPodAutoscaler", name: "h", min: 3, max: 9 } }).pods,
      3,
    );
  });

  // Computed differently than in the code: in whole numbers, from the text of the strategy.
  const part = (value: number | string, n: number, up: boolean): number => {
    if (typeof value === "number") return value;
    const hundredths = BigInt(value.slice(0, -1)) * BigInt(n);
    return Number((hundredths + (up ? 99n : 0n)) / 100n);
  };
  const COUNTS = [0, 1, 2, 3, 5, 100, "0%", "1%", "10%", "25%", "33%", "50%", "99%", "100%"];
  for (const maxSurge of [...COUNTS, "200%"]) {
    for (const maxUnavailable of COUNTS) {
      const isNothing = [0, "0%"].includes(maxSurge) && [0, "0%"].includes(maxUnavailable);
      it(`with maxSurge ${maxSurge} and maxUnavailable ${maxUnavailable}, of 1 to 100`, () => {
        for (let n = 1; n <= 100; n++) {
          const rollout = rolloutOf(
            deployment(n, { type: "RollingUpdate", hasRollingUpdate: true, maxSurge, maxUnavailable }),
          );
          if (isNothing) {
            assert.equal(rollout.effect, "Fail");
            continue;
          }
          const surge = part(maxSurge, n, true);
          const missing = part(maxUnavailable, n, false);
          const least = surge + missing === 0 ? n - 1 : Math.max(n - missing, 0);
          const most = surge > n ? 2 * n : n + surge;
          assert.equal(rollout.effect, "Roll");
          assert.equal(
            `${rollout.strategy?.minAvailable} to ${rollout.strategy?.maxTotal}`,
            `${least} to ${most}`,
            `of ${n}`,
          );
          assert.equal(rollout.pods, n);
          assert.equal(leavesNoPod(rollout), least === 0);
        }
      });
    }
  }

  it("with Recreate has no pods for a while, and never more than replicas", () => {
    for (let n = 1; n <= 100; n++) {
      const rollout = rolloutOf(deployment(n, { type: "Recreate" }));
      assert.equal(bounds(deployment(n, { type: "Recreate" })), `0 to ${n}`);
      assert.equal(rollout.pods, n);
      assert.ok(leavesNoPod(rollout));
    }
  });

  it("with 0 replicas rolls out without pods", () => {
    for (const type of ["RollingUpdate", "Recreate"]) {
      const rollout = rolloutOf(deployment(0, { type }));
      assert.deepEqual([rollout.effect, rollout.pods, bounds(deployment(0, { type }))], ["Roll", 0, "0 to 0"]);
      assert.ok(!leavesNoPod(rollout));
    }
  });

  it("that is paused does not roll out", () => {
    const rollout = rolloutOf({ ...deployment(3), holds: [PAUSED] });
    assert.deepEqual([rollout.effect, rollout.pods], ["NoEffect", 0]);
  });

  const REFUSED: readonly (readonly [string, WrittenStrategy])[] = [
    ["both counts 0", { maxSurge: 0, maxUnavailable: 0 }],
    ["both counts 0%", { maxSurge: "0%", maxUnavailable: "0%" }],
    ["maxUnavailable over 100%", { maxUnavailable: "101%" }],
    ["a count in quotes", { maxSurge: "1" }],
    ["a count below 0", { maxSurge: -1 }],
    ["Recreate with rollingUpdate", { type: "Recreate", hasRollingUpdate: true }],
    ["an unknown type", { type: "OnDelete" }],
  ];
  for (const [name, strategy] of REFUSED) {
    it(`is rejected with ${name}`, () => {
      const rollout = rolloutOf(deployment(3, strategy));
      assert.deepEqual([rollout.effect, rollout.pods], ["Fail", 0]);
      assert.match(rollout.because ?? "", /^spec\.strategy\./u);
    });
  }
  it("is accepted if only one count is 0, even if the other rounds to 0", () => {
    assert.equal(rolloutOf(deployment(1, { maxSurge: 0 })).effect, "Roll");
    assert.equal(bounds(deployment(1, { maxSurge: 0 })), "0 to 1");
  });
});

describe("a StatefulSet", () => {
  it("replaces pods one by one without extra pods", () => {
    for (const apiVersion of ["apps/v1", "apps/v1beta2"]) {
      for (let n = 1; n <= 100; n++) assert.equal(bounds(statefulSet(n, undefined, apiVersion)), `${n - 1} to ${n}`);
    }
  });

  it("of apps/v1beta1 has the default OnDelete", () => {
    assert.equal(rolloutOf(statefulSet(3, undefined, "apps/v1beta1")).effect, "NoEffect");
    assert.equal(rolloutOf(statefulSet(3, { type: "RollingUpdate" }, "apps/v1beta1")).effect, "Roll");
  });

  it("replaces the pods from the partition up", () => {
    for (let n = 1; n <= 20; n++) {
      for (let partition = 0; partition <= 25; partition++) {
        const rollout = rolloutOf(statefulSet(n, { partition }));
        assert.equal(rollout.effect, "Roll");
        assert.equal(rollout.pods, partition >= n ? 0 : n - partition);
        assert.equal(rollout.strategy?.minAvailable, partition >= n ? n : n - 1);
        assert.equal(rollout.strategy?.maxTotal, n);
      }
    }
  });

  // Observed on a control plane with the gate MaxUnavailableStatefulSet: N − min(max(1, ⌊m·N⌋), N − partition).
  const SHARES = [1, 2, 3, 7, "1%", "9%", "10%", "25%", "33%", "50%", "99%", "100%"] as const;
  for (const maxUnavailable of SHARES) {
    it(`with maxUnavailable ${maxUnavailable} leaves as many unavailable, rounded down, at least one, of 1 to 30`, () => {
      for (let n = 1; n <= 30; n++) {
        for (const partition of [0, 1, 2, n - 1, n, n + 1]) {
          const { strategy, pods } = rolloutOf(statefulSet(n, { maxUnavailable, partition }));
          const replaced = n > partition ? n - partition : 0;
          const asked =
            typeof maxUnavailable === "number"
              ? maxUnavailable
              : Number((BigInt(maxUnavailable.slice(0, -1)) * BigInt(n)) / 100n);
          const missing = asked < 1 ? 1 : asked;
          assert.equal(strategy?.minAvailable, n - (missing < replaced ? missing : replaced), `${n} from ${partition}`);
          assert.equal(strategy?.maxTotal, n);
          assert.equal(strategy?.maxUnavailable, missing < n ? missing : n);
          assert.equal(pods, replaced);
        }
      }
    });
  }

  it("has at most maxUnavailable pods unavailable, rounded down, at least one", () => {
    assert.equal(bounds(statefulSet(10, { maxUnavailable: "25%" })), "8 to 10");
    assert.equal(bounds(statefulSet(10, { maxUnavailable: "19%" })), "9 to 10");
    assert.equal(bounds(statefulSet(3, { maxUnavailable: "25%" })), "2 to 3");
    assert.equal(bounds(statefulSet(0, { maxUnavailable: "25%" })), "0 to 0");
    assert.equal(bounds(statefulSet(10, { maxUnavailable: 4 })), "6 to 10");
    assert.equal(bounds(statefulSet(2, { maxUnavailable: 4 })), "0 to 2");
    assert.equal(bounds(statefulSet(10, { maxUnavailable: 4, partition: 8 })), "8 to 10");
  });

  it("is rejected with maxUnavailable 0, and with rollingUpdate and OnDelete", () => {
    assert.equal(rolloutOf(statefulSet(3, { maxUnavailable: 0 })).effect, "Fail");
    assert.equal(rolloutOf(statefulSet(3, { type: "OnDelete", hasRollingUpdate: true })).effect, "Fail");
  });
});

describe("a DaemonSet", () => {
  it("has as many pods as there are nodes, which Git does not show", () => {
    for (const apiVersion of ["apps/v1", "apps/v1beta2"]) {
      const rollout = rolloutOf(daemonSet(undefined, apiVersion));
      assert.deepEqual(rollout.strategy, {
        type: "RollingUpdate",
        replicas: null,
        maxSurge: 0,
        maxUnavailable: 1,
        minAvailable: null,
        maxTotal: null,
      });
      assert.deepEqual([rollout.effect, rollout.pods], ["Roll", 0]);
    }
  });

  it("of extensions/v1beta1 has the default OnDelete", () => {
    assert.equal(rolloutOf(daemonSet(undefined, "extensions/v1beta1")).effect, "NoEffect");
    assert.equal(rolloutOf(daemonSet({ type: "RollingUpdate" }, "extensions/v1beta1")).effect, "Roll");
  });

  it("must have exactly one count above 0", () => {
    assert.equal(rolloutOf(daemonSet({ maxSurge: 1, maxUnavailable: 0 })).effect, "Roll");
    assert.equal(rolloutOf(daemonSet({ maxUnavailable: "50%" })).effect, "Roll");
    assert.equal(rolloutOf(daemonSet({ maxSurge: 1, maxUnavailable: 1 })).effect, "Fail");
    assert.equal(rolloutOf(daemonSet({ maxSurge: 1 })).effect, "Fail");
    assert.equal(rolloutOf(daemonSet({ maxUnavailable: 0 })).effect, "Fail");
    assert.equal(rolloutOf(daemonSet({ maxSurge: "101%", maxUnavailable: 0 })).effect, "Fail");
  });

  it("leaves no pod only if all nodes may change at once", () => {
    assert.ok(leavesNoPod(rolloutOf(daemonSet({ maxUnavailable: "100%" }))));
    assert.ok(!leavesNoPod(rolloutOf(daemonSet({ maxUnavailable: "50%" }))));
  });
});

describe("an Argo Rollout", () => {
  const rollout = (replicas: number, strategy: WrittenStrategy): WrittenRollout => ({
    apiVersion: "argoproj.io/v1alpha1",
    kind: "Rollout",
    rollsBy: "template",
    replicas,
    strategy,
  });
  it("keeps all old pods next to all new ones with blueGreen", () => {
    assert.equal(bounds(rollout(4, { type: "BlueGreen" })), "4 to 8");
  });
  it("has the numbers of a Deployment as a canary without traffic routing", () => {
    assert.equal(bounds(rollout(4, { type: "Canary" })), "3 to 5");
  });
  it("stops the old pods that may be unavailable first as a canary", () => {
    const canary = (replicas: number, maxSurge: number | string, maxUnavailable: number | string): string =>
      bounds(rollout(replicas, { type: "Canary", maxSurge, maxUnavailable }));
    assert.equal(canary(1, 1, 1), "0 to 1");
    assert.equal(canary(3, 3, 2), "1 to 4");
    assert.equal(canary(5, 3, 2), "3 to 8");
    assert.equal(canary(4, "100%", "50%"), "2 to 6");
    assert.equal(canary(4, "200%", 0), "4 to 8");
  });
  it("keeps all old pods with traffic routing, next to as many new ones as its settings ask for", () => {
    const routed = (isDynamic: boolean, ...most: readonly (number | string)[]): string =>
      bounds(rollout(4, { type: "Canary", routed: { isDynamic, most } }));
    assert.equal(routed(false), "4 to 8");
    assert.equal(routed(false, 2, "50%"), "4 to 8");
    assert.equal(routed(false, 2, 6), "4 to 10");
    assert.equal(routed(false, "130%"), "4 to 10");
    assert.equal(routed(true), "null to null");
    assert.equal(bounds(rollout(0, { type: "Canary", routed: { isDynamic: false, most: [6] } })), "0 to 0");
  });
});

describe("other kinds", () => {
  const other = (kind: string, rollsBy: WrittenRollout["rollsBy"], apiVersion = "batch/v1"): WrittenRollout => ({
    apiVersion,
    kind,
    rollsBy,
  });
  it("change on their next run, never, or not at all", () => {
    assert.equal(rolloutOf(other("CronJob", "nextRun")).effect, "NextRun");
    assert.equal(rolloutOf(other("Job", "immutable")).effect, "Fail");
    assert.equal(rolloutOf(other("ReplicaSet", "never", "apps/v1")).effect, "NoEffect");
    assert.equal(rolloutOf(other("Pod", "never", "v1")).effect, "NoEffect");
  });
  it("with an operator roll out as it decides", () => {
    const rollout = rolloutOf({ ...other("CloneSet", "template", "apps.kruise.io/v1alpha1"), replicas: 5 });
    assert.deepEqual([rollout.effect, rollout.pods, rollout.strategy?.minAvailable], ["Roll", 5, null]);
  });
});
