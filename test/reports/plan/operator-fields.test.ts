// Another image or version of a custom kind, or other needs of its pods, outside of its pod template: its operator replaces
// the pods.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { planned } from "./planned.ts";

const ROWS: readonly (readonly [apiVersion: string, kind: string, spec: string, path: string])[] = [
  ["elasticsearch.k8s.elastic.co/v1", "Elasticsearch", "version: TAG, nodeSets: [{name: a, count: 3}]", "spec.version"],
  ["kibana.k8s.elastic.co/v1", "Kibana", "version: TAG", "spec.version"],
  ["postgresql.cnpg.io/v1", "Cluster", "instances: 3, imageName: 'postgres:TAG'", "spec.imageName"],
  ["kafka.strimzi.io/v1beta2", "Kafka", "kafka: {version: TAG}", "spec.kafka.version"],
  ["rabbitmq.com/v1beta1", "RabbitmqCluster", "image: 'rabbitmq:TAG'", "spec.image"],
  ["k8s.keycloak.org/v2alpha1", "Keycloak", "image: 'keycloak:TAG'", "spec.image"],
  ["k8s.mariadb.com/v1alpha1", "MariaDB", "image: 'mariadb:TAG'", "spec.image"],
  ["acid.zalan.do/v1", "postgresql", "postgresql: {version: 'TAG'}", "spec.postgresql.version"],
];

describe("another image of a custom kind", () => {
  for (const [apiVersion, kind, spec, path] of ROWS) {
    it(`needs a review: ${kind}`, () => {
      const manifest = (tag: string, more = ""): string =>
        `{apiVersion: ${apiVersion}, kind: ${kind}, metadata: {name: web}, spec: {${more}${spec.replace("TAG", tag)}}}`;
      const { verdict, workloads } = planned(manifest("8.1.0"), manifest("8.2.0"), { stamps: "Standing" });
      assert.deepEqual(
        workloads.map(({ action, safety, reasons }) => [
          action,
          safety,
          reasons.map((one) => "path" in one && one.path),
        ]),
        [["Roll", "Unknown", [path]]],
      );
      assert.equal(verdict?.level, "attention");
      const other = planned(manifest("8.1.0"), manifest("8.1.0", "paused: true, "), { stamps: "Standing" });
      assert.deepEqual(other.workloads, []);
    });
  }
});

const COPIED: readonly (readonly [apiVersion: string, kind: string, from: string, to: string, path: string])[] = [
  ["postgresql.cnpg.io/v1", "Cluster", "limits: {memory: 2Gi}", "limits: {memory: 3Gi}", "resources.limits.memory"],
  ["kafka.strimzi.io/v1", "KafkaNodePool", "limits: {memory: 2Gi}", "limits: {memory: 3Gi}", "resources.limits.memory"],
  ["rabbitmq.com/v1beta1", "RabbitmqCluster", "requests: {cpu: 1}", "requests: {cpu: 2}", "resources.requests.cpu"],
  [
    "opentelemetry.io/v1beta1",
    "OpenTelemetryCollector",
    "requests: {cpu: 1}",
    "requests: {}",
    "resources.requests.cpu",
  ],
];

describe("fields that operators copy to the pods of a custom kind", () => {
  const manifest = (apiVersion: string, kind: string, spec: string): string =>
    `{apiVersion: ${apiVersion}, kind: ${kind}, metadata: {name: web}, spec: {${spec}}}`;
  const rolled = (base: string, head: string): unknown =>
    planned(base, head, { stamps: "Standing" }).workloads.map(({ safety, reasons }) => [safety, reasons]);

  for (const [apiVersion, kind, from, to, path] of COPIED) {
    it(`resources roll: ${kind}`, () => {
      const [base, head] = [from, to].map((resources) => manifest(apiVersion, kind, `resources: {${resources}}`));
      assert.match(JSON.stringify(rolled(base ?? "", head ?? "")), new RegExp(`"Unknown",.*"spec\\.${path}"`, "u"));
    });
  }

  it("equal quantities and another number of instances do not roll", () => {
    const cluster = (spec: string): string => manifest("postgresql.cnpg.io/v1", "Cluster", spec);
    assert.deepEqual(
      rolled(cluster("resources: {limits: {cpu: 1}}"), cluster("resources: {limits: {cpu: 1000m}}")),
      [],
    );
    assert.deepEqual(rolled(cluster("instances: 2, env: [{name: A}]"), cluster("instances: 3, env: [{name: A}]")), []);
  });

  it("values of variables are hidden", () => {
    const [base, head] = ["one", "two"].map((value) =>
      manifest("postgresql.cnpg.io/v1", "Cluster", `env: [{name: A, value: ${value}}]`),
    );
    assert.deepEqual(rolled(base ?? "", head ?? ""), [
      ["Unknown", [{ type: "Template", path: "spec.env", hidden: true }]],
    ]);
  });
});
