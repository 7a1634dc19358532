// Another image or version of a custom kind, outside of its pod template: its operator replaces the pods.
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
