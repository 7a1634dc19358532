import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CONFIG_HASH_DEFAULTS } from "../../../src/stamping/function/config-hash.ts";
import { readManifests } from "../../../src/yaml/read/items.ts";
import { annotationsElsewhere, type AnnotationElsewhere } from "../../../src/setup/migrate/annotations-elsewhere.ts";
import { migrate } from "../../../src/setup/migrate/migrate.ts";
import { cli } from "../../support/cli.ts";
import { inFolder } from "../../support/folders.ts";
import { readTree } from "../../support/trees.ts";

const found = (text: string): readonly AnnotationElsewhere[] =>
  migrate([readManifests(readTree(text, "x.yaml"))], CONFIG_HASH_DEFAULTS).elsewhere;
const rowsOf = (all: readonly AnnotationElsewhere[]): string[] =>
  all.map(({ place, annotation }) => `${place.line} ${annotation.peer} ${annotation.key}=${annotation.value}`);

const RELEASE = `apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: web}
spec:
  chart: {spec: {chart: app-template}}
  values:
    controllers:
      web:
        annotations:
          reloader.stakater.com/auto: "true"
        pod:
          annotations: {secret.reloader.stakater.com/reload: "a, b"}
    other: [{configmap.reloader.stakater.com/reload: a}]
    text: |
      x:
        # reloader.stakater.com/auto: "true"
        wave.pusher.com/update-on-config-change: 'true'
`;

describe("annotations of peers in values", () => {
  it("are reported with their lines", () => {
    assert.deepEqual(rowsOf(found(RELEASE)), [
      "10 Reloader reloader.stakater.com/auto=true",
      "12 Reloader secret.reloader.stakater.com/reload=a, b",
      "13 Reloader configmap.reloader.stakater.com/reload=a",
      "17 Wave wave.pusher.com/update-on-config-change=true",
    ]);
  });
  it("exclude those of workloads and sources, which are edited", () => {
    const workload = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, annotations: {reloader.stakater.com/auto: "true"}}
spec: {template: {metadata: {annotations: {secret.reloader.stakater.com/reload: a}}, spec: {containers: []}}}
---
{apiVersion: v1, kind: Secret, metadata: {name: a, annotations: {reloader.stakater.com/match: "true"}}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: b}, data: {reloader.stakater.com/auto: "x"}}
`;
    assert.deepEqual(rowsOf(found(workload)), ["8 Reloader reloader.stakater.com/auto=x"]);
  });
  it("are found by line in a file that is not YAML", () => {
    const text = `{{ if .x }}\nannotations:\n  reloader.stakater.com/auto: "true" # why\n  secret.reloader.stakater.com/reload: a,b\n`;
    assert.deepEqual(rowsOf(annotationsElsewhere(text, "values.yaml")), [
      "3 Reloader reloader.stakater.com/auto=true",
      "4 Reloader secret.reloader.stakater.com/reload=a,b",
    ]);
  });
});

describe("rollstamp migrate with values", () => {
  const files = {
    "web/release.yaml": RELEASE,
    "web/values-prod.yaml": 'podAnnotations:\n  reloader.stakater.com/auto: "true"\n',
  };
  it("names file and line of each, and edits none", () =>
    inFolder(files, async (folder) => {
      const { status, stdout } = await cli(["migrate", folder]);
      assert.equal(status, 0);
      assert.match(stdout, /^\S+web\/release\.yaml:10 {2}Reloader: reloader\.stakater\.com\/auto: "true"$/mu);
      assert.match(stdout, /^\S+web\/values-prod\.yaml:2 {2}Reloader: /mu);
      assert.equal((await cli(["migrate", "--diff", folder])).stdout, "");
    }));
  it("accepts a folder with only values", () =>
    inFolder({ "values.yaml": files["web/values-prod.yaml"] }, async (folder) => {
      assert.match((await cli(["migrate", folder])).stdout, /^\S+values\.yaml:2 {2}Reloader: /mu);
    }));
});
