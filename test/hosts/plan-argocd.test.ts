// plan --git over Argo CD's Applications.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { PlanJson } from "../../src/output/plan-json.ts";
import type { Json } from "../../src/yaml/read/node.ts";
import { configMap, deployment } from "../support/manifests.ts";
import { missing, plan, repository, statuses } from "./planned-repository.ts";

const KUSTOMIZATION = {
  "base/kustomization.yaml": "resources: [web.yaml]\nconfigMapGenerator: [{name: env, literals: [a=1]}]\n",
  "base/web.yaml": deployment("web", "env"),
};

function application(name: string, spec: Record<string, Json>): string {
  const destination = { name: "in-cluster", namespace: name };
  return `${JSON.stringify({
    apiVersion: "argoproj.io/v1alpha1",
    kind: "Application",
    metadata: { name, namespace: "argocd" },
    spec: { project: "default", destination, ...spec },
  })}\n`;
}

const repoURL = "https://example.com/shop";

const actions = ({ workloads }: PlanJson): string[] =>
  workloads.map((row) => `${row.application ?? ""} ${row.name} ${row.action}`).sort();

function message({ applications = [] }: PlanJson, name: string): string {
  return applications.find((one) => one.name === name)?.message ?? "";
}

describe("plan --git over Argo CD's Applications", { skip: missing }, () => {
  it("applies the edits of an Application to its kustomization, in each revision", () => {
    const kustomize = (tag: string): Record<string, Json> => ({
      source: {
        repoURL,
        path: "base",
        kustomize: { namePrefix: "p-", images: [`app:${tag}`], replicas: [{ name: "web", count: 3 }] },
      },
    });
    const repo = repository({ ...KUSTOMIZATION, "apps/shop.yaml": application("shop", kustomize("2")) });
    repo.commit("tag", { "apps/shop.yaml": application("shop", kustomize("3")) });
    const { report } = plan(repo, "--git", "start..tag");
    assert.equal(statuses(report)["shop"], "Changed");
    assert.deepEqual(actions(report), ["shop p-web Roll"]);
    assert.equal(report.summary.pods, 3);
    repo.commit("file", { "base/.argocd-source-shop.yaml": "kustomize: {nameSuffix: -s}\n" });
    assert.deepEqual(actions(plan(repo, "--git", "tag..file").report), ["shop p-web Delete", "shop p-web-s Create"]);
  });

  it("deletes nothing of the Applications of one whose path is missing: Argo CD cannot compare it", () => {
    const automated = { syncPolicy: { automated: { prune: true } } };
    const deletable = (name: string, path: string): string =>
      application(name, { source: { repoURL, path }, ...automated }).replace(
        '"namespace":"argocd"',
        '"namespace":"argocd","finalizers":["resources-finalizer.argocd.argoproj.io"]',
      );
    const files = { "apps/shop.yaml": deletable("shop", "base"), "root.yaml": deletable("root", "apps") };
    const repo = repository({ ...KUSTOMIZATION, ...files });
    assert.equal(spawnSync("git", ["remote", "add", "origin", repoURL], { cwd: repo.folder }).status, 0);
    rmSync(join(repo.folder, "apps"), { recursive: true });
    repo.commit("gone", { "README.md": "apps are gone\n" });
    const { report } = plan(repo, "--git", "start..gone");
    assert.equal(statuses(report)["root"], "Failed");
    assert.deepEqual(
      report.workloads.flatMap(({ name, action, leaves }) => (action === "Delete" ? [[name, leaves]] : [])),
      [["web", true]],
    );
  });

  it("uses the namespace of the Application for objects without one, also in findings", () => {
    const service = "apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {selector: {app: web}}\n";
    const web = `${deployment("web", "env")}---\n${configMap("env", "a")}---\n${service}`;
    const repo = repository({
      "web/web.yaml": web,
      "apps/shop.yaml": application("shop", { source: { repoURL, path: "web" } }),
    });
    repo.commit("image", { "web/web.yaml": web.replace("app:1", "app:2") });
    const [planned] = plan(repo, "--git", "start..image").report.workloads;
    assert.equal(planned?.namespace, "shop");
    assert.match(planned?.caveats?.[0]?.message ?? "", /^no container of Deployment shop\/web has a readiness probe/u);
  });

  it("reviews an Application that an ApplicationSet makes, too, and does not fail", () => {
    const set = (name: string): string =>
      `${JSON.stringify({
        apiVersion: "argoproj.io/v1alpha1",
        kind: "ApplicationSet",
        metadata: { name: "set", namespace: "argocd" },
        spec: {
          generators: [{ list: { elements: [{ name }] } }],
          template: {
            metadata: { name: "{{name}}" },
            spec: {
              project: "default",
              source: { repoURL, path: "base" },
              destination: { name: "in-cluster", namespace: "shop" },
            },
          },
        },
      })}\n`;
    const repo = repository({
      ...KUSTOMIZATION,
      "apps/shop.yaml": application("shop", { source: { repoURL, path: "base" } }),
    });
    repo.commit("set", { "apps/set.yaml": set("shop") });
    repo.commit("readme", { "README.md": "x" });
    const { report, status } = plan(repo, "--git", "start..set");
    assert.equal(status, 0);
    assert.equal(report.verdict?.level, "attention");
    assert.deepEqual(
      report.findings.map(({ id }) => id),
      ["RS024"],
    );
    assert.equal(plan(repo, "--git", "set..readme").report.verdict?.level, "ok");
  });

  it("reports a new kind that the AppProject does not permit, as a kustomization makes the project", () => {
    const project = (list: string): string =>
      `apiVersion: argoproj.io/v1alpha1\nkind: AppProject\nmetadata: {name: ${list === "" ? "team" : "all"}, namespace: argocd}\nspec: {destinations: [{server: "*", namespace: "*"}], sourceRepos: ["*"]${list}}\n`;
    const any = ', clusterResourceWhitelist: [{group: "*", kind: "*"}]';
    const role = "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: a}\n";
    const repo = repository({
      "root/kustomization.yaml": "resources: [team.yaml, all.yaml, team-web.yaml, all-web.yaml]\n",
      "root/team.yaml": project(""),
      "root/all.yaml": project(any),
      ...Object.fromEntries(
        ["team", "all"].flatMap((name) => [
          [
            `root/${name}-web.yaml`,
            application(`${name}-web`, { project: name, source: { repoURL, path: `${name}-web` } }),
          ],
          [`${name}-web/web.yaml`, configMap("a", "b")],
        ]),
      ),
    });
    repo.commit("role", { "team-web/role.yaml": role, "all-web/role.yaml": role });
    repo.commit("more", { "team-web/web.yaml": configMap("a", "c") });
    const { report } = plan(repo, "--git", "start..role");
    assert.deepEqual(
      report.findings.map(({ id, application: of = "" }) => [id, of]),
      [["RS024", "team-web"]],
    );
    assert.equal(report.verdict?.level, "attention");
    assert.deepEqual(plan(repo, "--git", "role..more").report.findings, []);
  });

  it("differs in each commit only if the Application edits in the commit", () => {
    const source = (note: string): Record<string, Json> => ({
      source: { repoURL, path: "base", kustomize: { commonAnnotations: { note }, commonAnnotationsEnvsubst: true } },
    });
    const repo = repository({
      ...KUSTOMIZATION,
      "apps/each.yaml": application("each", source("$ARGOCD_APP_REVISION")),
      "apps/name.yaml": application("name", source("$ARGOCD_APP_NAME")),
    });
    repo.commit("readme", { "README.md": "x" });
    const { report } = plan(repo, "--git", "start..readme");
    assert.deepEqual([statuses(report)["each"], statuses(report)["name"]], ["Changed", "NotAffected"]);
    assert.deepEqual(actions(report), ["each web Roll"]);
  });

  it("reports kustomizations that are nested too deeply, and continues", () => {
    const chain = Array.from({ length: 1500 }, (_, i): [string, string] => [
      `k/${i}/kustomization.yaml`,
      `resources: [../${i + 1}]\n`,
    ]);
    const repo = repository({
      ...KUSTOMIZATION,
      ...Object.fromEntries(chain),
      "k/1500/kustomization.yaml": KUSTOMIZATION["base/kustomization.yaml"],
      "k/1500/web.yaml": deployment("web", "env"),
      "apps/deep.yaml": application("deep", { source: { repoURL, path: "k/0" } }),
      // What is staged for one of these is there for the next one, whose depth counts all the same.
      "apps/a.yaml": application("a", { source: { repoURL, path: "k/1400" } }),
      "apps/b.yaml": application("b", { source: { repoURL, path: "k/1301" } }),
      "apps/c.yaml": application("c", { source: { repoURL, path: "k/1300" } }),
    });
    repo.commit("image", { "k/1500/web.yaml": deployment("web", "env").replace("app:1", "app:2") });
    const { report, status } = plan(repo, "--git", "start..image", "--jobs", "1");
    const { a, b, c, deep } = statuses(report);
    assert.deepEqual([a, b, c, deep, status], ["Changed", "Changed", "Failed", "Failed", 1]);
    assert.match(message(report, "deep"), /kustomizations include each other more than 200 deep/u);
  });

  it("reports a folder without a kustomization", () => {
    const source = (name: string): Record<string, Json> => ({ source: { repoURL, path: "base", kustomize: { name } } });
    const repo = repository({
      "base/web.yaml": KUSTOMIZATION["base/web.yaml"],
      "apps/shop.yaml": application("shop", { source: { repoURL, path: "base" } }),
    });
    repo.commit("asked", { "apps/shop.yaml": application("shop", source("a")) });
    const { report } = plan(repo, "--git", "start..asked");
    assert.match(message(report, "shop"), /unable to find one of 'kustomization\.yaml'/u);
  });

  it("does not compare an Application whose revision of the repository changes: that needs a review", () => {
    const source = (targetRevision: string): Record<string, Json> => ({
      source: { repoURL, path: "base", targetRevision },
    });
    const repo = repository({
      ...KUSTOMIZATION,
      "apps/shop.yaml": application("shop", source("v1")),
      "apps/test.yaml": application("test", source("main")),
    });
    repo.commit("promoted", { "apps/shop.yaml": application("shop", source("v2")) });
    const { report, status } = plan(repo, "--git", "start..promoted");
    assert.deepEqual([statuses(report)["shop"], statuses(report)["test"], status], ["Changed", "NotAffected", 0]);
    assert.equal(report.verdict?.level, "attention");
    const found = report.findings.find(({ id }) => id === "RS024");
    assert.match(found?.message ?? "", /the revisions v1 and v2 of this repository/u);
  });

  it("concatenates several sources: the last object of a name counts", () => {
    const repo = repository({
      ...KUSTOMIZATION,
      "plain/all.yaml": `${deployment("web", "env")}---\n${deployment("api", "api-env")}---\n${configMap("api-env", "a")}`,
      "plain/skipped.yaml": `# +argocd:skip-file-rendering\n${deployment("skipped", "env")}`,
      "apps/shop.yaml": application("shop", {
        sources: [
          { repoURL, path: "base" },
          { repoURL, path: "plain" },
        ],
      }),
    });
    repo.commit("base", { "base/web.yaml": deployment("web", "env").replace("app:1", "app:2") });
    const hidden = plan(repo, "--git", "start..base").report;
    assert.equal(statuses(hidden)["shop"], "Changed");
    assert.deepEqual(actions(hidden), []);
    repo.commit("plain", {
      "plain/all.yaml": `${deployment("web", "env").replace("app:1", "app:3")}---\n${configMap("api-env", "b")}`,
    });
    assert.deepEqual(actions(plan(repo, "--git", "base..plain").report), ["shop api Delete", "shop web Roll"]);
  });

  it("renders Applications of rollstamp's plugin with its parameters and options, and no other plugin", () => {
    const source = (name: string, path: string, parameters: Json[]): Record<string, Json> => ({
      source: {
        repoURL,
        path,
        plugin: { name, parameters, env: [{ name: "RELEASE_NAME", value: "$ARGOCD_APP_NAME-x" }] },
      },
    });
    const values = { name: "values-files", array: ["/shared/values.yaml"] };
    const repo = repository({
      ...KUSTOMIZATION,
      "charts/web/Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\n",
      "charts/web/values.yaml": "level: info\nsum: 0\n",
      "charts/web/templates/all.yaml": `${deployment("web", "web-env")
        .replace("name: web\n", "name: {{ .Release.Name }}\n")
        .replace(
          "    metadata:\n",
          `    metadata:\n      annotations: {checksum/config: {{ .Values.sum | toString | sha256sum }}}\n`,
        )}---\n${configMap("web-env", "x").replace('"x"', "{{ .Values.level | quote }}")}`,
      "shared/values.yaml": "level: debug\n",
      "apps/all.yaml": [
        application(
          "chart",
          source("rollstamp-v1", "charts/web", [values, { name: "rollstamp-options", map: { checksums: "Remove" } }]),
        ),
        application("built", { source: { repoURL, path: "base", plugin: { name: "rollstamp" } } }),
        application("other", source("helmfile", "charts/web", [])),
      ].join("---\n"),
    });
    repo.commit("values", { "shared/values.yaml": "level: warn\n" });
    const changed = plan(repo, "--git", "start..values").report;
    assert.deepEqual(statuses(changed), {
      ".": "NotAffected",
      chart: "Changed",
      built: "NotAffected",
      other: "NotAffected",
    });
    assert.deepEqual(actions(changed), ["chart chart-x Roll"]);
    repo.commit("sum", { "shared/values.yaml": "level: warn\nsum: 1\n" });
    assert.deepEqual(actions(plan(repo, "--git", "values..sum").report), [], "the option takes the checksum");
    repo.commit("chart", {
      "charts/web/values.yaml": "level: info\n",
      "base/kustomization.yaml": `${KUSTOMIZATION["base/kustomization.yaml"]}namePrefix: p-\n`,
    });
    const { report } = plan(repo, "--git", "sum..chart");
    assert.deepEqual(actions(report), ["built p-web Create", "built web Delete"]);
    assert.match(message(report, "other"), /the plugin 'helmfile'.*--render/u);
  });

  it("fails for Jsonnet, and says what to do", () => {
    const repo = repository({
      "plain/all.yaml": deployment("web", "env"),
      "apps/shop.yaml": application("shop", { source: { repoURL, path: "plain" } }),
    });
    repo.commit("jsonnet", { "plain/more.jsonnet": "{}" });
    const { report, status } = plan(repo, "--git", "start..jsonnet");
    assert.equal(status, 1);
    assert.match(message(report, "shop"), /plain\/more\.jsonnet is Jsonnet.*--render/u);
  });
});
