import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { rolloutOf, startsBeside } from "../../../src/kubernetes/rollout/mechanics.ts";
import type { WrittenRollout, WrittenStrategy } from "../../../src/kubernetes/rollout/rollout-types.ts";
import { PAUSED } from "../../../src/kubernetes/rollout/rollout-kinds.ts";

// The rollouts that need a new pod to be available beside all old ones: no old pod may be unavailable, so a new pod
// without a node, or one that never becomes ready, stops the rollout.

const rolloutFor = (kind: string, strategy: WrittenStrategy, more: Partial<WrittenRollout> = {}): WrittenRollout => ({
  apiVersion: "apps/v1",
  kind,
  rollsBy: "template",
  replicas: 3,
  strategy,
  ...more,
});
const argo = (strategy: WrittenStrategy, replicas = 3): WrittenRollout =>
  rolloutFor("Rollout", strategy, { apiVersion: "argoproj.io/v1alpha1", replicas });

describe("a rollout that needs a new pod beside all old pods", () => {
  const ROWS: readonly (readonly [string, WrittenRollout, boolean])[] = [
    ["a Deployment that may miss none", rolloutFor("Deployment", { maxUnavailable: 0 }), true],
    ["a Deployment whose share rounds down to none", rolloutFor("Deployment", { maxUnavailable: "25%" }), true],
    ["a Deployment that may miss one", rolloutFor("Deployment", { maxUnavailable: 1 }), false],
    ["a Deployment of four, by default one missing", rolloutFor("Deployment", {}, { replicas: 4 }), false],
    ["a Deployment that adds none", rolloutFor("Deployment", { maxSurge: 0, maxUnavailable: "25%" }), false],
    ["a Deployment of none", rolloutFor("Deployment", { maxUnavailable: 0 }, { replicas: 0 }), false],
    ["a Deployment that recreates", rolloutFor("Deployment", { type: "Recreate" }), false],
    ["a paused one", rolloutFor("Deployment", { maxUnavailable: 0 }, { holds: [PAUSED] }), false],
    ["a StatefulSet", rolloutFor("StatefulSet", {}), false],
    ["a StatefulSet whose partition leaves all", rolloutFor("StatefulSet", { partition: 3 }), false],
    ["a DaemonSet that surges", rolloutFor("DaemonSet", { maxSurge: 1, maxUnavailable: 0 }), true],
    ["a DaemonSet that surges by a share", rolloutFor("DaemonSet", { maxSurge: "10%", maxUnavailable: 0 }), true],
    ["a DaemonSet", rolloutFor("DaemonSet", {}), false],
    ["a DaemonSet that waits for deletions", rolloutFor("DaemonSet", { type: "OnDelete", maxSurge: 1 }), false],
    ["a refused DaemonSet", rolloutFor("DaemonSet", { maxSurge: 1, maxUnavailable: 1 }), false],
    ["a blue-green Rollout", argo({ type: "BlueGreen" }), true],
    ["a blue-green Rollout of none", argo({ type: "BlueGreen" }, 0), false],
    ["a canary that may miss none", argo({ maxUnavailable: 0 }), true],
    ["a canary that may miss one", argo({ maxUnavailable: 1 }), false],
    ["what an operator rolls", rolloutFor("Web", { maxSurge: 1, maxUnavailable: 0 }, { apiVersion: "a.b/v1" }), false],
    [
      "what an operator rolls, by a number it keeps to itself",
      rolloutFor("Web", {}, { apiVersion: "a.b/v1", replicas: undefined }),
      false,
    ],
    ["what has no pods of its own", { apiVersion: "batch/v1", kind: "CronJob", rollsBy: "nextRun" }, false],
  ];
  for (const [name, written, beside] of ROWS)
    it(`${name}: ${beside ? "yes" : "no"}`, () => assert.equal(startsBeside(rolloutOf(written)), beside));
});
