import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { planned } from "./planned.ts";

// A workload that no longer holds its pods back, without a change of its template.

const workload = (kind: string, spec: string, image = "web:1"): string =>
  `{apiVersion: apps/v1, kind: ${kind}, metadata: {name: web}, spec: {replicas: 3, ${spec}, selector: {matchLabels: {app: web}}, ` +
  `template: {metadata: {labels: {app: web}}, spec: {containers: [{name: app, image: "${image}"}]}}}}\n`;

const PARTITION = (partition: number): string => `updateStrategy: {rollingUpdate: {partition: ${partition}}}`;

describe("a workload that held its pods back", () => {
  const CASES: readonly (readonly [kind: string, before: string, after: string, found: readonly unknown[]])[] = [
    ["Deployment", "paused: true", "paused: false", ["attention", "resumed"]],
    ["StatefulSet", "updateStrategy: {type: OnDelete}", PARTITION(0), ["attention", "resumed"]],
    ["StatefulSet", PARTITION(3), PARTITION(1), ["attention", "partition"]],
    ["StatefulSet", PARTITION(1), PARTITION(3), ["ok"]],
    // It has three pods.
    ["StatefulSet", PARTITION(5), PARTITION(3), ["ok"]],
    ["Deployment", "paused: false", "paused: true", ["ok"]],
    ["Deployment", "paused: true", "paused: true, minReadySeconds: 3", ["ok"]],
    ["Deployment", "paused: false", "minReadySeconds: 3", ["ok"]],
  ];
  for (const [kind, before, after, expected] of CASES)
    it(`may roll: ${kind}, ${before} to ${after}`, () => {
      const { verdict, findings } = planned(workload(kind, before), workload(kind, after));
      const causes = findings.filter(({ id }) => id === "released-rollout").map(({ cause }) => cause);
      assert.deepEqual([verdict?.level, ...causes], expected);
    });
  it("may roll the pods that an autoscaler adds", () => {
    const scaler =
      "---\n{apiVersion: keda.sh/v1alpha1, kind: ScaledObject, metadata: {name: web}, spec: {scaleTargetRef: {name: web}}}\n";
    const { verdict } = planned(
      workload("Deployment", "paused: true") + scaler,
      workload("Deployment", "paused: false") + scaler,
    );
    assert.equal(verdict?.level, "attention");
  });
  it("rolls anyway if its template changes too", () => {
    const { findings, workloads } = planned(
      workload("StatefulSet", PARTITION(3)),
      workload("StatefulSet", PARTITION(0), "web:2"),
    );
    assert.deepEqual([findings, workloads.map(({ action, pods }) => [action, pods])], [[], [["Roll", 3]]]);
  });
});

describe("a workload that writes its number of pods no more, or a lower one", () => {
  const SCALER =
    "---\n{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: web}, spec: " +
    "{minReplicas: 3, maxReplicas: 9, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}}\n";
  const written = (replicas: string, image = "web:1"): string =>
    workload("Deployment", "minReadySeconds: 1", image).replace("replicas: 3, ", replicas);
  const CASES: readonly (readonly [what: string, base: string, head: string, found: readonly unknown[]])[] = [
    ["scaled from now on", written("replicas: 5, "), written("") + SCALER, ["attention", 5]],
    ["scaled on both sides", written("replicas: 5, ") + SCALER, written("") + SCALER, ["attention", 5]],
    ["that also rolls", written("replicas: 5, ") + SCALER, written("", "web:2") + SCALER, ["attention", 5]],
    ["not scaled", written("replicas: 5, "), written(""), ["ok"]],
    ["that had one pod", written("replicas: 1, ") + SCALER, written("") + SCALER, ["ok"]],
    ["that never wrote it", written("") + SCALER, written("", "web:2") + SCALER, ["ok"]],
    ["below the minimum", written("replicas: 3, ") + SCALER, written("replicas: 1, ") + SCALER, ["attention", 3]],
    ["below the new minimum", written("replicas: 5, "), written("replicas: 2, ") + SCALER, ["attention", 5]],
    ["that is at the minimum", written("replicas: 5, ") + SCALER, written("replicas: 3, ") + SCALER, ["ok"]],
    ["that was as low", written("replicas: 2, ") + SCALER, written("replicas: 2, ", "web:2") + SCALER, ["ok"]],
    ["that is raised", written("replicas: 1, ") + SCALER, written("replicas: 2, ") + SCALER, ["ok"]],
  ];
  for (const [what, base, head, expected] of CASES)
    it(`has fewer pods until its autoscaler acts: ${what}`, () => {
      const { verdict, findings } = planned(base, head);
      const found = findings.flatMap((finding) => (finding.id === "dropped-replicas" ? [finding.params.from] : []));
      assert.deepEqual([verdict?.level, ...found], expected);
    });
});
