import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readConfigHash } from "../../../src/stamping/function/config-hash.ts";
import { planned } from "./planned.ts";

// How the pods of a configured kind take a changed template: `rolls` of the option `workloads`.

const fleet = (level: string): string =>
  `apiVersion: example.com/v1
kind: Fleet
metadata: {name: fleet}
spec:
  template:
    spec:
      containers: [{name: app, image: "app:1", envFrom: [{configMapRef: {name: env}}]}]
---
apiVersion: v1
kind: ConfigMap
metadata: {name: env}
data: {LEVEL: ${level}}
`;

function actionOf(more: Readonly<Record<string, string>>): string[] {
  const row = { group: "example.com", kind: "Fleet", podTemplate: "spec.template", ...more };
  const spec = readConfigHash({ spec: { workloads: [row] } });
  return planned(fleet("info"), fleet("debug"), { spec }).workloads.map(({ action }) => action);
}

describe("a configured kind in a plan", () => {
  it("rolls by default", () => assert.deepEqual(actionOf({}), ["Roll"]));
  it("rolls: Template", () => assert.deepEqual(actionOf({ rolls: "Template" }), ["Roll"]));
  it("rolls: NextRun", () => assert.deepEqual(actionOf({ rolls: "NextRun" }), ["NextRun"]));
  it("rolls: Immutable is not stamped, as Jobs are not", () => assert.deepEqual(actionOf({ rolls: "Immutable" }), []));
});
