import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { severityOf } from "../../../src/findings/catalogue/finding.ts";
import { cli } from "../../support/cli.ts";
import { planned } from "./planned.ts";
import { inRepository } from "./repository.ts";

const release = (tag: string, chart = "charts/web"): string => `apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: web, namespace: shop}
spec:
  interval: 1h
  chart: {spec: {chart: ${chart}, sourceRef: {kind: HelmRepository, name: nowhere}}}
  values: {tag: ${tag}}
`;

describe("RS024 in a plan", () => {
  it("is reported whatever the base has", () => {
    const report = planned(release("a"), release("b"), { failOn: ["RS024"] });
    assert.deepEqual(
      report.findings.map((finding) => `${finding.id} ${severityOf(finding)}`),
      ["RS024 warning"],
    );
    assert.deepEqual(report.exceeded, [{ limit: "failOn", rule: "RS024", findings: 1 }]);
    const { verdict } = planned(release("a"), release("b"));
    assert.equal(verdict?.level, "attention");
    assert.ok(verdict?.because.id === "row" && verdict?.because.row.label === "unrendered");
  });
  it("has the level that the configuration sets", () => {
    assert.deepEqual(planned(release("a"), release("b"), { levels: new Map([["RS024", "off"]]) }).findings, []);
  });
  it("is not reported for a rendered release", () => {
    assert.deepEqual(planned(release("a"), release("b"), { isRendered: ({ name }) => name === "web" }).findings, []);
  });
  it("is not reported against a cluster, which isn't queried for it", () => {
    assert.deepEqual(planned(release("a"), release("b"), { isLive: true }).findings, []);
  });
  it("is not reported for stamps: the release is a workload then, unless its output is rendered", () => {
    const stamped = (stamp: string, content: string): string => `${release("a")
      .replace("namespace: shop}", 'namespace: shop, annotations: {rollstamp.dev/stamp: "true"}}')
      .replace("charts/web", "grafana")
      .replace("values: {", `values: {envFromSecret: web, podAnnotations: {secret.rollstamp.dev/web: "${stamp}"}, `)}---
{apiVersion: v1, kind: Secret, metadata: {name: web, namespace: shop}, stringData: {a: ${content}}}
`;
    const [base, head] = [stamped("h1-0123456789abcdef0123456789abcdef01234567", "one"), stamped("x", "two")];
    const report = planned(base, head);
    assert.deepEqual(
      report.workloads.map(({ kind, action, safety }) => `${kind} ${action} ${safety}`),
      ["HelmRelease Roll Unknown"],
    );
    assert.deepEqual(report.findings, []);
    const rendered = planned(base, head, { isRendered: ({ kind }) => kind === "HelmRelease" });
    assert.deepEqual([rendered.workloads, rendered.summary.workloads], [[], 0]);
  });
  it("is reported for a release that no application renders", () =>
    inRepository({}, async ({ environment, commit }) => {
      commit("a", { "web.yaml": release("a") });
      commit("b", { "web.yaml": release("b") });
      const { stdout } = await cli(["plan", "--git", "a..b", "-o", "json"], { environment });
      const { findings } = JSON.parse(stdout);
      assert.deepEqual(
        findings.map(({ id }: { id: string }) => id),
        ["RS024"],
      );
    }));
});
