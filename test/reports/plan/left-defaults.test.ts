// Another strategy beside the defaults that the API server has filled in. A real API server decided each row.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CONFIG_HASH_DEFAULTS } from "../../../src/stamping/function/config-hash.ts";
import { joinParts } from "../../../src/reports/plan/parts.ts";
import { planPart } from "../../../src/reports/plan/plan.ts";
import type { PlanPair } from "../../../src/reports/plan/plan-context.ts";
import { AS_KUBECTL } from "../../../src/reports/plan/planned-application.ts";
import { readSide, type Side } from "../../../src/reports/plan/side.ts";
import { readManifests } from "../../../src/yaml/read/items.ts";
import { readTree } from "../../support/trees.ts";

const ROLLING = "{type: RollingUpdate, rollingUpdate: {}}";
const EXPLICIT = "{type: RollingUpdate, rollingUpdate: {maxUnavailable: 1}}";
type Validation = NonNullable<PlanPair["applying"]>["fieldValidation"];

const ROWS: readonly (readonly [
  kind: string,
  from: string,
  to: string,
  by: Validation,
  isRefused: boolean,
  annotations?: string,
])[] = [
  ["Deployment", "null", "{type: Recreate}", "ServerSide", true],
  ["Deployment", "{type: RollingUpdate}", "{type: Recreate}", "ServerSide", true],
  ["Deployment", "null", "{type: Recreate}", "Strict", false],
  ["Deployment", ROLLING, "{type: Recreate}", "ServerSide", false],
  ["Deployment", EXPLICIT, "{type: Recreate}", "ServerSide", false],
  ["Deployment", "{type: Recreate}", "null", "ServerSide", false],
  ["Deployment", "null", "{type: Recreate}", "ServerSide", false, "kustomize.toolkit.fluxcd.io/force: enabled"],
  ["StatefulSet", "null", "{type: OnDelete}", "Strict", true],
  ["StatefulSet", "null", "{type: OnDelete}", "ServerSide", true],
  ["StatefulSet", ROLLING, "{type: OnDelete}", "Strict", false],
  ["DaemonSet", "null", "{type: OnDelete}", "ServerSide", false],
];

describe("a type of a strategy that allows no rollingUpdate", () => {
  for (const [kind, from, to, by, isRefused, annotations = ""] of ROWS) {
    it(`of a ${kind}, ${from} to ${to}, ${by} ${annotations}: ${isRefused ? "refused" : "taken"}`, () => {
      const field = kind === "Deployment" ? "strategy" : "updateStrategy";
      const side = (strategy: string): Side => {
        const text = `{apiVersion: apps/v1, kind: ${kind}, metadata: {name: web, annotations: {${annotations}}}, spec: {${field}: ${strategy}, selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: x}]}}}}`;
        return readSide([readManifests(readTree(text, "a.yaml"))], CONFIG_HASH_DEFAULTS, undefined);
      };
      const options = { all: true, showValues: false, maxWorkloads: undefined, maxPods: undefined, failOn: [] };
      const part = planPart(
        [{ base: side(from), head: side(to), applying: { ...AS_KUBECTL, fieldValidation: by } }],
        options,
      );
      const { workloads } = joinParts([part], options, "stamped");
      assert.deepEqual(
        workloads.map(({ action }) => action === "Fail"),
        [isRefused],
      );
    });
  }
});
