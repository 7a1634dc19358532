import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { planned } from "./planned.ts";

const deployment = (image: string, spec = "replicas: 2, "): string =>
  `{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {${spec}template: {metadata: {labels: {app: web}}, ` +
  `spec: {containers: [{name: app, image: "${image}"}]}}}}\n`;
const cronJob = (image: string): string =>
  `{apiVersion: batch/v1, kind: CronJob, metadata: {name: web}, spec: {schedule: "1 * * * *", jobTemplate: {spec: {template: ` +
  `{spec: {restartPolicy: Never, containers: [{name: app, image: "${image}"}]}}}}}}\n`;
const OTHER = `{apiVersion: v1, kind: ConfigMap, metadata: {name: other}}\n`;

describe("an image with an invalid name", () => {
  const found = (base: string, head: string): readonly unknown[] => {
    const { workloads, verdict } = planned(base, head);
    return [
      verdict?.level,
      ...workloads.flatMap(({ safety, findings }) =>
        findings.flatMap((one) => (one.id === "invalid-image" ? [safety, one.cause, one.params.user] : [])),
      ),
    ];
  };
  const VALID = [
    "web:2",
    "web",
    "acme/web__a.b-c:v1_2.3",
    "localhost:5000/acme/web",
    "GHCR.io/acme/web:2",
    "Registry/acme/web",
    "[::1]:5000/web",
    `web:2@sha256:${"a1".repeat(32)}`,
    "acme/web:${TAG}",
    "{{ .Values.image }}",
  ];
  for (const image of VALID)
    it(`is not ${image}`, () => {
      assert.deepEqual(found(deployment("web:1"), deployment(image)), ["ok"]);
    });
  const INVALID = [
    "web:",
    "ghcr.io/Acme/web:2",
    "Web:2",
    "web:1:2",
    "web@",
    "/web",
    "acme//web",
    "web:-2",
    " web",
    "-a.io/web",
  ];
  for (const image of INVALID)
    it(`is '${image}': the rollout hangs`, () => {
      assert.deepEqual(found(deployment("web:1"), deployment(image)), ["danger", "MayStick", "stuck", "container app"]);
    });
  it("is no change if the base has it", () => {
    const head = deployment("web:").replace("name: app", "name: app, args: [a]");
    assert.deepEqual(found(deployment("web:"), head), ["ok"]);
  });
  it("needs a review in what runs later", () => {
    const later = ["attention", "Safe", "later", "container app"];
    assert.deepEqual(found(OTHER, `${OTHER}---\n${deployment("web:")}`), later);
    assert.deepEqual(found(cronJob("web:1"), cronJob("web:")), later);
    assert.deepEqual(found(deployment("web:1", "replicas: 0, "), deployment("web:", "replicas: 0, ")), later);
  });
});
