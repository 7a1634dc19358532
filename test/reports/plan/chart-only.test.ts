import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ConfigHashSpec } from "../../../src/stamping/function/config-hash.ts";
import { planned, workload } from "./planned.ts";

// The effect of a chart's own marks with each version: reported as such, and nothing where they are removed.

const SUM = ["a", "b"].map((digit) => digit.repeat(64));

function chart(version: number, { level = "info", more = "", selector = "", sum = 0 } = {}): string {
  return `apiVersion: v1
kind: ConfigMap
metadata: {name: web, labels: {helm.sh/chart: web-${version}}}
data: {level: ${level}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {helm.sh/chart: web-${version}}}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata:
      labels: {app: web, helm.sh/chart: web-${version}, app.kubernetes.io/version: "${version}"}
      annotations: {checksum/config: ${SUM[sum]}}
    spec:
      containers: [{name: app, image: a, envFrom: [{configMapRef: {name: web}}]${more}}]
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web${selector}}}
`;
}

const REMOVE: Partial<ConfigHashSpec> = { checksums: "Remove", versionLabels: "Remove" };

function summarize(base: string, head: string, spec: Partial<ConfigHashSpec> = {}): readonly unknown[] {
  const { action, because, next } = workload(planned(base, head, { spec, all: true }), "web");
  const marks = because?.id === "chart-only" ? [...because.labels, ...because.annotations] : because;
  return [action, marks, next?.id === "remove-marks" ? next.options : next];
}

describe("a new version of a chart", () => {
  it("rolls out because of its labels and its checksum alone, and the plan says so", () => {
    assert.deepEqual(summarize(chart(1), chart(2)), [
      "Roll",
      ["app.kubernetes.io/version", "helm.sh/chart"],
      ["versionLabels: Remove"],
    ]);
    assert.deepEqual(summarize(chart(1), chart(1, { sum: 1 })), ["Roll", ["checksum/config"], ["checksums: Remove"]]);
    assert.deepEqual(summarize(chart(1), chart(2, { sum: 1 }), { versionLabels: "Remove" }), [
      "Roll",
      ["checksum/config"],
      ["checksums: Remove"],
    ]);
    assert.deepEqual(summarize(chart(1), chart(2, { sum: 1 })), [
      "Roll",
      ["app.kubernetes.io/version", "helm.sh/chart", "checksum/config"],
      ["versionLabels: Remove", "checksums: Remove"],
    ]);
  });

  it("rolls out because of other labels and annotations, without advice", () => {
    const labelled = chart(1).replace("{app: web, helm", "{app: web, team: a, helm");
    const noted = chart(1).replace("{checksum/config", "{note: a, checksum/config");
    for (const base of [labelled, noted]) {
      const head = base.replace("team: a", "team: b").replace("note: a", "note: b");
      assert.deepEqual(summarize(base, head), ["Roll", undefined, undefined]);
      assert.deepEqual(summarize(base, head, REMOVE), ["Roll", undefined, undefined]);
    }
  });

  it("is not advised what is set already", () => {
    const kept = chart(1, { selector: ", helm.sh/chart: web-1" });
    const [, , next = ""] = summarize(kept, kept.replaceAll("web-1", "web-2"), REMOVE);
    assert.doesNotMatch(String(next), /Remove/u);
  });

  it("rolls out nothing where they are removed", () => {
    assert.deepEqual(summarize(chart(1), chart(2, { sum: 1 }), REMOVE), ["None", undefined, undefined]);
  });

  it("rolls out for another reason, and does not list the labels as a reason", () => {
    for (const head of [chart(2, { level: "debug" }), chart(2, { more: ", args: [b]" })]) {
      assert.deepEqual(summarize(chart(1), head), ["Roll", undefined, undefined]);
      assert.deepEqual(summarize(chart(1), head, REMOVE), ["Roll", undefined, undefined]);
      const { reasons } = workload(planned(chart(1), head, { spec: REMOVE }), "web");
      assert.equal(reasons.length, 1);
    }
  });

  it("rolls out for its content where nothing stamps: the checksum is needed", () => {
    const unstamped = (head: string): unknown => {
      const { action, because, next } = workload(planned(chart(1), head, { stamps: "None" }), "web");
      return [action, because?.id, next?.id];
    };
    assert.deepEqual(unstamped(chart(1, { level: "debug", sum: 1 })), ["Roll", undefined, undefined]);
    assert.deepEqual(unstamped(chart(2, { level: "debug", sum: 1 })), ["Roll", undefined, undefined]);
    assert.deepEqual(unstamped(chart(1, { sum: 1 })), ["Roll", "chart-only", "remove-marks"]);
  });

  it("rolls out where a selector has the label on only one side", () => {
    const selected = chart(1, { selector: ", helm.sh/chart: web-1" });
    for (const [base, head] of [
      [chart(1), selected],
      [selected, chart(1)],
    ] as const)
      // The option is set, so it is no longer advised.
      assert.deepEqual(summarize(base, head, REMOVE), ["Roll", ["helm.sh/chart"], undefined]);
  });

  it("is compared with a cluster's pods as they are", () => {
    const { action, because } = workload(planned(chart(1), chart(1), { spec: REMOVE, isLive: true }), "web");
    assert.equal(action, "Roll");
    assert.equal(because, undefined, "it takes its first stamp");
  });
});
