// Applications that only a rendering shows: in `apps --expand`, in commands with --apps, and in plans.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { PlanJson } from "../../src/output/plan-json.ts";
import type { Files } from "../support/folders.ts";
import { configMap, deployment } from "../support/manifests.ts";
import { missing, plan, repository, rollstamp, statuses } from "./planned-repository.ts";

const application = (name: string, path: string, namespace = "shop"): string =>
  `apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: ${name}}\nspec:\n  source: {repoURL: https://example.com/repo.git, path: ${path}}\n  destination: {name: prod, namespace: ${namespace}}\n`;

const workload = (name: string): string => `${deployment(name, `${name}-env`)}---\n${configMap(`${name}-env`, "a")}`;

const FILES: Files = {
  // A chart that renders Applications, one of them itself.
  "root/Chart.yaml": "apiVersion: v2\nname: root\nversion: 1.0.0\n",
  "root/values.yaml": "apps: [web]\n",
  "root/templates/all.yaml": `{{ range .Values.apps }}\n---\n${application("{{ . }}", "{{ . }}")}{{ end }}\n---\n${application("root", "root", "argocd")}`,
  "web/kustomization.yaml": "resources: [all.yaml]\n",
  "web/all.yaml": workload("web"),
  // An overlay that patches one.
  "base/kustomization.yaml": "resources: [all.yaml]\n",
  "base/all.yaml": application("patched", "nowhere"),
  "overlay/kustomization.yaml":
    "resources: [../base]\npatches:\n- target: {kind: Application}\n  patch: |-\n    - {op: replace, path: /spec/source/path, value: api}\n",
  "api/kustomization.yaml": "resources: [all.yaml]\n",
  "api/all.yaml": workload("api"),
  "spare/kustomization.yaml": "resources: [all.yaml]\n",
  "spare/all.yaml": workload("spare"),
};

interface Apps {
  readonly applications: readonly { readonly name: string; readonly path: string; readonly shownBy?: string }[];
  readonly notExamined: readonly { readonly reason: string; readonly severity?: string }[];
}

describe("applications that only a rendering shows", { skip: missing }, () => {
  const rows = ({ applications }: Apps): string[][] =>
    applications.map(({ name, path, shownBy }) => [name, path, ...(shownBy === undefined ? [] : [shownBy])]);

  it("are listed with --render, instead of the objects in files", () => {
    const repo = repository(FILES);
    const plain: Apps = JSON.parse(rollstamp(repo, "apps", "-o", "json").stdout);
    assert.deepEqual(rows(plain), [
      ["api", "api"],
      ["overlay", "overlay"],
      ["root", "root"],
      ["spare", "spare"],
      ["web", "web"],
    ]);
    const { stdout, stderr } = rollstamp(repo, "apps", "--expand", "-o", "json");
    assert.equal(stderr, "");
    const shown: Apps = JSON.parse(stdout);
    assert.deepEqual(rows(shown), [
      ["patched", "api", "overlay"],
      ["overlay", "overlay"],
      ["root", "root", "root"],
      ["spare", "spare"],
      ["web", "web", "root"],
    ]);
    assert.deepEqual(shown.notExamined, []);
  });

  it("count once, as a kustomization renders them, with other names, namespaces and paths", () => {
    const kustomization = (name: string, path: string): string =>
      `apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: ${name}, namespace: flux-system}\nspec: {prune: true, path: ${path}, sourceRef: {kind: GitRepository, name: flux-system}}\n`;
    const repo = repository({
      "web/kustomization.yaml": "resources: [all.yaml]\n",
      "web/all.yaml": workload("web"),
      "api/kustomization.yaml": "resources: [all.yaml]\n",
      "api/all.yaml": workload("api"),
      "base/kustomization.yaml": "resources: [argo.yaml, flux.yaml]\n",
      "base/argo.yaml": application("a", "nowhere"),
      "base/flux.yaml": kustomization("f", "./nowhere"),
      "overlay/kustomization.yaml":
        'resources: [../base]\nnamePrefix: prod-\nnamespace: fleet\npatches:\n- target: {kind: Application}\n  patch: \'[{"op": "replace", "path": "/spec/source/path", "value": "web"}]\'\n- target: {kind: Kustomization}\n  patch: \'[{"op": "replace", "path": "/spec/path", "value": "./api"}]\'\n',
    });
    const { stdout } = rollstamp(repo, "apps", "--expand", "-o", "json");
    const { applications, notExamined }: Apps = JSON.parse(stdout);
    assert.deepEqual(rows({ applications, notExamined }), [
      ["prod-f", "api", "overlay"],
      ["overlay", "overlay"],
      ["prod-a", "web", "overlay"],
    ]);
    assert.deepEqual(notExamined, []);
    repo.commit("changed", { "web/all.yaml": workload("web").replace("app:1", "app:2") });
    const { report } = plan(repo, "--git", "start..changed");
    assert.deepEqual(statuses(report), { overlay: "NotAffected", "prod-a": "Changed", "prod-f": "NotAffected" });
    assert.equal(report.summary.rolls, 1);
  });

  it("are listed if a chart prints objects of its values", () => {
    const repo = repository({
      ...FILES,
      "raw/Chart.yaml": "apiVersion: v2\nname: raw\nversion: 1.0.0\n",
      "raw/templates/all.yaml": "{{ toYaml .Values.all }}\n",
      "outer.yaml": application("outer", "raw").replace(
        "path: raw",
        `path: raw, helm: {valuesObject: {all: ${JSON.stringify({
          apiVersion: "argoproj.io/v1alpha1",
          kind: "Application",
          metadata: { name: "inner" },
          spec: { source: { repoURL: "https://example.com/repo.git", path: "spare" }, destination: { name: "prod" } },
        })}}}`,
      ),
    });
    const { applications }: Apps = JSON.parse(rollstamp(repo, "apps", "--expand", "-o", "json").stdout);
    assert.equal(applications.find(({ name }) => name === "inner")?.shownBy, "outer");
  });

  it("are examined with --apps", () => {
    const { stdout } = rollstamp(repository(FILES), "graph", "--apps", ".");
    assert.match(stdout, /ConfigMap shop\/web-env of web\n {2}Deployment shop\/web of web/u);
    assert.match(stdout, /ConfigMap shop\/api-env of patched\n/u);
  });

  it("are planned when their files, the chart that shows them, or a patch change", () => {
    const repo = repository(FILES);
    const planned = (tag: string, files: Files, before: string): PlanJson => {
      repo.commit(tag, files);
      const { report } = plan(repo, "--git", `${before}..${tag}`);
      const { report: all } = plan(repo, "--git", `${before}..${tag}`, "--all-apps");
      const comparable = ({ applications = [], ...rest }: PlanJson): unknown => ({
        ...rest,
        examined: undefined,
        applications: applications.filter(({ status }) => status === "Changed" || status === "Failed"),
      });
      assert.deepEqual(comparable(all), comparable(report), tag);
      return report;
    };
    const rolls = ({ workloads }: PlanJson): string[] =>
      workloads.map((one) => `${one.application ?? ""}: ${one.action} ${one.namespace}/${one.name}`).sort();
    const edited = planned("own", { "web/all.yaml": workload("web").replace('"a"', '"b"') }, "start");
    assert.deepEqual(rolls(edited), ["web: Roll shop/web"]);
    assert.deepEqual(statuses(edited), {
      web: "Changed",
      patched: "NotAffected",
      overlay: "NotAffected",
      root: "NotAffected",
      spare: "NotAffected",
    });
    const shown = planned("shown", { "root/values.yaml": "apps: [web, spare]\n" }, "own");
    assert.equal(statuses(shown)["web"], "NotAffected");
    assert.equal(statuses(shown)["root"], "Changed");
    // The Applications in its rendering are planned themselves.
    assert.deepEqual(shown.notExamined, []);
    // Nothing deployed it before, so nothing of it is deleted.
    assert.deepEqual(rolls(shown), ["spare: Create shop/spare"]);
    const patch = FILES["overlay/kustomization.yaml"]?.replace("value: api", "value: web") ?? "";
    const patched = planned("patch", { "overlay/kustomization.yaml": patch }, "shown");
    assert.deepEqual(
      rolls(patched).filter((row) => row.startsWith("patched")),
      ["patched: Create shop/web", "patched: Delete shop/api"],
    );
  });

  it("use values of the rendering, under the name that kustomize gave them: in plans and with --apps", () => {
    const repo = repository({
      "clusters/prod/apps.yaml":
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: apps, namespace: flux-system}\nspec: {path: ./apps, interval: 1m, prune: true, sourceRef: {kind: GitRepository, name: flux-system}}\n",
      "apps/kustomization.yaml":
        "resources: [release.yaml]\nconfigMapGenerator: [{name: values, namespace: shop, files: [values.yaml]}]\nconfigurations: [names.yaml]\n",
      "apps/names.yaml":
        "nameReference:\n- kind: ConfigMap\n  version: v1\n  fieldSpecs: [{path: spec/valuesFrom/name, kind: HelmRelease}]\n",
      "apps/values.yaml": "level: info\n",
      "apps/release.yaml":
        "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: web, namespace: shop}\nspec: {interval: 1m, chart: {spec: {chart: ./charts/web, sourceRef: {kind: GitRepository, name: flux-system, namespace: flux-system}}}, valuesFrom: [{kind: ConfigMap, name: values}]}\n",
      "charts/web/Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\n",
      "charts/web/templates/all.yaml": workload("web").replace('"a"', "{{ .Values.level | quote }}"),
    });
    const { stdout, status } = rollstamp(repo, "graph", "--apps", "-o", "json", ".");
    assert.equal(status, 0, stdout);
    assert.match(stdout, /"application": "web"/u);
    repo.commit("changed", { "apps/values.yaml": "level: debug\n" });
    const { report } = plan(repo, "--git", "start..changed");
    assert.deepEqual(
      report.workloads.map(({ application: owner, action, name }) => [owner, action, name]),
      [["web", "Roll", "web"]],
    );
  });

  it("that kustomize refuses for files above a folder are one row, with the option that allows them", () => {
    const overlay = "resources: [../../base]\n";
    const repo = repository({
      "base/kustomization.yaml": "resources: [../far/apps.yaml]\n",
      "far/apps.yaml": application("web", "web"),
      "far/more.yaml": application("more", "web"),
      "overlays/a/kustomization.yaml": overlay,
      "overlays/b/kustomization.yaml": overlay,
      "overlays/c/kustomization.yaml": "resources: [../../far/more.yaml]\n",
      "web/kustomization.yaml": "resources: []\n",
    });
    const { stdout } = rollstamp(repo, "apps", "--expand");
    const lines = stdout.split("\n").filter((line) => line.startsWith("not examined"));
    assert.equal(lines.length, 1, stdout);
    assert.match(
      lines[0] ?? "",
      /kustomize refuses a file outside of the folder whose kustomization names it: 'far\/apps\.yaml' \(base\), 'far\/more\.yaml' \(overlays\/c\)\. ROLLSTAMP_KUSTOMIZE_BUILD_OPTIONS='--load-restrictor LoadRestrictionsNone' in the environment/u,
    );
    const env = { ...repo.env, ROLLSTAMP_KUSTOMIZE_BUILD_OPTIONS: "--load-restrictor LoadRestrictionsNone" };
    assert.doesNotMatch(rollstamp({ ...repo, env }, "apps", "--expand").stdout, /not examined/u);
  });

  it("may be shown by the folder of a cluster that names files above it, as Flux builds", () => {
    const flux = (name: string, path: string): string =>
      `apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: ${name}, namespace: flux-system}\nspec: {path: "${path}", interval: 1m, prune: true, sourceRef: {kind: GitRepository, name: flux-system}}\n`;
    const repo = repository({
      "clusters/prod/kustomization.yaml":
        "resources: [../../apps/web/apps.yaml]\npatches: [{path: ../../apps/prod.yaml, target: {kind: Kustomization}}]\n",
      "apps/prod.yaml": "- {op: replace, path: /spec/path, value: ./apps/web/prod}\n",
      // Only the cluster's patch shows the path.
      "apps/web/apps.yaml": flux("web", "./apps/web/${ENVIRONMENT}"),
      "apps/web/prod/kustomization.yaml": "resources: [../../web.yaml]\n",
      "apps/web.yaml": workload("web"),
    });
    const { stdout } = rollstamp(repo, "apps", "--expand", "-o", "json");
    const shown: Apps = JSON.parse(stdout);
    assert.deepEqual(
      [rows(shown), shown.notExamined],
      [
        [
          ["web", "apps/web/prod", "clusters/prod"],
          ["clusters/prod", "clusters/prod"],
        ],
        [],
      ],
    );
    repo.commit("changed", { "apps/web.yaml": workload("web").replace("app:1", "app:2") });
    const { report, status } = plan(repo, "--git", "start..changed");
    assert.deepEqual(
      [status, report.workloads.map(({ application: owner, action, name }) => [owner, action, name])],
      [0, [["web", "Roll", "web"]]],
    );
  });

  it("may show each other, and end with a row if a rendering fails", () => {
    const repo = repository({
      "a/kustomization.yaml": "resources: [all.yaml]\n",
      "a/all.yaml": application("b", "b"),
      "b/kustomization.yaml": "resources: [all.yaml]\n",
      "b/all.yaml": application("a", "a"),
      "bad/kustomization.yaml": "resources: [all.yaml, absent.yaml]\n",
      "bad/all.yaml": application("c", "a"),
    });
    const { stdout, status } = rollstamp(repo, "apps", "--expand", "-o", "json");
    assert.equal(status, 0);
    const { applications, notExamined }: Apps = JSON.parse(stdout);
    assert.deepEqual(applications.map(({ name }) => name).sort(), ["a", "b", "bad", "c"]);
    const reasons = notExamined.map(({ reason }) => reason).join("\n");
    assert.match(reasons, /^it may render to applications, but can't be rendered: .*absent\.yaml/u);
  });
});
