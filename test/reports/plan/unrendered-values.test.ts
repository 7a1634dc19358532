import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { severityOf } from "../../../src/findings/catalogue/finding.ts";
import { cli } from "../../support/cli.ts";
import type { PlanJson } from "../../../src/output/plan-json.ts";
import type { Files } from "../../support/folders.ts";
import { deployment } from "../../support/manifests.ts";
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
  for (const [source, chart] of [
    [
      "repoURL: https://git.example/charts.git, path: charts/web, targetRevision: v1",
      "charts/web v1 of https://git.example/charts.git",
    ],
    [
      "repoURL: oci://registry.example/charts/web, path: ., targetRevision: 1.0.0",
      "web 1.0.0 of oci://registry.example/charts",
    ],
  ] as const)
    it(`is reported for values files of a chart elsewhere: ${source}`, () => {
      const values = "helm: {valueFiles: [$values/env/web.yaml]}";
      const application = `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web, namespace: argocd}
spec: {sources: [{${source}, ${values}}, {repoURL: https://git.example/own.git, ref: values}]}
`;
      const files = { "argo/web.yaml": application, "env/web.yaml": "tag: 1\n", "env/api.yaml": "tag: 1\n" };
      return inRepository(files, async ({ environment, commit, git }) => {
        git("remote", "add", "origin", "https://git.example/own.git");
        commit("changed", { "env/web.yaml": "tag: 2\n" });
        commit("other", { "env/api.yaml": "tag: 2\n" });
        const planOf = async (range: string): Promise<PlanJson> =>
          JSON.parse((await cli(["plan", "--git", range, "-o", "json"], { environment })).stdout) as PlanJson;
        const { applications, findings, verdict } = await planOf("start..changed");
        assert.deepEqual(
          findings.map(({ id, application: of }) => [id, of]),
          [["RS024", "web"]],
        );
        assert.deepEqual(
          [verdict?.level, applications?.find(({ name }) => name === "web")?.partial?.[0]?.path],
          ["attention", chart],
        );
        assert.deepEqual((await planOf("changed..other")).findings, []);
      });
    });

  it("is reported for a source of an Application that is in another repository, beside one that is here", () => {
    const application = (revision: string): string => `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web, namespace: argocd}
spec:
  destination: {namespace: web}
  sources:
    - {repoURL: https://git.example/own.git, path: plain}
    - {repoURL: https://git.example/other.git, path: plain, targetRevision: ${revision}}
`;
    return inRepository({ "plain/web.yaml": deployment("web", "env") }, async ({ environment, commit, git }) => {
      git("remote", "add", "origin", "https://git.example/own.git");
      commit("a", { "argo/web.yaml": application("v1") });
      commit("b", { "argo/web.yaml": application("v2") });
      const { status, stdout } = await cli(["plan", "--git", "a..b", "-o", "json"], { environment });
      const { applications, findings, verdict } = JSON.parse(stdout) as PlanJson;
      assert.deepEqual([status, verdict?.level], [0, "attention"]);
      assert.deepEqual(
        findings.map(({ id, application: of, message }) => [id, of, message]),
        [
          [
            "RS024",
            "web",
            "Application argocd/web changes (spec.sources[1].targetRevision), but the source https://git.example/other.git is not in this repository: what rolls out is unknown",
          ],
        ],
      );
      assert.deepEqual(applications?.find(({ name }) => name === "web")?.partial, [
        { path: "https://git.example/other.git", reason: "the source is not in this repository" },
      ]);
    });
  });
  it("is reported for a changed ConfigMap that only what is in another repository may use", () => {
    const configMap = (name: string, data: string, more = ""): Files => ({
      [`plain/${name}.yaml`]: `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}${more}}\ndata: {a: ${data}}\n`,
    });
    const board = (data: string): Files => configMap("board", data, ', labels: {grafana_dashboard: "1"}');
    const never = (data: string): Files => configMap("never", data, ', annotations: {rollstamp.dev/stamp: "false"}');
    const application = `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web, namespace: argocd}
spec:
  sources:
    - {repoURL: https://git.example/own.git, path: plain}
    - {repoURL: https://git.example/other.git, path: plain}
`;
    const files = {
      "argo/web.yaml": application,
      "plain/web.yaml": deployment("web", "env"),
      ...configMap("env", "b"),
      ...configMap("other", "b"),
      ...board("b"),
      ...never("b"),
    };
    return inRepository(files, async ({ environment, commit, git }) => {
      git("remote", "add", "origin", "https://git.example/own.git");
      commit("unused", configMap("other", "c"));
      commit("used", configMap("env", "c"));
      commit("muted", { ...board("c"), ...never("c") });
      for (const [range, expected] of [
        [
          "start..unused",
          [
            "ConfigMap default/other of application web changes, but it is unknown whether pods use it: the source https://git.example/other.git is not in this repository",
          ],
        ],
        ["unused..used", []],
        // A sidecar finds one by its label; the other is never counted.
        ["used..muted", []],
      ] as const) {
        const { stdout } = await cli(["plan", "--git", range, "-o", "json"], { environment });
        const { findings, verdict } = JSON.parse(stdout) as PlanJson;
        const found = findings.filter(({ id }) => id === "RS024");
        assert.deepEqual(
          found.map(({ message }) => message),
          expected,
        );
        assert.equal(verdict?.level, range === "used..muted" ? "ok" : "attention");
        if (expected.length > 0) assert.equal(verdict.text, "Review first: a part of application web is not rendered");
      }
    });
  });
  it("is reported for a changed source with what uses it, in any application", () =>
    inRepository({}, async ({ environment, commit }) => {
      const source = (tag: string): Files => ({
        "sources/charts.yaml": `apiVersion: source.toolkit.fluxcd.io/v1
kind: OCIRepository
metadata: {name: web, namespace: shop}
spec: {url: oci://registry.example/web, ref: {tag: ${tag}}, layerSelector: {mediaType: ${tag}}}
`,
      });
      const files = {
        "apps/web.yaml": `apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: web, namespace: shop}
spec: {interval: 1h, chartRef: {kind: OCIRepository, name: web}}
`,
        "apps/kustomization.yaml": "resources: [web.yaml]\n",
        "sources/kustomization.yaml": "resources: [charts.yaml]\n",
      };
      commit("a", { ...files, ...source("1.0.0") });
      commit("b", source("1.1.0"));
      // Whether kustomize or kubectl builds the kustomizations depends on the machine.
      const { stdout } = await cli(["plan", "--git", "a..b", "-o", "json"], { environment });
      const { findings, applications } = JSON.parse(stdout) as PlanJson;
      assert.deepEqual(
        findings.map(({ id, application }) => [id, application]),
        [["RS024", "web"]],
        stdout,
      );
      assert.match(
        findings[0]?.message ?? "",
        /^HelmRelease shop\/web changes \(OCIRepository web: spec\.ref\.tag, OCIRepository web: spec\.layerSelector\.mediaType\), but the chart web 1\.1\.0 of oci:\/\/registry\.example is not in the repository/u,
      );
      assert.equal(applications?.find(({ name }) => name === "web")?.unrendered, true);
    }));
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
