import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { PlannedWorkload } from "../../../src/reports/plan/planned-workload.ts";
import { planned, workload } from "./planned.ts";

interface Setup {
  readonly pod?: string;
  readonly spec?: string;
  readonly metadata?: string;
  readonly kind?: string;
  readonly others?: readonly string[];
}

/** The row of a workload whose image changes. */
function rolled({
  pod = "",
  spec = "replicas: 4",
  metadata = "",
  kind = "Deployment",
  others = [],
}: Setup): PlannedWorkload {
  const side = (image: string): string =>
    [
      `{apiVersion: apps/v1, kind: ${kind}, metadata: {name: web${metadata}}, spec: {${spec}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: app, image: "${image}"${pod}}]}}}}`,
      ...others,
    ].join("\n---\n");
  return workload(planned(side("web:1"), side("web:2")), "web");
}

const service = (name: string, selector: string, more = ""): string =>
  `{apiVersion: v1, kind: Service, metadata: {name: ${name}}, spec: {selector: ${selector}${more}}}`;
const budget = (spec: string, selector = "{app: web}"): string =>
  `{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: pdb}, spec: {${spec}, selector: {matchLabels: ${selector}}}}`;
const other = (name: string, replicas: number): string =>
  `{apiVersion: apps/v1, kind: Deployment, metadata: {name: ${name}}, spec: {replicas: ${replicas}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: app, image: a}]}}}}`;

describe("who sends traffic to a workload that rolls", () => {
  const ROWS: readonly (readonly [string, Setup, PlannedWorkload["traffic"]])[] = [
    ["nobody", {}, { services: [], isServing: false }],
    ["a Service", { others: [service("a", "{app: web}")] }, { services: ["a"], isServing: false }],
    [
      "several Services",
      { others: ["b", "a"].map((name) => service(name, "{app: web}")) },
      { services: ["b", "a"], isServing: false },
    ],
    [
      "a Service of all pods",
      { others: [service("a", "{app: web}", ", publishNotReadyAddresses: true")] },
      { services: ["a"], isServing: false },
    ],
    ["a Service of other pods", { others: [service("a", "{app: db}")] }, { services: [], isServing: false }],
    [
      "a Service of metrics",
      { pod: ", ports: [{containerPort: 80}]", others: [service("a", "{app: web}", ", ports: [{name: metrics}]")] },
      { services: [], isServing: false },
    ],
    ["someone, as a port shows", { pod: ", ports: [{containerPort: 80}]" }, { services: [], isServing: true }],
    ["someone, as a readiness probe shows", { pod: ", readinessProbe: {exec: {}}" }, { services: [], isServing: true }],
    ["someone, as a liveness probe shows", { pod: ", livenessProbe: {exec: {}}" }, { services: [], isServing: true }],
    ["someone, as a startup probe shows", { pod: ", startupProbe: {exec: {}}" }, { services: [], isServing: true }],
    [
      "a Service, whatever ports show",
      { pod: ", ports: [{containerPort: 80}]", others: [service("a", "{app: web}")] },
      { services: ["a"], isServing: false },
    ],
  ];
  for (const [what, setup, expected] of ROWS) it(`is ${what}`, () => assert.deepEqual(rolled(setup).traffic, expected));

  it("is cut if there are many", () => {
    const { traffic } = rolled({ others: Array.from({ length: 25 }, (_, i) => service(`s${i}`, "{app: web}")) });
    assert.deepEqual([traffic?.services.length, traffic?.moreServices], [20, 5]);
  });
  it("is absent if no pod is replaced", () => {
    const { traffic, wanted } = rolled({ spec: "paused: true", others: [budget("minAvailable: 1")] });
    assert.deepEqual([traffic, wanted], [undefined, undefined]);
  });
});

describe("how many pods a budget requires", () => {
  const scaler =
    "{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: h}, spec: {minReplicas: 6, maxReplicas: 9, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}}";
  const ROWS: readonly (readonly [string, Setup, number | undefined])[] = [
    ["no budget", {}, undefined],
    ["a budget of other pods", { others: [budget("minAvailable: 1", "{app: db}")] }, undefined],
    ["minAvailable", { others: [budget("minAvailable: 3")] }, 3],
    ["maxUnavailable", { others: [budget("maxUnavailable: 1")] }, 3],
    ["a percentage, rounded up", { spec: "replicas: 3", others: [budget("minAvailable: 50%")] }, 2],
    ["the larger of two", { others: [budget("minAvailable: 2"), budget("minAvailable: 3").replace("pdb", "more")] }, 3],
    ["an autoscaler, at its minimum", { others: [scaler, budget("maxUnavailable: 1")] }, 5],
    // The other keeps 3 of its 4 pods.
    ["a budget of two workloads", { others: [other("db", 4), budget("minAvailable: 5")] }, 2],
    ["a budget that the other workload meets", { others: [other("db", 4), budget("minAvailable: 1")] }, 0],
    [
      "a budget of a number that Git does not know",
      { others: [other("db", 4).replace("Deployment", "DaemonSet"), budget("minAvailable: 1")] },
      undefined,
    ],
  ];
  for (const [what, setup, expected] of ROWS)
    it(`is ${expected ?? "unknown"} for ${what}`, () => assert.equal(rolled(setup).wanted, expected));
});

describe("what someone accepts with a reason", () => {
  const ignored = (id: string, reason: string): string =>
    `, annotations: {ignore.rollstamp.dev/${id}: ${JSON.stringify(reason)}}`;
  const OUT = "strategy: {type: Recreate}";
  const ROWS: readonly (readonly [string, Setup, PlannedWorkload["accepted"]])[] = [
    ["an outage", { spec: OUT, metadata: ignored("RS004", "at night") }, [{ id: "RS004", reason: "at night" }]],
    ["an outage without a reason", { spec: OUT, metadata: ignored("RS004", "true") }, undefined],
    ["an outage that does not happen", { metadata: ignored("RS004", "at night") }, undefined],
    [
      "a rollout that may stick",
      {
        pod: ", ports: [{containerPort: 80, hostPort: 80}]",
        spec: "replicas: 2",
        metadata: ignored("RS015", "spare nodes"),
      },
      [{ id: "RS015", reason: "spare nodes" }],
    ],
    ["another rule", { spec: OUT, metadata: ignored("RS003", "at night") }, undefined],
  ];
  for (const [what, setup, expected] of ROWS)
    it(`is ${what}`, () => assert.deepEqual(rolled(setup).accepted, expected));
});
