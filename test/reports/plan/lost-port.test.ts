import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { planned } from "./planned.ts";

const PORTS = "ports: [{name: http, containerPort: 80}]";
const workload = (
  container: string,
  { kind = "Deployment", spec = "replicas: 2, ", apiVersion = "apps/v1" } = {},
): string =>
  `{apiVersion: ${apiVersion}, kind: ${kind}, metadata: {name: web}, spec: {${spec}template: {metadata: {labels: {app: web}}, ` +
  `spec: {containers: [{name: app, image: "web:1", ${container}}]}}}}\n`;

describe("a port that a container no longer has", () => {
  const found = (base: string, head: string): readonly unknown[] => {
    const { workloads, verdict } = planned(base, head);
    return [
      verdict?.level,
      ...workloads.flatMap(({ safety, findings }) =>
        findings.flatMap((one) => (one.id === "lost-port" ? [safety, one.cause, one.params.field] : [])),
      ),
    ];
  };
  const probe = (field: string, port = "http", handler = "httpGet"): string =>
    `${field}: {${handler}: {port: ${port}}}`;
  const READY = probe("readinessProbe");
  const STUCK = ["danger", "MayStick", "notReady"];
  const UNUSED = ["attention", "Safe", "unused"];
  const CASES: readonly (readonly [what: string, base: string, head: string, found: readonly unknown[]])[] = [
    ["of a readiness probe", `${PORTS}, ${READY}`, READY, [...STUCK, "readinessProbe"]],
    [
      "that has another name",
      `${PORTS}, ${READY}`,
      `${PORTS.replace("http", "web")}, ${READY}`,
      [...STUCK, "readinessProbe"],
    ],
    ["that a probe now names", PORTS, `${PORTS}, ${probe("readinessProbe", "web")}`, [...STUCK, "readinessProbe"]],
    [
      "that a probe by TCP names",
      `${PORTS}, ${probe("readinessProbe", "http", "tcpSocket")}`,
      probe("readinessProbe", "http", "tcpSocket"),
      [...STUCK, "readinessProbe"],
    ],
    ["of a startup probe", `${PORTS}, ${probe("startupProbe")}`, probe("startupProbe"), [...STUCK, "startupProbe"]],
    [
      "of a postStart hook",
      `${PORTS}, lifecycle: {${probe("postStart")}}`,
      `lifecycle: {${probe("postStart")}}`,
      ["danger", "MayStick", "stopped", "lifecycle.postStart"],
    ],
    [
      "of a liveness probe",
      `${PORTS}, ${probe("livenessProbe")}`,
      probe("livenessProbe"),
      [...UNUSED, "livenessProbe"],
    ],
    [
      "of a preStop hook",
      `${PORTS}, lifecycle: {${probe("preStop")}}`,
      `lifecycle: {${probe("preStop")}}`,
      [...UNUSED, "lifecycle.preStop"],
    ],
    ["is no change if the base lacked it", READY, `${READY}, env: [{name: A, value: a}]`, ["ok"]],
    ["has a number", `${PORTS}, ${READY}`, probe("readinessProbe", "80"), ["ok"]],
    ["is filled in later", PORTS, probe("readinessProbe", "'${PORT}'"), ["ok"]],
  ];
  for (const [what, base, head, expected] of CASES)
    it(what, () => {
      assert.deepEqual(found(workload(base), workload(head)), expected);
    });
  it("does not matter if no pod is replaced", () => {
    const none = { spec: "replicas: 0, " };
    assert.deepEqual(found(workload(`${PORTS}, ${READY}`, none), workload(READY, none)), ["ok"]);
  });
  it("may be that of an operator", () => {
    const prometheus = { kind: "Prometheus", apiVersion: "monitoring.coreos.com/v1" };
    assert.deepEqual(found(workload(`${PORTS}, ${READY}`, prometheus), workload(READY, prometheus))[1], undefined);
  });
  it("counts if an outage is accepted", () => {
    const recreate = { spec: "strategy: {type: Recreate}, " };
    const accepted = (container: string): string =>
      workload(container, recreate).replace("name: web", "name: web, annotations: {ignore.rollstamp.dev/RS004: known}");
    assert.deepEqual(found(accepted(`${PORTS}, ${READY}`), accepted(READY)), [
      "danger",
      "Outage",
      "notReady",
      "readinessProbe",
    ]);
  });
});
