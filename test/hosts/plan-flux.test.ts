// plan --git over Flux Kustomizations.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { configMap, deployment } from "../support/manifests.ts";
import type { Files } from "../support/folders.ts";
import { missing, plan, repository, rollstamp, statuses } from "./planned-repository.ts";
import { temporaryFolder } from "./trees.ts";

const kustomization = (name: string, spec: string): string =>
  `apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: ${name}, namespace: flux-system}\nspec: {sourceRef: {kind: GitRepository, name: flux-system}, ${spec}}\n`;
const settings = (data: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, namespace: flux-system}\ndata: ${data}\n`;
const secret = (fields: string): string =>
  `apiVersion: v1\nkind: Secret\nmetadata: {name: secrets, namespace: flux-system}\n${fields}\n`;

const POST_BUILD =
  "postBuild: {substituteFrom: [{kind: ConfigMap, name: settings}, {kind: Secret, name: secrets}], substitute: {LEVEL: info}}";
const FILES: Files = {
  "clusters/a/apps.yaml": kustomization("apps-a", `path: ./apps, targetNamespace: a, ${POST_BUILD}`),
  "clusters/a/settings.yaml": settings("{TAG: '1', REPLICAS: '2'}"),
  "clusters/b/apps.yaml": kustomization("apps-b", `path: ./apps, targetNamespace: b, ${POST_BUILD}`),
  "clusters/b/settings.yaml": settings("{TAG: '1', REPLICAS: '3'}"),
  "clusters/secrets.sops.yaml": secret("stringData: {HOST: 'ENC[one]'}\nsops: {mac: x}"),
  // Without a kustomization, and above it what no other one reaches.
  "apps/web.yaml": deployment("web", "env")
    .replace("app:1", "app:${TAG}")
    .replace("spec:", "spec:\n  replicas: ${REPLICAS}"),
  "apps/env.yaml": configMap("env", "${LEVEL:=none} at ${HOST}"),
  "apps/base/kustomization.yaml": "resources: [../../shared/api.yaml]\n",
  "shared/api.yaml": deployment("api", "none"),
};

describe("plan --git over Flux's Kustomizations", { skip: missing }, () => {
  const rolled = (repo: ReturnType<typeof repository>, range: string): readonly (readonly unknown[])[] =>
    plan(repo, "--git", range)
      .report.workloads.map(({ namespace, name, action, strategy }) => [namespace, name, action, strategy?.replicas])
      .sort();

  it("rolls what a shared file changes in each Kustomization, without load restrictions", () => {
    const repo = repository(FILES);
    repo.commit("shared", { "shared/api.yaml": deployment("api", "none").replace("app:1", "app:2") });
    assert.deepEqual(rolled(repo, "start..shared"), [
      ["a", "api", "Roll", 1],
      ["b", "api", "Roll", 1],
    ]);
  });

  it("rolls what a variable from that object changes", () => {
    const repo = repository(FILES);
    repo.commit("tag", { "clusters/b/settings.yaml": settings("{TAG: '2', REPLICAS: '3'}") });
    assert.deepEqual(rolled(repo, "start..tag"), [["b", "web", "Roll", 3]]);
    const { "apps-a": a, "apps-b": b } = statuses(plan(repo, "--git", "start..tag").report);
    assert.deepEqual([a, b], ["NotAffected", "Changed"]);
  });

  it("knows who uses a changed source beside it, without a name for the cluster, also if the objects move", () => {
    const inShop = (name: string): string => kustomization(name, `path: ./${name}, targetNamespace: shop`);
    const repo = repository({
      "prod/config.yaml": inShop("config"),
      "prod/web.yaml": inShop("web"),
      "test/web.yaml": inShop("web").replace("name: web", "name: test"),
      "config/env.yaml": configMap("env", "a"),
      "web/web.yaml": deployment("web", "env"),
    });
    const foundIn = (range: string): readonly string[] => {
      const { findings } = plan(repo, "--git", range).report;
      return findings.filter(({ id }) => id === "cross-application-change").map(({ message }) => message);
    };
    repo.commit("changed", { "config/env.yaml": configMap("env", "b") });
    const [found, ...more] = foundIn("start..changed");
    assert.match(found ?? "", /Deployment shop\/web of the application web uses it/u);
    assert.deepEqual(more, []);
    repo.commit("moved", { "prod/web.yaml": "", "prod/more/web.yaml": inShop("web") });
    assert.deepEqual(rolled(repo, "changed..moved"), []);
  });

  it("deletes nothing that an object still defines, although the head does not show it", () => {
    const repositoryObject = `apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {name: flux-system, namespace: flux-system}\nspec: {url: "https://example.com/repo.git"}\n---\n`;
    const web = (path: string): string => `${repositoryObject}${kustomization("web", `prune: true, path: ./${path}`)}`;
    const set = (generator: string): string =>
      `apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: set, namespace: argocd}\nspec: {generators: [${generator}], template: {metadata: {name: "{{name}}"}, spec: {source: {repoURL: "https://example.com/repo.git", path: apps}, destination: {name: prod}}}}\n`;
    const rows: readonly (readonly [string, string, string, "Failed" | "Changed"])[] = [
      ["a path that is gone", web("apps"), web("gone"), "Failed"],
      [
        "a source in another repository",
        web("apps"),
        web("apps").replace("example.com/repo", "example.com/other"),
        "Changed",
      ],
      ["generators that need the cluster", set("{list: {elements: [{name: web}]}}"), set("{clusters: {}}"), "Changed"],
    ];
    for (const [says, base, head, status] of rows) {
      const repo = repository({
        "lead.yaml": base,
        "api.yaml": `apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: api, namespace: argocd}\nspec: {source: {repoURL: "https://example.com/repo.git", path: other}, destination: {name: prod}}\n`,
        "apps/kustomization.yaml": "resources: [web.yaml]\n",
        "apps/web.yaml": deployment("web", "none"),
        "other/api.yaml": deployment("api", "none"),
      });
      spawnSync("git", ["remote", "add", "origin", "https://example.com/repo.git"], {
        cwd: repo.folder,
        env: repo.env,
      });
      repo.commit("next", { "lead.yaml": head });
      const { report } = plan(repo, "--git", "start..next");
      assert.deepEqual(
        report.workloads.filter(({ action }) => action === "Delete"),
        [],
        says,
      );
      assert.equal(report.applications?.find(({ name }) => name === "web")?.status, status, says);
      assert.equal(report.verdict?.level, status === "Failed" ? "danger" : "attention", says);
    }
  });

  it("does not count folders as deployed because the last object that leads to them is gone", () => {
    const source = { "other/api.yaml": deployment("api", "none") };
    const release = `apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: web, namespace: default}\nspec: {chart: {spec: {chart: ./apps, sourceRef: {kind: GitRepository, name: repo}}}}\n`;
    const rows: readonly (readonly [string, Files, Files])[] = [
      ["files", { "lead.yaml": kustomization("web", "prune: true, path: ./apps") }, {}],
      [
        "kustomization",
        { "lead.yaml": kustomization("web", "prune: true, path: ./apps") },
        { "apps/kustomization.yaml": "resources: [web.yaml]\n" },
      ],
      [
        "chart",
        { "lead.yaml": release },
        {
          "apps/Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\n",
          "apps/templates/web.yaml": deployment("web", "none"),
        },
      ],
    ];
    for (const [says, lead, files] of rows) {
      const isChart = says === "chart";
      const repo = repository({
        ...lead,
        ...files,
        ...(isChart ? {} : { ...source, "apps/web.yaml": deployment("web", "none") }),
      });
      rmSync(join(repo.folder, "lead.yaml"));
      repo.commit("gone", isChart ? {} : { "other/api.yaml": deployment("api", "none").replace("app:1", "app:2") });
      const { report } = plan(repo, "--git", "start..gone");
      const counted = report.workloads.filter(({ orphan }) => orphan !== true);
      assert.deepEqual(
        counted.map(({ name, action, movedTo }) => [name, action, movedTo]),
        [["web", "Delete", undefined]],
        says,
      );
    }
  });

  it("reports suspended and resumed objects", () => {
    const release = (suspend: string, level: string): string =>
      `apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: api, namespace: default}\nspec: {${suspend}chart: {spec: {chart: ./chart, sourceRef: {kind: GitRepository, name: flux-system, namespace: flux-system}}}, values: {level: ${level}}}\n`;
    const files = (suspend: string, tag: string): Files => ({
      "clusters/a/apps.yaml": kustomization("apps", `${suspend}path: ./apps`),
      "clusters/a/api.yaml": release(suspend, tag),
      "apps/web.yaml": deployment("web", "none").replace("app:1", `app:${tag}`),
      "chart/Chart.yaml": "apiVersion: v2\nname: chart\nversion: 1.0.0\n",
      "chart/templates/all.yaml": deployment("api", "none").replace("app:1", "app:{{ .Values.level }}"),
    });
    const repo = repository(files("suspend: true, ", "1"));
    repo.commit("changed", files("suspend: true, ", "2"));
    repo.commit("resumed", files("", "2"));
    const shown = (range: string, ...more: readonly string[]): readonly unknown[] => {
      const { report, status } = plan(repo, "--git", range, ...more);
      assert.equal(status, 0);
      const names = report.findings.map(({ id, application, message }) => [
        id,
        application,
        /^(\w+ \w+ is \w+)/u.exec(message)?.[1],
      ]);
      const { api, apps } = statuses(report);
      const { rolls, held } = report.summary;
      return [report.verdict?.level, rolls, held.workloads, { api, apps }, names.sort()];
    };
    const row = (name: string, object: string, words: string): readonly string[] => [
      "suspended-application",
      name,
      `${object} ${name} is ${words}`,
    ];
    const rows = (words: string): readonly unknown[] => [
      row("api", "HelmRelease", words),
      row("apps", "Kustomization", words),
    ];
    assert.deepEqual(shown("start..changed"), ["ok", 0, 2, { api: "Changed", apps: "Changed" }, []]);
    const resumed = shown("changed..resumed");
    const words = "resumed";
    assert.deepEqual(resumed, ["attention", 0, 0, { api: "Unchanged", apps: "Unchanged" }, rows(words)]);
    assert.deepEqual(shown("changed..resumed", "--all-apps"), resumed);
    assert.deepEqual(shown("start..resumed"), ["attention", 2, 0, { api: "Changed", apps: "Changed" }, rows(words)]);
  });

  it("does not treat renderings for discovery as plain manifests", () => {
    const repo = repository({
      "clusters/a/apps.yaml": kustomization("apps", "path: ./apps"),
      // Without a kustomization, and it may show others.
      "apps/inner.yaml": kustomization("inner", "path: ./inner"),
      "apps/web.yaml": deployment("web", "none"),
      "inner/kustomization.yaml": "resources: [api.yaml]\n",
      "inner/api.yaml": deployment("api", "none"),
      "plain/job.yaml": deployment("job", "none"),
    });
    const two = (name: string): string => deployment(name, "none").replace("app:1", "app:2");
    repo.commit("two", { "apps/web.yaml": two("web"), "plain/job.yaml": two("job") });
    const { report } = plan(repo, "--git", "start..two");
    assert.deepEqual(report.workloads.map(({ name, application }) => [name, application]).sort(), [
      ["job", "."],
      ["web", "apps"],
    ]);
    assert.deepEqual(report.notExamined, []);
  });

  it("sees that an encrypted value changed, and reports it as unknown", () => {
    const repo = repository(FILES);
    repo.commit("host", {
      "clusters/secrets.sops.yaml": secret("stringData: {HOST: 'ENC[two]'}\nsops: {mac: y}"),
    });
    assert.deepEqual(rolled(repo, "start..host"), [
      ["a", "web", "Roll", 2],
      ["b", "web", "Roll", 3],
    ]);
    const shown = plan(repo, "--git", "start..host").report.notExamined.filter(({ kind }) => kind === "Values");
    assert.deepEqual(shown, [
      {
        path: "clusters/secrets.sops.yaml",
        kind: "Values",
        name: "Secret flux-system/secrets",
        reason: "it is encrypted with SOPS: a placeholder replaces 1 of its 1 values",
      },
    ]);
  });

  it("says that nothing decrypts an encrypted Secret", () => {
    const inShop = (more: string): string => kustomization("web", `path: ./web, targetNamespace: shop${more}`);
    const clear = secret("stringData: {HOST: one}");
    const encrypted = secret("stringData: {HOST: 'ENC[one]'}\nsops: {mac: x}");
    const repo = repository({
      "prod/web.yaml": inShop(""),
      "web/web.yaml": deployment("web", "env"),
      "web/secret.yaml": clear,
    });
    const refusedIn = (range: string): readonly unknown[] =>
      plan(repo, "--git", range).report.objects.map(({ name, refused }) => [name, refused]);
    repo.commit("encrypted", { "web/secret.yaml": encrypted });
    assert.deepEqual(refusedIn("start..encrypted"), [["secrets", "sops"]]);
    repo.commit("as-before", { "web/secret.yaml": encrypted.replace("one", "two") });
    assert.deepEqual(refusedIn("encrypted..as-before"), [["secrets", undefined]]);
    repo.commit("decrypted", { "prod/web.yaml": inShop(", decryption: {provider: sops}"), "web/secret.yaml": clear });
    repo.commit("right", { "web/secret.yaml": encrypted });
    assert.deepEqual(refusedIn("decrypted..right"), [["secrets", undefined]]);
  });

  it("shows no value of a Secret in clear, and fails in the same cases as Flux", () => {
    const repo = repository(FILES);
    repo.commit("clear", {
      "clusters/secrets.sops.yaml": secret("stringData: {HOST: host-of-mine, TAG: tag-of-mine}"),
    });
    const { report, status } = plan(repo, "--git", "start..clear", "--show-values");
    assert.equal(status, 0);
    assert.equal(report.summary.rolls, 2);
    assert.doesNotMatch(JSON.stringify(report), /of-mine/u);
    // Nor a digest, against which guesses could be checked.
    for (const format of ["text", "markdown", "html", "json"]) {
      const { stdout } = rollstamp(repo, "plan", "--git", "start..clear", "-o", format, "--show-values");
      assert.doesNotMatch(stdout, /unknown[0-9a-f]/u);
      assert.match(stdout, /app:\(unknown\)/u);
    }
    repo.commit("pin", { "clusters/secrets.sops.yaml": secret("stringData: {HOST: '48151', TAG: '48152'}") });
    const short = rollstamp(repo, "plan", "--git", "clear..pin", "-o", "json", "--show-values");
    assert.equal(short.status, 0);
    assert.doesNotMatch(short.stdout, /4815/u);
    repo.commit("wrong", { "apps/env.yaml": configMap("env", "${LEVEL-none}") });
    const failed = plan(repo, "--git", "clear..wrong");
    assert.equal(failed.status, 1);
    assert.match(failed.report.applications?.[0]?.message ?? "", /ConfigMap env .*closing brace/u);
  });

  it("uses variables from the files of a generator, whatever their names", () => {
    const repo = repository({
      ...FILES,
      "clusters/a/settings.yaml": "",
      "clusters/a/kustomization.yaml":
        "resources: [apps.yaml]\nconfigMapGenerator:\n- {name: settings, namespace: flux-system, envs: [settings.env]}\n",
      "clusters/a/settings.env": "TAG=1\nREPLICAS=2\n",
    });
    repo.commit("env", { "clusters/a/settings.env": "TAG=3\nREPLICAS=2\n" });
    const cache = join(temporaryFolder(), "cache");
    for (let run = 0; run < 2; run += 1) {
      const { report } = plan(repo, "--git", "start..env", "--cache", cache);
      assert.deepEqual(
        report.workloads.map(({ namespace, name }) => [namespace, name]),
        [["a", "web"]],
      );
    }
  });

  it("sees that an ignore rule of the source removes a file with workloads", () => {
    const source = (ignore: string): string =>
      `apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {name: flux-system, namespace: flux-system}\nspec: {url: "https://example.com/x", ignore: ${ignore}}\n`;
    const repo = repository({ ...FILES, "clusters/a/source.yaml": source("'!/none'") });
    repo.commit("ignore", { "clusters/a/source.yaml": source("'/apps/web.yaml'") });
    assert.deepEqual(rolled(repo, "start..ignore"), [
      ["a", "web", "Delete", 2],
      ["b", "web", "Delete", 3],
    ]);
    repo.commit("back", { "apps/.sourceignore": "# all\n*\n", "clusters/a/source.yaml": source("'!/apps/web.yaml'") });
    assert.deepEqual(rolled(repo, "ignore..back"), [
      ["a", "api", "Delete", 1],
      ["a", "web", "Create", 2],
      ["b", "api", "Delete", 1],
      ["b", "web", "Create", 3],
    ]);
    repo.commit("all", { "apps/.sourceignore": "*\n", "clusters/a/source.yaml": source("/apps") });
    const failed = plan(repo, "--git", "back..all");
    assert.equal(failed.status, 1);
    assert.match(failed.report.applications?.[0]?.message ?? "", /\.sourceignore or spec\.ignore/u);
  });

  it("works in shards with unknown values", () => {
    const repo = repository(FILES);
    repo.commit("shared", { "shared/api.yaml": deployment("api", "none").replace("app:1", "app:2") });
    const args = ["plan", "-o", "json", "--git", "start..shared"] as const;
    const parts = ["1", "2"].map((i) => {
      const file = join(repo.temporary, `${i}.json`);
      writeFileSync(file, rollstamp(repo, ...args, "--shard", `${i}/2`).stdout);
      return file;
    });
    const merged = rollstamp(repo, "plan", "-o", "json", "--merge", ...parts);
    assert.equal(merged.stdout, rollstamp(repo, ...args).stdout, merged.stderr);
  });

  it("uses variables of the rendering that shows the Kustomization: patched, or merged by generators", () => {
    const patch = (tag: string): string => `[{"op": "replace", "path": "/data/TAG", "value": "${tag}"}]\n`;
    const literal = (tag: string): string =>
      `configMapGenerator:\n- {name: settings, namespace: flux-system, literals: [TAG=${tag}, REPLICAS=5], options: {disableNameSuffixHash: true}}\n`;
    const repo = repository({
      ...FILES,
      "clusters/a/kustomization.yaml":
        "resources: [apps.yaml, settings.yaml]\npatches: [{path: tag.json, target: {kind: ConfigMap}}]\n",
      "clusters/a/tag.json": patch("4"),
      "clusters/b/settings.yaml": "",
      "clusters/b/kustomization.yaml":
        "resources: [apps.yaml, ../base]\nconfigMapGenerator:\n- {name: settings, namespace: flux-system, behavior: merge, literals: [REPLICAS=3]}\n",
      "clusters/base/kustomization.yaml": literal("1"),
    });
    repo.commit("patched", { "clusters/a/tag.json": patch("5") });
    assert.deepEqual(rolled(repo, "start..patched"), [["a", "web", "Roll", 2]]);
    repo.commit("merged", { "clusters/base/kustomization.yaml": literal("2") });
    assert.deepEqual(rolled(repo, "patched..merged"), [["b", "web", "Roll", 3]]);
  });

  it("uses variables that another Kustomization of the cluster renders", () => {
    const patch = (tag: string): string => `[{"op": "replace", "path": "/data/TAG", "value": "${tag}"}]\n`;
    const repo = repository({
      ...FILES,
      "clusters/a/settings.yaml": kustomization("settings", "path: ./settings"),
      "clusters/a/flux-system/gotk-sync.yaml": kustomization("flux-system", "path: ./clusters/a"),
      "settings/kustomization.yaml": "resources: [all.yaml]\npatches: [{path: tag.json, target: {kind: ConfigMap}}]\n",
      "settings/all.yaml": settings("{TAG: '1', REPLICAS: '2'}"),
      "settings/tag.json": patch("4"),
      "clusters/b/settings.yaml": settings("{TAG: '1', REPLICAS: '3'}"),
    });
    repo.commit("patched", { "settings/tag.json": patch("5") });
    assert.deepEqual(rolled(repo, "start..patched"), [["a", "web", "Roll", 2]]);
  });
});
