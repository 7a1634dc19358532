import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CONFIG_HASH_DEFAULTS } from "../../../src/stamping/function/config-hash.ts";
import { readManifests } from "../../../src/yaml/read/items.ts";
import { stampingUses } from "../../../src/stamping/pipeline.ts";
import { wantedKinds } from "../../../src/reports/status/live-kinds.ts";
import { findWorkloads } from "../../../src/kubernetes/workloads/find-workloads.ts";
import type { Workload } from "../../../src/kubernetes/workloads/types.ts";
import { workloadKinds } from "../../../src/kubernetes/workloads/workload-kinds.ts";
import { readTree } from "../../support/trees.ts";

// fixtures/chart-values checks what is written where, and test/hosts/value-charts.test.ts compares it with the charts.

const release = (spec: string, metadata = 'annotations: {rollstamp.dev/stamp: "true"}'): string =>
  `{apiVersion: helm.toolkit.fluxcd.io/v2, kind: HelmRelease, metadata: {name: web, namespace: shop, ${metadata}}, spec: {${spec}}}\n`;
const found = (text: string): Workload[] =>
  findWorkloads(readManifests(readTree(text, "x.yaml")).items, {
    defaultNamespace: "default",
    kinds: workloadKinds(CONFIG_HASH_DEFAULTS),
  });
const named = (text: string): string[] =>
  found(text).flatMap(({ templates }) =>
    templates.flatMap(({ annotationsField, references }) =>
      references.map(({ kind, namespace, name }) => `${annotationsField}: ${kind} ${namespace}/${name}`),
    ),
  );
const GRAFANA = "chart: {spec: {chart: grafana}}";

describe("a release without our annotation", () => {
  const text = release(`${GRAFANA}, values: {envFromSecret: web}`, "");
  it("is not a workload and does not affect stamps", () => {
    assert.deepEqual(found(text), []);
    const [item] = readManifests(readTree(text, "x.yaml")).items;
    assert.ok(item !== undefined && !stampingUses(CONFIG_HASH_DEFAULTS)(item));
    assert.ok(found(release(`${GRAFANA}, values: {}`)).length === 1);
  });
  it("is not read from a cluster", () => {
    assert.ok(wantedKinds(CONFIG_HASH_DEFAULTS).every(({ kind }) => kind !== "HelmRelease" && kind !== "Application"));
  });
});

describe("values of a release", () => {
  it("name sources in the namespace of the release", () => {
    const values = "values: {envFromSecret: web}";
    assert.deepEqual(named(release(`${GRAFANA}, ${values}`)), ["spec.values.podAnnotations: Secret shop/web"]);
    assert.deepEqual(named(release(`targetNamespace: live, ${GRAFANA}, ${values}`)), [
      "spec.values.podAnnotations: Secret live/web",
    ]);
  });
  it("contain the release's name, as written or as helm-controller derives it", () => {
    const values = "values: {envFromSecret: '{{ .Release.Name }}-{{.Release.Name}}'}";
    const nameOf = (spec: string): string | undefined =>
      named(release(`${spec}, ${values}`))[0]
        ?.split("/")
        .at(-1);
    assert.equal(nameOf(GRAFANA), "web-web");
    assert.equal(nameOf(`releaseName: a, ${GRAFANA}`), "a-a");
    assert.equal(nameOf(`targetNamespace: live, ${GRAFANA}`), "live-web-live-web");
  });
  it("belong to the chart that chartRef names", () => {
    const source = (kind: string, spec: string): string =>
      `---\n{apiVersion: source.toolkit.fluxcd.io/v1, kind: ${kind}, metadata: {name: web, namespace: shop}, spec: {${spec}}}\n`;
    const values = "values: {envFromSecret: web}";
    const by = (kind: string): string => release(`chartRef: {kind: ${kind}, name: web}, ${values}`);
    assert.deepEqual(named(by("OCIRepository")), []);
    assert.equal(named(by("OCIRepository") + source("OCIRepository", "url: oci://ghcr.io/a/grafana")).length, 1);
    assert.equal(named(by("HelmChart") + source("HelmChart", "chart: ./charts/grafana")).length, 1);
    assert.deepEqual(named(by("HelmChart") + source("OCIRepository", "url: oci://ghcr.io/a/grafana")), []);
  });
  it("of two releases with one name are separate, even with one target namespace", () => {
    const first = release(`targetNamespace: live, ${GRAFANA}, values: {}`);
    assert.equal(found(`${first}---\n${first.replace("namespace: shop", "namespace: other")}`).length, 2);
    assert.throws(() => found(`${first}---\n${first}`));
  });
});

describe("app-template's volumes", () => {
  const values = (persistence: string): string =>
    release(
      `values: {controllers: {a: {containers: {app: {}}}, b: {containers: {app: {}}}}, persistence: {v: {${persistence}}}}`,
    );
  const keys = (text: string): unknown =>
    found(text)[0]?.templates.flatMap(({ references }) => references.map((one) => [...one.keys]));
  it("are those of the controllers that mount them", () => {
    const seen = (persistence: string): string[] =>
      named(values(`type: secret, name: s, ${persistence}`)).map((one) => one.split(".")[3] ?? "");
    assert.deepEqual(seen("mounted: x"), ["a", "b"]);
    assert.deepEqual(seen("globalMounts: [{path: /x}]"), ["a", "b"]);
    assert.deepEqual(seen("advancedMounts: {b: {app: [{path: /x}]}}"), ["b"]);
    assert.deepEqual(seen("advancedMounts: {b: {app: [{path: /x}]}}, globalMounts: [{path: /y}]"), ["a", "b"]);
    assert.deepEqual(seen("enabled: false"), []);
  });
  it("show the mounted keys", () => {
    const seen = (mounts: string): unknown =>
      keys(values(`type: configMap, name: c, advancedMounts: {a: {app: [${mounts}]}}`));
    assert.deepEqual(seen("{path: /x, subPath: k}, {path: /y, subPath: l}"), [["k", "l"]]);
    assert.deepEqual(seen("{path: /x, subPath: k}, {path: /y}"), [["*"]]);
    assert.deepEqual(seen("{path: /x, subPath: folder/k}"), [["*"]]);
    assert.deepEqual(keys(values("type: configMap, name: c, items: [{key: k, path: p}]")), [["k"], ["k"]]);
  });
});
