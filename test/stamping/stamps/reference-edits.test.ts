import assert from "node:assert/strict";
import { it } from "node:test";
import { run } from "../../support/run.ts";

const VERSIONED = `apiVersion: rollstamp.dev/v1alpha1
kind: ConfigHash
metadata: {name: versioned}
spec: {layout: Versioned}
`;

const spark = (first: string, other: string): string => `apiVersion: v1
kind: ConfigMap
metadata: {name: env}
data: {LEVEL: info}
---
apiVersion: sparkoperator.k8s.io/v1beta2
kind: SparkApplication
metadata: {name: spark}
spec:
  driver: {configMaps: [{name: ${first}, path: /etc/env}], template: {}}
  sparkConfigMap: ${other}
`;

it("a field that names its source without a mapping gets the name of the copy", () => {
  const { text } = run(spark("env", "env"), VERSIONED);
  assert.match(text, /sparkConfigMap: env-[0-9a-f]{10}$/mu);
});

it("such a field that is an alias is refused, as every other shared place is, and not stamped instead", () => {
  const { status, messages } = run(spark("&x env", "*x"), VERSIONED);
  assert.equal(status, 2);
  assert.match(messages, /^input\.yaml:10:32: .* an alias or a merge key shares with another place$/mu);
});
