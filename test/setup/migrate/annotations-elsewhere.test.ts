import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CONFIG_HASH_DEFAULTS } from "../../../src/stamping/function/config-hash.ts";
import { readManifests } from "../../../src/yaml/read/items.ts";
import { annotationsInValues, type AnnotationElsewhere } from "../../../src/setup/migrate/annotations-elsewhere.ts";
import { migrate } from "../../../src/setup/migrate/migrate.ts";
import { replacementOf } from "../../../src/setup/migrate/peer-annotations.ts";
import { cli } from "../../support/cli.ts";
import { inFolder } from "../../support/folders.ts";
import { readTree } from "../../support/trees.ts";

const found = (text: string): readonly AnnotationElsewhere[] =>
  migrate([readManifests(readTree(text, "x.yaml"))], CONFIG_HASH_DEFAULTS).elsewhere;
const rowsOf = (all: readonly AnnotationElsewhere[]): string[] =>
  all.map(
    ({ place, field, annotation }) =>
      `${place.line} ${field} ${annotation.key}=${annotation.value} -> ${[...replacementOf(annotation)].map((entry) => entry.join("=")).join("; ")}`,
  );

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
          annotations: {secret.reloader.stakater.com/reload: &names "a, b"}
    other: [{configmap.reloader.stakater.com/reload: *names}]
    text: |
      x:
        # reloader.stakater.com/auto: "true"
        wave.pusher.com/update-on-config-change: 'true'
`;

describe("annotations of peers in values", () => {
  it("are reported with line, path and replacement", () => {
    assert.deepEqual(rowsOf(found(RELEASE)), [
      "10 spec.values.controllers.web.annotations reloader.stakater.com/auto=true -> rollstamp.dev/stamp=true",
      "12 spec.values.controllers.web.pod.annotations secret.reloader.stakater.com/reload=a, b -> rollstamp.dev/stamp=true; rollstamp.dev/sources=secret/a, secret/b",
      "13 spec.values.other[0] configmap.reloader.stakater.com/reload=a, b -> rollstamp.dev/stamp=true; rollstamp.dev/sources=configmap/a, configmap/b",
      "17 spec.values.text wave.pusher.com/update-on-config-change=true -> rollstamp.dev/stamp=true",
    ]);
  });
  it("show whether stamps can be written there, and which belong to pods", () => {
    assert.deepEqual(
      found(RELEASE).map(({ release, isOfPods }) => [release, isOfPods]),
      [
        ["known", false],
        ["known", true],
        ["known", false],
        ["known", false],
      ],
    );
    assert.equal(found(RELEASE.replace("app-template", "x").replace("controllers", "c"))[0]?.release, "unknown");
  });
  it("have no replacement if only the objects show what they name", () => {
    const replacement = (entry: string): string | undefined =>
      rowsOf(annotationsInValues(`a: {${entry}}\n`, "values.yaml"))[0]?.split(" -> ")[1];
    assert.equal(replacement("secret.reloader.stakater.com/reload: 'a-.*'"), "");
    assert.equal(replacement('reloader.stakater.com/search: "true"'), "");
    assert.equal(replacement('reloader.stakater.com/auto: "false"'), "rollstamp.dev/stamp=false");
    assert.equal(
      replacement('configmap.reloader.stakater.com/auto: "true"'),
      "rollstamp.dev/stamp=true; rollstamp.dev/exclude=secret/*",
    );
    assert.equal(
      replacement("configmaps.exclude.reloader.stakater.com/reload: a"),
      "rollstamp.dev/exclude=configmap/a",
    );
  });
  it("exclude those of workloads and sources, which are edited", () => {
    const workload = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, annotations: {reloader.stakater.com/auto: "true"}}
spec: {template: {metadata: {annotations: {secret.reloader.stakater.com/reload: a}}, spec: {containers: []}}}
---
{apiVersion: v1, kind: Secret, metadata: {name: a, annotations: {reloader.stakater.com/match: "true"}}}
`;
    assert.deepEqual(found(workload), []);
  });
  it("are found by line in a file that is not YAML", () => {
    const text = `{{ if .x }}\nannotations:\n  reloader.stakater.com/auto: "true" # why\n  secret.reloader.stakater.com/reload: a,b\n`;
    assert.deepEqual(rowsOf(annotationsInValues(text, "values.yaml")), [
      "3  reloader.stakater.com/auto=true -> rollstamp.dev/stamp=true",
      "4  secret.reloader.stakater.com/reload=a,b -> rollstamp.dev/stamp=true; rollstamp.dev/sources=secret/a, secret/b",
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
      assert.match(stdout, /^HelmRelease web {2}\S+web\/release\.yaml:10:11$/mu);
      assert.match(stdout, /^Values {2}\S+web\/values-prod\.yaml:2$/mu);
      assert.match(stdout, /^5 annotations of peers in values and texts are listed/mu);
      assert.equal((await cli(["migrate", "--diff", folder])).stdout, "");
    }));
  it("accepts a folder with only values", () =>
    inFolder({ "values.yaml": files["web/values-prod.yaml"] }, async (folder) => {
      assert.match((await cli(["migrate", folder])).stdout, /^Values {2}\S+values\.yaml:2$/mu);
    }));
});
