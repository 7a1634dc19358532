// plan --git over HelmReleases of charts in the repository, compared with helm and kustomize.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { describe, it } from "node:test";
import type { PlanJson } from "../../src/output/plan-json.ts";
import type { ReplacedRelease } from "../../src/reports/plan/planned-workload.ts";
import type { Json } from "../../src/yaml/read/node.ts";
import type { Files } from "../support/folders.ts";
import { configMap, deployment } from "../support/manifests.ts";
import { packed } from "./chart-server.ts";
import { missing, PATH, plan, repository, rollstamp, statuses, type Repository } from "./planned-repository.ts";
import { installed, unlessFound } from "./programs.ts";

const HELM4 = installed("helm4.sh");
const TEMPLATE = `${deployment("web", "env").replace("image: app:1", "image: app:{{ .Values.tag }}")}---\n${configMap("env", "x").replace('"x"', "{{ toJson .Values | quote }}")}`;
const CHART = {
  "charts/web/Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\n",
  "charts/web/values.yaml": "tag: 1\nlevel: info\nonly: {chart: true}\n",
  "charts/web/templates/all.yaml": TEMPLATE,
  "values/prod.yaml": "tag: 2\nlevel: warn\n",
  "values/more.yaml": "more: [a]\n",
  "git.yaml": object("source.toolkit.fluxcd.io/v1", "GitRepository", "repo", { url: "https://example.com/repo" }),
};

function object(apiVersion: string, kind: string, name: string, spec: Record<string, Json>): string {
  return `${JSON.stringify({ apiVersion, kind, metadata: { name, namespace: "apps" }, spec })}\n`;
}

const SOURCE = { kind: "GitRepository", name: "repo" };

function release(spec: Record<string, Json>, chart: Record<string, Json> = {}): string {
  return object("helm.toolkit.fluxcd.io/v2", "HelmRelease", "web", {
    chart: { spec: { chart: "./charts/web", sourceRef: SOURCE, ...chart } },
    ...spec,
  });
}

function secret(name: string, data: Record<string, string>): string {
  return `${JSON.stringify({ apiVersion: "v1", kind: "Secret", metadata: { name, namespace: "apps" }, stringData: data })}\n`;
}

/** What the ConfigMap of the release comes to have in the head: the values that its chart was given. */
function valuesIn(repo: Repository, range: string): Json {
  const { report } = plan(repo, "--git", range, "--show-values");
  assert.equal(statuses(report)["web"], "Changed", JSON.stringify(report.applications));
  const [, json] = /"\+(\{(?:[^"\\]|\\.)*\})"/u.exec(JSON.stringify(report.workloads)) ?? [];
  assert.ok(json !== undefined, JSON.stringify(report.workloads));
  return JSON.parse(JSON.parse(`"${json}"`));
}

const message = ({ applications = [] }: PlanJson, name: string): string =>
  applications.find((one) => one.name === name)?.message ?? "";

describe("plan --git over HelmReleases", { skip: missing }, () => {
  it("uses placeholders for a values file that SOPS encrypted, and sees changed values", () => {
    const file = (tag: string): string => `tag: ENC[${tag}]\nsops: {mac: "ENC[m]"}\n`;
    const repo = repository({
      ...CHART,
      "app/kustomization.yaml":
        "namespace: apps\nresources: [release.yaml]\nsecretGenerator: [{name: own, files: [values.yaml=values.enc.yaml]}]\ngeneratorOptions: {disableNameSuffixHash: true}\n",
      "app/values.enc.yaml": file("one"),
      "app/release.yaml": release({ valuesFrom: [{ kind: "Secret", name: "own" }] }),
    });
    repo.commit("two", { "app/values.enc.yaml": file("two") });
    const { report } = plan(repo, "--git", "start..two");
    assert.equal(statuses(report)["web"], "Changed", JSON.stringify(report.applications));
    assert.deepEqual(
      report.workloads.map(({ name, action }) => [name, action]),
      [["web", "Roll"]],
    );
    const notExaminedRows = report.notExamined.filter(({ kind }) => kind === "Values");
    assert.deepEqual(
      notExaminedRows.map(({ name, reason }) => [name, reason]),
      [["Secret apps/own", "it is encrypted with SOPS: a placeholder replaces 1 of the values of values.yaml"]],
    );
    assert.doesNotMatch(JSON.stringify(report), /ENC\[/u);
  });

  it("merges values of objects as Flux does, and sees changed objects", () => {
    const valuesFrom = [
      { kind: "ConfigMap", name: "shared" },
      { kind: "ConfigMap", name: "own" },
      { kind: "Secret", name: "absent", optional: true },
      { kind: "ConfigMap", name: "own", valuesKey: "pass", targetPath: "db.pass", literal: true },
      { kind: "ConfigMap", name: "shared", valuesKey: "port", targetPath: "db.ports[0]" },
    ];
    const shared = (level: string): string =>
      `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: shared, namespace: apps}\ndata:\n  port: "5432000"\n  values.yaml: |\n    level: ${level}\n    on: yes\n    db: {host: a}\n`;
    const repo = repository({
      ...CHART,
      "shared.yaml": shared("info"),
      // Values of a Secret would be hidden.
      "own.yaml": `${JSON.stringify({
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "own", namespace: "apps" },
        data: { "values.yaml": "db: {host: b}\n", pass: "a,b=c" },
      })}\n`,
      "web.yaml": release({ valuesFrom, values: { tag: 3, db: { user: "u" } } }),
    });
    repo.commit("next", { "shared.yaml": shared("debug") });
    assert.deepEqual(valuesIn(repo, "start..next"), {
      db: { host: "b", pass: "a,b=c", ports: [5_432_000], user: "u" },
      level: "debug",
      only: { chart: true },
      tag: 3,
      true: true,
    });
  });

  it("misses values of a generated ConfigMap to whose name kustomize adds a hash, but not in the release", () => {
    const kustomization =
      "namespace: apps\nresources: [release.yaml]\nconfigMapGenerator: [{name: own, files: [values.yaml]}]\n";
    const repo = repository({
      ...CHART,
      "app/kustomization.yaml": `${kustomization}configurations: [names.yaml]\n`,
      "app/names.yaml":
        "nameReference: [{kind: ConfigMap, version: v1, fieldSpecs: [{path: spec/valuesFrom/name, kind: HelmRelease}]}]\n",
      "app/values.yaml": "tag: 2\n",
      "app/release.yaml": release({ valuesFrom: [{ kind: "ConfigMap", name: "own" }] }),
    });
    repo.commit("named", { "app/values.yaml": "tag: 3\n" });
    repo.commit("plain", { "app/kustomization.yaml": kustomization });
    const named = plan(repo, "--git", "start..named").report;
    assert.deepEqual(
      named.workloads.map(({ name, action }) => [name, action]),
      [["web", "Roll"]],
    );
    assert.match(
      plan(repo, "--git", "named..plain").report.verdict?.text ?? "",
      /Review first: web: HelmRelease apps\/web is not rendered$/u,
    );
  });

  it("uninstalls a release and installs another one if what identifies it changes", () => {
    const named = (name: string): string => `apiVersion: v2\nname: ${name}\nversion: 1.0.0\n`;
    const inPlace = { upgrade: { chartNameChangeStrategy: "InPlaceUpdate" } };
    const rows: readonly (readonly [string, Files, Files, ReplacedRelease | undefined])[] = [
      ["name", {}, { "web.yaml": release({ releaseName: "two" }) }, { by: "name", from: "web", to: "two" }],
      [
        "storage",
        { "web.yaml": release({ storageNamespace: "one" }) },
        { "web.yaml": release({}) },
        { by: "storageNamespace", from: "one", to: "apps" },
      ],
      [
        "namespace",
        {},
        { "web.yaml": release({ targetNamespace: "two" }) },
        { by: "namespace", from: "apps", to: "two" },
      ],
      ["chart", {}, { "charts/web/Chart.yaml": named("two") }, { by: "chart", from: "web", to: "two" }],
      ["same name", {}, { "web.yaml": release({ releaseName: "web", storageNamespace: "apps" }) }, undefined],
      [
        "chart in place",
        { "web.yaml": release(inPlace) },
        { "web.yaml": release(inPlace), "charts/web/Chart.yaml": named("two") },
        undefined,
      ],
      ["suspended", {}, { "web.yaml": release({ releaseName: "two", suspend: true }) }, undefined],
    ];
    for (const [says, base, head, replaced] of rows) {
      const fixed = deployment("web", "env").replace("  name: web\n", "  name: web\n  namespace: fixed\n");
      const repo = repository({ ...CHART, "charts/web/templates/all.yaml": fixed, "web.yaml": release({}), ...base });
      repo.commit("next", head);
      const { report } = plan(repo, "--git", "start..next");
      const web = report.workloads.find(({ action }) => action === "Delete");
      assert.deepEqual(web?.movedTo?.release, replaced, says);
      assert.equal(report.verdict?.level, replaced === undefined ? "ok" : "attention", says);
      assert.equal(report.applications?.find(({ name }) => name === "web")?.change, undefined, says);
    }
  });

  it("knows from the values of a known chart which release uses a changed source", () => {
    const uses = (name: string, namespace: string, source: string, more: Record<string, Json> = {}): string =>
      `${JSON.stringify({
        apiVersion: "helm.toolkit.fluxcd.io/v2",
        kind: "HelmRelease",
        metadata: { name, namespace },
        spec: {
          chart: {
            spec: { chart: "app-template", version: "4.1.0", sourceRef: { kind: "HelmRepository", name: "x" } },
          },
          values: { controllers: { main: {} }, persistence: { config: { type: "configMap", name: source } } },
          ...more,
        },
      })}\n`;
    const valuesFrom = [{ kind: "ConfigMap", name: "absent", optional: true }];
    const rows: readonly (readonly [string, string, readonly string[]])[] = [
      ["the release", uses("web", "apps", "{{ .Release.Name }}-own"), ["cross-application-change"]],
      ["another release", uses("other", "apps", "{{ .Release.Name }}-own"), []],
      ["values that are not all there", uses("other", "apps", "other", { valuesFrom }), ["unrendered-application"]],
      ["another namespace", uses("other", "elsewhere", "other", { valuesFrom }), []],
    ];
    const lead = (name: string, path: string): string =>
      object("kustomize.toolkit.fluxcd.io/v1", "Kustomization", name, { path, sourceRef: SOURCE, prune: true });
    for (const [says, user, ids] of rows) {
      const settings = (value: string): string =>
        configMap("web-own", value).replace("metadata:", "metadata:\n  namespace: apps");
      const repo = repository({
        "clusters/a/flux-system/gotk-sync.yaml": lead("flux-system", "./clusters/a"),
        "clusters/a/apps.yaml": lead("apps", "./apps"),
        "apps/source.yaml": object("source.toolkit.fluxcd.io/v1", "HelmRepository", "x", {
          url: "https://charts.example",
        }),
        "apps/user.yaml": user,
        "apps/own.yaml": settings("a"),
        "apps/web.yaml": deployment("web", "none"),
      });
      repo.commit("next", { "apps/own.yaml": settings("b") });
      const { report } = plan(repo, "--git", "start..next");
      assert.deepEqual(
        report.findings.map(({ id }) => id),
        ids,
        says,
      );
    }
  });

  it("reports once that a replaced release of a chart elsewhere is not rendered", () => {
    const chart = { chart: "redis", version: "1.0.0", sourceRef: { kind: "HelmRepository", name: "elsewhere" } };
    const source = object("source.toolkit.fluxcd.io/v1", "HelmRepository", "elsewhere", {
      url: "https://charts.example",
    });
    const repo = repository({ "source.yaml": source, "web.yaml": release({}, chart) });
    repo.commit("next", { "web.yaml": release({ releaseName: "two" }, chart) });
    const { report } = plan(repo, "--git", "start..next");
    assert.deepEqual(
      report.findings.flatMap((one) => (one.id === "RS024" ? /^\w+ \S+ (\w+)/u.exec(one.message)?.[1] : [])),
      ["changes"],
    );
  });

  it("shows no value of a Secret that a chart put into an image", () => {
    const image = "{{ .Values.registry.token }}.example/{{ .Values.name }}:1";
    const repo = repository({
      ...CHART,
      "charts/web/templates/all.yaml": deployment("web", "none").replace(/image: .*/u, `image: "${image}"`),
      "own.yaml": secret("own", { "values.yaml": "registry: {token: planted-one}\n", name: "short" }),
      "web.yaml": release({
        valuesFrom: [
          { kind: "Secret", name: "own" },
          { kind: "Secret", name: "own", valuesKey: "name", targetPath: "name" },
        ],
      }),
    });
    repo.commit("two", {
      "own.yaml": secret("own", { "values.yaml": "registry: {token: planted-two}\n", name: "planted-three" }),
    });
    for (const output of ["json", "text", "markdown", "html"]) {
      const { stdout, stderr, status } = rollstamp(repo, "plan", "--git", "start..two", "-o", output, "--show-values");
      assert.equal(status, 0, stderr);
      assert.doesNotMatch(stdout + stderr, /planted/u);
    }
    const [workload] = plan(repo, "--git", "start..two").report.workloads;
    assert.deepEqual(workload?.reasons, [{ type: "Template", path: "spec.containers[name=app].image", hidden: true }]);
  });

  it("names unknown objects", () => {
    const repo = repository({ ...CHART, "web.yaml": release({}) });
    repo.commit("absent", { "web.yaml": release({ valuesFrom: [{ kind: "Secret", name: "absent" }] }) });
    const { report, status } = plan(repo, "--git", "start..absent");
    assert.equal(status, 0);
    assert.deepEqual(report.applications?.find(({ name }) => name === "web")?.partial, [
      { path: "Secret apps/absent", reason: "the values are not in the repository" },
    ]);
  });

  it("replaces the chart's own values by valuesFiles", () => {
    const repo = repository({ ...CHART, "web.yaml": release({}) });
    const valuesFiles = ["./values/prod.yaml", "values/absent.yaml", "values/more.yaml"];
    repo.commit("files", { "web.yaml": release({}, { valuesFiles, ignoreMissingValuesFiles: true }) });
    assert.deepEqual(valuesIn(repo, "start..files"), { level: "warn", more: ["a"], tag: 2 });
    repo.commit("own", { "web.yaml": release({}, { valuesFiles: ["values.yaml"] }) });
    assert.deepEqual(valuesIn(repo, "files..own"), { level: "info", only: { chart: true }, tag: 1 });
    repo.commit("missing", { "web.yaml": release({}, { valuesFiles }) });
    assert.match(message(plan(repo, "--git", "own..missing").report, "web"), /values\/absent\.yaml is not in the/u);
  });

  it("says what to do if the chart is for another Kubernetes, and validates values with the chart's own schema", () => {
    const repo = repository({ ...CHART, "web.yaml": release({}) });
    repo.commit("other", { "charts/web/Chart.yaml": `${CHART["charts/web/Chart.yaml"]}kubeVersion: ">=99.0.0"\n` });
    assert.match(message(plan(repo, "--git", "start..other").report, "web"), /such as KUBE_VERSION=1\.34\.0/u);
    const schema = '{"properties": {"tag": {"type": "string"}}}';
    repo.commit("schema", { ...CHART, "charts/web/values.schema.json": schema });
    assert.match(
      message(plan(repo, "--git", "start..schema").report, "web"),
      /don't meet the specifications of the schema/u,
    );
  });

  it("accepts a packed chart of the repository", () => {
    const files = {
      "Chart.yaml": CHART["charts/web/Chart.yaml"],
      "values.yaml": "tag: 9\n",
      "templates/all.yaml": TEMPLATE,
    };
    const repo = repository({ ...CHART, "web.yaml": release({}) });
    mkdirSync(join(repo.folder, "vendor"));
    writeFileSync(join(repo.folder, "vendor/web-1.0.0.tgz"), packed("web", files));
    repo.commit("packed", { "web.yaml": release({}, { chart: "vendor/web-1.0.0.tgz" }) });
    assert.deepEqual(valuesIn(repo, "start..packed"), { tag: 9 });
  });
});

for (const [helm, path, isMissing] of [
  ["Helm 3", PATH, missing],
  ["Helm 4", HELM4.found ? [dirname(HELM4.path), PATH].join(delimiter) : PATH, missing || unlessFound(HELM4)],
] as const) {
  describe(`postRenderers over the output of ${helm}`, { skip: isMissing }, () => {
    it("are kustomizations, applied in order", () => {
      const patch = (replicas: number): Json => ({
        target: { kind: "Deployment" },
        patch: `- {op: add, path: /spec/replicas, value: ${replicas}}\n`,
      });
      const web = (replicas: number): string =>
        release({
          targetNamespace: "other",
          postRenderers: [
            { kustomize: { patches: [patch(1)] } },
            { kustomize: { patches: [patch(replicas)], images: [{ name: "app", newTag: `v${replicas}` }] } },
          ],
          commonMetadata: { labels: { team: `t${replicas}` } },
        });
      const repo = repository({ ...CHART, "web.yaml": web(2) });
      repo.commit("next", { "web.yaml": web(3) });
      const withPath = { ...repo, env: { ...repo.env, PATH: path } };
      const { report } = plan(withPath, "--git", "start..next");
      const kustomization = (replicas: number): string =>
        [
          "resources: [web.yaml]",
          "labels: [{pairs: {team: t}}]".replace("t}", `t${replicas}}`),
          `images: [{name: app, newTag: v${replicas}}]`,
          `patches: [{target: {kind: Deployment}, patch: '- {op: add, path: /spec/replicas, value: ${replicas}}'}]`,
          "",
        ].join("\n");
      repo.commit("hand2", { "kustomization.yaml": kustomization(2) });
      repo.commit("hand3", { "kustomization.yaml": kustomization(3) });
      const render = "helm template other-web charts/web --namespace other > web.yaml && kustomize build .";
      const byHand = plan(withPath, "--git", "hand2..hand3", "--render", render).report;
      assert.equal(byHand.workloads.length, 1);
      assert.deepEqual(
        report.workloads.map(({ application: _of, namespace: _in, ...workload }) => workload),
        byHand.workloads.map(({ namespace: _in, ...workload }) => workload),
      );
      assert.deepEqual(
        report.workloads.map(({ namespace }) => namespace),
        ["other"],
      );
    });
  });
}
