import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { planned } from "./planned.ts";

const container = (resources: string, name = "app"): string =>
  `{name: ${name}, image: "web:1", resources: {${resources}}}`;
const pods = (containers: string, { kind = "Deployment", pod = "" } = {}): string =>
  `{apiVersion: apps/v1, kind: ${kind}, metadata: {name: web}, spec: {template: {metadata: {labels: {app: web}}, ` +
  `spec: {${pod}containers: [${containers}]}}}}\n`;
const scaler = (spec: string, version = "v2"): string =>
  `---\n{apiVersion: autoscaling/${version}, kind: HorizontalPodAutoscaler, metadata: {name: scaler}, spec: {minReplicas: 4, maxReplicas: 9, ` +
  `scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}${spec}}}\n`;
const metric = (name: string, target: string): string =>
  scaler(`, metrics: [{type: Resource, resource: {name: ${name}, target: {${target}}}}]`);
const CPU = metric("cpu", "type: Utilization, averageUtilization: 80");
const OF_APP = scaler(
  ", metrics: [{type: ContainerResource, containerResource: {name: cpu, container: app, target: {averageUtilization: 80}}}]",
);
const RANGE = `---\n{apiVersion: v1, kind: LimitRange, metadata: {name: r}, spec: {limits: [{type: Container, defaultRequest: {cpu: 1}}]}}\n`;

describe("a request that an autoscaler measures", () => {
  const found = (base: string, head: string): readonly unknown[] => {
    const { findings, verdict } = planned(base, head);
    const lost = findings.flatMap((one) =>
      one.id === "lost-request" ? [`${one.params.resource} ${one.params.container}`] : [],
    );
    return [verdict?.level, ...lost];
  };
  const BOTH = container("requests: {cpu: 1, memory: 1Gi}");
  const MEMORY = container("requests: {memory: 1Gi}");
  const SIDECAR = `initContainers: [${container("", "proxy").replace("{name", "{restartPolicy: Always, name")}], `;
  const CASES: readonly (readonly [what: string, base: string, head: string, found?: string])[] = [
    ["is gone", pods(BOTH) + CPU, pods(MEMORY) + CPU, "cpu app"],
    ["is gone, by default", pods(BOTH), pods(MEMORY) + scaler("", "v1"), "cpu app"],
    [
      "of memory is gone",
      pods(BOTH),
      pods(container("requests: {cpu: 1}")) + metric("memory", "averageUtilization: 80"),
      "memory app",
    ],
    ["of a new container is missing", pods(BOTH), pods(`${BOTH}, ${container("", "b")}`) + CPU, "cpu b"],
    ["of a sidecar is missing", pods(BOTH), pods(BOTH, { pod: SIDECAR }) + CPU, "cpu proxy"],
    ["of one container is gone", pods(BOTH), pods(MEMORY) + OF_APP, "cpu app"],
    ["is not that of another container", pods(BOTH), pods(`${BOTH}, ${container("", "b")}`) + OF_APP],
    ["is a limit now", pods(BOTH), pods(container("limits: {cpu: 1}")) + CPU],
    ["is that of the pod", pods(BOTH), pods(MEMORY, { pod: "resources: {requests: {cpu: 1}}, " }) + CPU],
    ["is a default", pods(BOTH), pods(MEMORY) + CPU + RANGE],
    ["was missing already", pods(MEMORY), pods(container("requests: {memory: 2Gi}")) + CPU],
    ["is not measured", pods(BOTH), pods(container("requests: {cpu: 1}")) + CPU],
    ["is not a share", pods(BOTH), pods(MEMORY) + metric("cpu", "averageValue: 1")],
    [
      "of an init container is missing",
      pods(BOTH),
      pods(BOTH, { pod: SIDECAR.replace("restartPolicy: Always, ", "") }) + CPU,
    ],
    [
      "is missing, and measured from now on",
      pods(MEMORY) + metric("memory", "averageUtilization: 80"),
      pods(MEMORY) + CPU,
      "cpu app",
    ],
    ["was missing already for the same metric", pods(MEMORY) + CPU, pods(container("requests: {memory: 2Gi}")) + CPU],
    ["is that of no target", pods(BOTH), pods(MEMORY)],
  ];
  for (const [what, base, head, lost] of CASES)
    it(what, () => {
      assert.deepEqual(found(base, head), lost === undefined ? ["ok"] : ["attention", lost]);
    });
});
