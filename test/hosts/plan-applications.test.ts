// plan --git over applications, compared with rendering and planning each of them without rollstamp.
import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { delimiter, join } from "node:path";
import { describe, it } from "node:test";
import type { PlanJson } from "../../src/output/plan-json.ts";
import type { WorkloadJson } from "../../src/output/plan-json.ts";
import type { Files } from "../support/folders.ts";
import { configMap, deployment } from "../support/manifests.ts";
import {
  KUSTOMIZE,
  missing,
  PATH,
  plan,
  repository as repositoryOf,
  rollstamp,
  statuses,
  type Repository,
} from "./planned-repository.ts";
import { temporaryFolder } from "./trees.ts";

const CHART = {
  "charts/api/Chart.yaml":
    "apiVersion: v2\nname: api\nversion: 1.0.0\ndependencies:\n- name: lib\n  version: 1.0.0\n  repository: file://../lib\n",
  "charts/api/values.yaml": "level: info\n",
  "charts/api/templates/all.yaml": `${deployment("api", "api-env")}---\n${configMap("api-env", "x").replace('"x"', "{{ .Values.level | quote }}")}`,
  "charts/lib/Chart.yaml": "apiVersion: v2\nname: lib\nversion: 1.0.0\n",
  "charts/lib/templates/lib.yaml": configMap("lib", "1"),
};

const REPOSITORY: Files = {
  "base/kustomization.yaml": "resources: [web.yaml]\nconfigMapGenerator:\n- name: env\n  files: [value=env.txt]\n",
  "base/web.yaml": deployment("web", "env"),
  "base/env.txt": "a",
  "overlays/dev/kustomization.yaml": "namespace: dev\nresources: [../../base]\n",
  "overlays/prod/kustomization.yaml":
    "namespace: prod\nresources: [../../base]\npatches:\n- path: replicas.yaml\n  target: {kind: Deployment}\n",
  "overlays/prod/replicas.yaml": "- op: add\n  path: /spec/replicas\n  value: 3\n",
  "other/kustomization.yaml": `resources: [other.yaml]\n`,
  "other/other.yaml": `${deployment("other", "other-env")}---\n${configMap("other-env", "a")}`,
  "plain/all.yaml": `${deployment("plain", "plain-env")}---\n${configMap("plain-env", "a")}`,
  ...CHART,
};

const repository = (files: Files = REPOSITORY): Repository => repositoryOf(files);

/** What a person would do: render each application in a checkout of both revisions, and plan between the two. */
function byHand(
  worktree: Repository,
  range: readonly [string, string],
  renders: Readonly<Record<string, string>>,
): WorkloadJson[] {
  return Object.entries(renders).flatMap(([application, render]) => {
    const { report } = plan(worktree, "--git", range.join(".."), "--render", render, "--allow-empty");
    return report.workloads.map((workload) => ({ ...workload, application }));
  });
}

const inOrder = (workloads: readonly WorkloadJson[]): string[] =>
  workloads.map((workload) => JSON.stringify(workload, Object.keys(workload).sort())).sort();

describe("plan --git over applications", { skip: missing }, () => {
  const RENDERS = {
    "overlays/dev": "kustomize build overlays/dev",
    "overlays/prod": "kustomize build overlays/prod",
    other: "kustomize build other",
    "charts/api": `d=$(mktemp -d) && cp -r charts/api charts/lib "$d" && cd "$d/api" && helm dependency build >&2 && helm template api . --include-crds; s=$?; rm -rf "$d"; exit $s`,
  };

  it("equals the plan of each application that a shared base changes", () => {
    const worktree = repository();
    worktree.commit("env", { "base/env.txt": "b" });
    const { report, status } = plan(worktree, "--git", "start..env");
    assert.equal(status, 0);
    assert.deepEqual(statuses(report), {
      "overlays/dev": "Changed",
      "overlays/prod": "Changed",
      other: "NotAffected",
      "charts/api": "NotAffected",
      ".": "NotAffected",
    });
    assert.deepEqual(
      report.causes.map(({ workloads, pods }) => [workloads, pods]),
      [
        [1, 3],
        [1, 1],
      ],
    );
    assert.deepEqual(inOrder(report.workloads), inOrder(byHand(worktree, ["start", "env"], RENDERS)));
    assert.equal(
      plan(worktree, "--git", "start..env", "--max-pods", "3").status,
      1,
      "limits count all of them together",
    );
    assert.deepEqual(statuses(plan(worktree, "--git", "start..env", "overlays/prod").report), {
      "overlays/prod": "Changed",
    });
    assert.deepEqual(statuses(plan(worktree, "--git", "start..env", "--app", "*dev").report), {
      "overlays/dev": "Changed",
    });
  });

  it("renders identical inputs once: a random value is not a difference", () => {
    const worktree = repository({
      ...REPOSITORY,
      "charts/random/Chart.yaml": "apiVersion: v2\nname: random\nversion: 1.0.0\n",
      "charts/random/templates/all.yaml": `${deployment("random", "random-env")}---\n${configMap("random-env", "x").replace('"x"', "{{ randAlphaNum 12 | quote }}")}`,
    });
    worktree.commit("changed", {
      "other/other.yaml": `${deployment("other", "other-env")}---\n${configMap("other-env", "b")}`,
    });
    const { report } = plan(worktree, "--git", "start..changed");
    const { report: all } = plan(worktree, "--git", "start..changed", "--all-apps");
    assert.equal(statuses(all)["charts/random"], "Unchanged");
    assert.deepEqual([all.causes, all.workloads], [report.causes, report.workloads]);
  });

  it("ends a rendering that hangs, reports it, and plans the others", () => {
    const worktree = repository();
    worktree.commit("endless", {
      "base/env.txt": "b",
      "charts/api/templates/endless.yaml": "{{ range until 100000 }}{{ range until 100000 }}{{ end }}{{ end }}",
    });
    const { report, status } = plan(worktree, "--git", "start..endless", "--max-render-time", "2s");
    assert.equal(status, 1);
    const [first] = report.applications ?? [];
    assert.deepEqual([first?.name, first?.status], ["charts/api", "Failed"]);
    assert.match(first?.message ?? "", /^in endless: helm template did not end within 2 seconds/u);
    assert.equal(report.summary.rolls, 2);
    const { stdout } = rollstamp(
      worktree,
      "plan",
      "--git",
      "start..endless",
      "--max-render-time",
      "2s",
      "--app",
      "charts/api",
    );
    assert.match(stdout, /did not end within 2 seconds.*--max-render-time/su);
  });

  it("renders unaffected applications only with --all-apps, with the same result", () => {
    const worktree = repository();
    worktree.commit("values", {
      "charts/api/values.yaml": "level: debug\n",
      "plain/all.yaml": `${deployment("plain", "plain-env")}---\n${configMap("plain-env", "b")}`,
    });
    const few = plan(worktree, "--git", "start..values").report;
    const all = plan(worktree, "--git", "start..values", "--all-apps").report;
    assert.deepEqual(statuses(few), {
      "charts/api": "Changed",
      ".": "Changed",
      other: "NotAffected",
      "overlays/dev": "NotAffected",
      "overlays/prod": "NotAffected",
    });
    assert.deepEqual(Object.values(statuses(all)).toSorted(), [
      "Changed",
      "Changed",
      "Unchanged",
      "Unchanged",
      "Unchanged",
    ]);
    for (const field of ["verdict", "summary", "causes", "workloads", "findings", "exceeded"] as const)
      assert.deepEqual(few[field], all[field], field);
    const rendered = few.workloads.filter(({ application }) => application === "charts/api");
    assert.deepEqual(inOrder(rendered), inOrder(byHand(worktree, ["start", "values"], RENDERS)));
  });

  it("sees changes by a dependency of a chart, a patch, a link and a new file", () => {
    const worktree = repository();
    worktree.commit("lib", { "charts/lib/templates/lib.yaml": configMap("lib", "2") });
    assert.equal(statuses(plan(worktree, "--git", "start..lib").report)["charts/api"], "Changed");
    worktree.commit("patch", { "overlays/prod/replicas.yaml": "- op: add\n  path: /spec/replicas\n  value: 4\n" });
    assert.deepEqual(
      Object.entries(statuses(plan(worktree, "--git", "lib..patch").report)).filter(([, is]) => is !== "NotAffected"),
      [["overlays/prod", "Changed"]],
    );
    mkdirSync(join(worktree.folder, "linked"));
    symlinkSync("../other/other.yaml", join(worktree.folder, "linked", "all.yaml"));
    worktree.commit("linked", { "linked/kustomization.yaml": "resources: [all.yaml]\n" });
    const added = plan(worktree, "--git", "patch..linked").report;
    assert.deepEqual(added.applications?.[0], {
      name: "linked",
      path: "linked",
      kind: "Kustomize",
      status: "Changed",
      change: "Added",
      stampedBy: "Nothing",
      foundBy: "Kustomization",
    });
    worktree.commit("target", {
      "other/other.yaml": `${deployment("other", "other-env")}---\n${configMap("other-env", "b")}`,
    });
    assert.equal(statuses(plan(worktree, "--git", "linked..target").report)["linked"], "Changed");
  });

  it("reads plain manifests through links, also those of an Application", () => {
    const worktree = repository({
      "shared/web.txt": deployment("web", "env"),
      "apps/web.yaml":
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: web, namespace: argocd}\nspec: {project: default, source: {repoURL: https://git.example/x.git, path: argo}, destination: {namespace: web, server: https://cluster.example}}\n",
      "argo/env.yaml": configMap("env", "a"),
      "plain/env.yaml": configMap("env", "a"),
    });
    for (const name of ["argo", "plain"]) symlinkSync("../shared/web.txt", join(worktree.folder, name, "web.yaml"));
    worktree.commit("links", {});
    worktree.commit("target", {
      "shared/web.txt": deployment("web", "env").replace("app:1", "app:2"),
    });
    const { workloads } = plan(worktree, "--git", "links..target").report;
    assert.deepEqual(workloads.map(({ name, application = "", action }) => [name, application, action]).sort(), [
      ["web", ".", "Roll"],
      ["web", "web", "Roll"],
    ]);
  });

  it("marks applications that fail in both revisions", () => {
    const worktree = repository();
    const wrong = { "overlays/dev/kustomization.yaml": "namespace: dev\nresources: [../../base, ./nowhere.yaml]\n" };
    worktree.commit("broken", wrong);
    worktree.commit("later", { "base/env.txt": "b" });
    const failed = (range: string, ...options: readonly string[]): unknown =>
      plan(worktree, "--git", range, ...options)
        .report.applications?.filter(({ status }) => status === "Failed")
        .map(({ name, failedBefore = false, message = "" }) => [name, failedBefore, message.split(":")[0]]);
    assert.deepEqual(failed("start..broken"), [["overlays/dev", false, "in broken"]]);
    assert.deepEqual(failed("broken..later"), [["overlays/dev", false, "in later"]], "the change touches it");
    worktree.commit("elsewhere", { "README.md": "b" });
    assert.deepEqual(failed("later..elsewhere", "--all-apps"), [["overlays/dev", true, "in elsewhere"]]);
    const fixed = plan(worktree, "--git", "later..start");
    const dev = fixed.report.applications?.find(({ name }) => name === "overlays/dev");
    assert.deepEqual(
      [fixed.status, dev?.status, dev?.baseFailed, dev?.message?.split(":")[0], fixed.report.verdict?.level],
      [1, "Failed", true, "in later", "danger"],
      "the change fixes it, so its rollouts are unknown",
    );
  });

  it("cannot know what rolls of a chart whose templates change, and whose rendering with its own values does not", () => {
    const worktree = repository({
      "shop/Chart.yaml": "apiVersion: v2\nname: shop\nversion: 1.0.0\n",
      "shop/values.yaml": "redis: false\n",
      "shop/templates/web.yaml": deployment("web", "env"),
      "shop/templates/redis.yaml": "{{ if .Values.redis }}\n{{ end }}\n",
      "shop/templates/tests/web.yaml": "{{ if .Values.redis }}\n{{ end }}\n",
    });
    const seenIn = (range: string): unknown => {
      const { verdict, findings } = plan(worktree, "--git", range).report;
      return [verdict?.level, findings.map(({ id }) => id)];
    };
    worktree.commit("gated", {
      "shop/templates/redis.yaml": `{{ if .Values.redis }}\n${deployment("redis", "env")}{{ end }}\n`,
    });
    assert.deepEqual(seenIn("start..gated"), ["attention", ["RS024"]]);
    worktree.commit("bumped", {
      "shop/Chart.yaml": "apiVersion: v2\nname: shop\nversion: 2.0.0\n",
      "shop/templates/web.yaml": deployment("web", "env").replace("app:1", "app:2"),
      "shop/templates/redis.yaml": "{{ if .Values.redis }}\n{{ end }}\n",
    });
    assert.deepEqual(seenIn("gated..bumped"), ["attention", ["RS024"]], "another template shows its own change only");
    rmSync(join(worktree.folder, "shop/templates/redis.yaml"));
    worktree.commit("removed", {});
    assert.deepEqual(seenIn("bumped..removed"), ["attention", ["RS024"]]);
    worktree.commit("tested", { "shop/templates/tests/web.yaml": "{{ if .Values.redis }}\n# a\n{{ end }}\n" });
    assert.deepEqual(seenIn("removed..tested"), ["ok", []]);
    worktree.commit("described", { "shop/Chart.yaml": "apiVersion: v2\nname: shop\nversion: 1.0.1\n" });
    assert.deepEqual(seenIn("tested..described"), ["ok", []]);
  });

  it("needs a review if a chart's own values hide a change in a chart that it depends on", () => {
    const off = (value: string): Files => ({
      "charts/lib/templates/off.yaml": `{{ if .Values.on }}\n${configMap("off", value)}{{ end }}\n`,
    });
    const worktree = repository({ ...CHART, ...off("1") });
    worktree.commit("hidden", off("2"));
    const { verdict, findings } = plan(worktree, "--git", "start..hidden").report;
    assert.equal(verdict?.level, "attention");
    assert.deepEqual(
      findings.map(({ id, application }) => [id, application]),
      [["RS024", "charts/api"]],
    );
    worktree.commit("shown", { "charts/lib/templates/lib.yaml": configMap("lib", "2") });
    assert.equal(plan(worktree, "--git", "hidden..shown").report.verdict?.level, "ok");
  });

  it("cannot know what rolls of a chart that needs values from whoever installs it", () => {
    const worktree = repository({
      "shop/Chart.yaml": "apiVersion: v2\nname: shop\nversion: 1.0.0\n",
      "shop/templates/a.yaml": '# {{ required "key is required" .Values.key }}\n',
      "shop/prod.yaml": "key: a\n",
      "other/a.yaml": deployment("a", "a"),
    });
    const seenIn = (range: string): unknown => {
      const { status, report } = plan(worktree, "--git", range, "--all-apps");
      const shop = report.applications?.find(({ path }) => path === "shop");
      const { verdict, findings } = report;
      return [status, verdict?.level, shop?.status, shop?.failedBefore, shop?.unrendered, findings.map(({ id }) => id)];
    };
    worktree.commit("later", { "shop/templates/a.yaml": '\n# {{ required "key is required" .Values.key }}\n' });
    assert.deepEqual(seenIn("start..later"), [0, "attention", "Changed", undefined, true, ["RS024"]]);
    worktree.commit("elsewhere", { "other/a.yaml": deployment("a", "b") });
    assert.deepEqual(
      seenIn("later..elsewhere"),
      [0, "ok", "Failed", true, undefined, []],
      "the change does not touch it",
    );
    worktree.commit("more", { "shop/templates/b.yaml": '# {{ required "b is required" .Values.b }}\n' });
    worktree.commit("other", { "shop/templates/a.yaml": '{{ fail "never" }}\n' });
    assert.deepEqual(seenIn("later..other"), [1, "danger", "Failed", undefined, undefined, []], "for another reason");
    worktree.commit("listed", {
      "rollstamp.yaml":
        "apiVersion: rollstamp.dev/v1alpha1\nkind: Applications\nspec: {applications: [{path: shop, values: [prod.yaml]}]}\n",
      "shop/templates/a.yaml": '# {{ required "key is required" .Values.key }}\n',
      "shop/prod.yaml": "key: a\nb: b\n",
    });
    assert.deepEqual(
      seenIn("later..listed"),
      [0, "attention", "Changed", undefined, true, ["RS024"]],
      "names its values",
    );
    worktree.commit("last", { "shop/prod.yaml": "key: b\nb: b\n" });
    assert.deepEqual(seenIn("listed..last"), [0, "ok", "Changed", undefined, undefined, []], "with its values");
    const image = (values: string): string => `kind: Pod\nmetadata:\n  name: a{{ .Values.missing }}: b\n# ${values}\n`;
    const chart = { "shop/Chart.yaml": "apiVersion: v2\nname: shop\nversion: 1.0.0\n", "rollstamp.yaml": "" };
    worktree.commit("bare", { ...chart, "shop/templates/a.yaml": image("a"), "shop/templates/b.yaml": "" });
    worktree.commit("barer", { "shop/templates/a.yaml": image("b") });
    assert.deepEqual(seenIn("bare..barer"), [0, "attention", "Changed", undefined, true, ["RS024"]], "not YAML alone");
  });

  it("cannot know what rolls of a chart whose templates take values that the repository does not give", () => {
    const rows: Readonly<Record<string, string>> = {
      "of a missing value": "{{ .Values.a.b }}",
      "for a function": "{{ .Values.a | b64enc }}",
      "for a template": "{{ tpl .Values.a . }}",
      "in a list": '{{ index .Values.a "b" }}',
      "of a string": "{{ .Values.text.b }}",
      "of a loop": "{{ range .Values.text }}{{ end }}",
      "that is compared": "{{ if gt .Values.a 3 }}{{ end }}",
      "whose length counts": "{{ len .Values.a }}",
      "of a helper": '{{ define "x" }}{{ .b | trunc 3 }}{{ end }}{{ include "x" .Values }}',
    };
    const templates = Object.values(rows).map((text, i) => [`shop-${i}/templates/a.yaml`, `# ${text}\n`] as const);
    const files = Object.fromEntries(
      templates.flatMap(([path, text], i) => [
        [`shop-${i}/Chart.yaml`, `apiVersion: v2\nname: shop-${i}\nversion: 1.0.0\n`],
        [`shop-${i}/values.yaml`, "text: a\n"],
        [path, text],
      ]),
    );
    const worktree = repository(files);
    worktree.commit("later", Object.fromEntries(templates.map(([path, text]) => [path, `\n${text}`])));
    const { status, report } = plan(worktree, "--git", "start..later");
    assert.deepEqual(
      [status, report.verdict?.level, report.applications?.map((one) => one.unrendered)],
      [0, "attention", templates.map(() => true)],
    );
    worktree.commit("other", { "shop-0/templates/a.yaml": "{{ unknown }}\n" });
    const other = plan(worktree, "--git", "later..other");
    assert.deepEqual([other.status, other.report.verdict?.level], [1, "danger"], "for another reason");
  });

  it("takes an application whose kustomization one revision can't read as one of both", () => {
    const worktree = repository();
    // Nothing else includes this base.
    const files = { "own/kustomization.yaml": "resources: [web.yaml]\n", "own/web.yaml": deployment("own", "own-env") };
    worktree.commit("first", { ...files, "overlays/dev/kustomization.yaml": "resources: [../../base, ../../own]\n" });
    worktree.commit("unreadable", { "overlays/dev/kustomization.yaml": "resources: [../../base\n" });
    const fixed = plan(worktree, "--git", "unreadable..first");
    const devOf = ({ report }: typeof fixed): unknown =>
      report.applications?.filter(({ path }) => path === "overlays/dev").map((one) => [one.status, one.change]);
    assert.deepEqual(devOf(fixed), [["Failed", undefined]]);
    assert.deepEqual([fixed.status, fixed.report.verdict?.level], [1, "danger"]);
    assert.deepEqual([fixed.report.summary.creates, fixed.report.summary.deletes], [0, 0]);
    const broken = plan(worktree, "--git", "first..unreadable");
    assert.deepEqual(devOf(broken), [["Failed", undefined]]);
    assert.deepEqual([broken.status, broken.report.summary.creates, broken.report.summary.deletes], [1, 0, 0]);
  });

  it("lists failed applications first, with the error of the tool, and plans the others", () => {
    const worktree = repository();
    worktree.commit("broken", {
      "base/env.txt": "b",
      "overlays/dev/kustomization.yaml": "namespace: dev\nresources: [../../base, ./nowhere.yaml]\n",
      "charts/api/templates/all.yaml": '{{ fail "no image" }}',
    });
    const { report, status } = plan(worktree, "--git", "start..broken");
    assert.equal(status, 1);
    assert.equal(report.verdict?.level, "danger");
    assert.deepEqual(
      report.applications?.slice(0, 3).map((one) => [one.name, one.status]),
      [
        ["charts/api", "Failed"],
        ["overlays/dev", "Failed"],
        ["overlays/prod", "Changed"],
      ],
    );
    assert.match(
      report.applications?.[0]?.message ?? "",
      /^in broken: helm template ended with status 1: .*no image/su,
    );
    assert.match(
      report.applications?.[1]?.message ?? "",
      /^in broken: kustomize build ended with status 1: .*nowhere\.yaml/su,
    );
    assert.deepEqual(
      report.workloads.map(({ namespace }) => namespace),
      ["prod"],
    );
    for (const form of ["text", "markdown", "html"])
      assert.match(rollstamp(worktree, "plan", "--git", "start..broken", "-o", form).stdout, /overlays\/dev/u, form);
  });

  it("uses cached renderings, and renders again if an entry is damaged", () => {
    const worktree = repository();
    const cache = join(worktree.folder, "..", `${Date.now()}-cache`);
    worktree.commit("env", { "base/env.txt": "b" });
    const first = plan(worktree, "--git", "start..env", "--cache", cache);
    assert.equal(statSync(cache).mode & 0o777, 0o700);
    const names = readdirSync(cache);
    assert.equal(names.length, 4);
    const count = (): number =>
      existsSync(join(cache, "..", "builds")) ? readFileSync(join(cache, "..", "builds"), "utf8").length : 0;
    // A kustomize that counts its builds.
    const bin = temporaryFolder();
    const real = KUSTOMIZE.found ? KUSTOMIZE.path : "";
    writeFileSync(
      join(bin, "kustomize"),
      `#!/bin/sh\n[ "$1" = build ] && printf . >> ${join(cache, "..", "builds")}\nexec ${real} "$@"\n`,
      { mode: 0o755 },
    );
    const counted = { ...worktree, env: { ...worktree.env, PATH: `${bin}${delimiter}${PATH}` } };
    assert.deepEqual(plan(counted, "--git", "start..env", "--cache", cache).report, first.report);
    assert.equal(count(), 0, "all of it was there");
    for (const name of names) writeFileSync(join(cache, name), `${readFileSync(join(cache, name), "utf8")} `);
    assert.deepEqual(plan(counted, "--git", "start..env", "--cache", cache).report, first.report);
    assert.equal(count(), 4, "damaged entries are made again");
    chmodSync(cache, 0o755);
    const open = rollstamp(worktree, "plan", "--git", "start..env", "--cache", cache);
    assert.deepEqual([open.status, /other users can enter this folder/u.test(open.stderr)], [2, true]);
  });

  it("runs nothing of a repository, reads nothing outside, and shows no value", () => {
    const worktree = repository();
    const proof = join(worktree.folder, "ran");
    writeFileSync(join(worktree.temporary, "..", "secret.txt"), "password: hunter2hunter2");
    mkdirSync(join(worktree.folder, "links"));
    symlinkSync("/etc/hostname", join(worktree.folder, "links", "all.yaml"));
    worktree.commit("hostile", {
      "exec/kustomization.yaml": "resources: [all.yaml]\ntransformers: [run.yaml]\n",
      "exec/all.yaml": configMap("env", "a"),
      "exec/run.yaml": `apiVersion: x/v1\nkind: Run\nmetadata:\n  name: run\n  annotations:\n    config.kubernetes.io/function: |\n      exec:\n        path: ./run.sh\n`,
      "exec/run.sh": `#!/bin/sh\ntouch ${proof}\n`,
      "links/kustomization.yaml": "resources: [all.yaml]\n",
      "out/kustomization.yaml": "resources: [../../../../etc/passwd]\n",
      "remote/kustomization.yaml": "resources: ['https://example.com/base?ref=v1']\n",
      "secret/kustomization.yaml":
        "secretGenerator:\n- name: s\n  literals: [password=hunter2hunter2]\n  files: [nowhere=hunter2hunter2]\n",
    });
    const { report, status } = plan(worktree, "--git", "start..hostile");
    assert.equal(status, 1);
    assert.deepEqual(
      Object.fromEntries(
        (report.applications ?? []).filter((one) => one.change === "Added").map((one) => [one.name, one.status]),
      ),
      {
        exec: "Failed",
        links: "Failed",
        out: "Failed",
        remote: "Changed",
        secret: "Failed",
      },
    );
    assert.ok(!readdirSync(worktree.folder).includes("ran"));
    const messages = (report.applications ?? []).map(({ message = "" }) => message).join("\n");
    assert.match(messages, /leads out of the repository/u);
    assert.match(messages, /is outside the repository/u);
    assert.ok(!messages.includes("password=hunter2hunter2"), messages);
    assert.ok(!messages.includes(worktree.temporary), messages);
  });
});

describe("plan --git over applications of one cluster", { skip: missing }, () => {
  const application = (name: string, cluster: string): string =>
    `---\napiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: ${name}}\nspec:\n  source: {repoURL: https://example.com/repo.git, path: ${name}}\n  destination: {name: ${cluster}, namespace: shop}\n`;
  const FILES: Files = {
    "config/kustomization.yaml": "resources: [all.yaml]\n",
    "config/all.yaml": configMap("shared", "a"),
    "web/kustomization.yaml": "resources: [all.yaml]\n",
    "web/all.yaml": deployment("web", "shared"),
    "far/kustomization.yaml": "resources: [all.yaml]\n",
    "far/all.yaml": deployment("far", "shared"),
    "applications.yaml": [application("config", "prod"), application("web", "prod"), application("far", "dev")].join(
      "",
    ),
  };
  const unseen = ({ findings }: PlanJson): string[] =>
    findings.filter(({ id }) => id === "cross-application-change").map(({ message }) => message);

  it("reports workloads that see a change and do not roll, with --all-apps and in shards too", () => {
    const worktree = repository(FILES);
    worktree.commit("changed", { "config/all.yaml": configMap("shared", "b") });
    const { report } = plan(worktree, "--git", "start..changed");
    assert.equal(unseen(report).length, 1);
    assert.match(
      unseen(report).join(),
      /^ConfigMap shop\/shared: 'value' .*Deployment shop\/web of the application web\b/u,
    );
    assert.deepEqual(statuses(report), {
      config: "Changed",
      far: "NotAffected",
      web: "NotAffected",
      ".": "NotAffected",
    });
    assert.equal(report.summary.rolls, 0);
    assert.equal(report.verdict?.level, "attention");
    const { report: all } = plan(worktree, "--git", "start..changed", "--all-apps");
    assert.deepEqual(all.findings, report.findings);
    const parts = [1, 2, 3].map((n) => {
      const file = join(worktree.folder, `${n}.json`);
      writeFileSync(
        file,
        rollstamp(worktree, "plan", "-o", "json", "--as", "stamped", "--git", "start..changed", "--shard", `${n}/3`)
          .stdout,
      );
      return file;
    });
    const merged: PlanJson = JSON.parse(rollstamp(worktree, "plan", "-o", "json", "--merge", ...parts).stdout);
    assert.deepEqual(merged.findings, report.findings);
    assert.deepEqual(merged.verdict, report.verdict);
  });

  it("finds a missing source in another application of the cluster", () => {
    const worktree = repository(FILES);
    const both = (name: string): string => `${deployment(name, "shared")}---\n${deployment("api", "nowhere")}`;
    worktree.commit("new", { "web/all.yaml": both("web2"), "far/all.yaml": both("far2") });
    const { report } = plan(worktree, "--git", "start..new");
    const without = report.workloads.filter(({ findings }) => findings.some(({ id }) => id === "RS001"));
    assert.deepEqual(without.map((one) => `${one.application}: ${one.name}`).toSorted(), [
      "far: api",
      "far: far2",
      "web: api",
    ]);
  });

  it("reports removed sources, but not moved ones, and what it could not check", () => {
    const worktree = repository({
      ...FILES,
      "bad/kustomization.yaml": "resources: [absent.yaml]\n",
      "bad.yaml": application("bad", "prod"),
      "worse/kustomization.yaml": "resources: [gone.yaml]\n",
      "worse.yaml": application("worse", "prod"),
    });
    worktree.commit("gone", { "config/all.yaml": configMap("other", "a") });
    const { report, status } = plan(worktree, "--git", "start..gone");
    assert.equal(status, 0);
    assert.match(
      unseen(report).join(),
      /^ConfigMap shop\/shared is removed.*Deployment shop\/web of the application web\b/u,
    );
    assert.match(
      report.findings
        .filter(({ id }) => id === "unrendered-application")
        .map(({ message, severity }) => `${severity} ${message}`)
        .join(),
      /^warning 2 other applications .*\(bad and 1 more\).* ConfigMap shop\/shared.* 1 of them: /u,
    );
    worktree.commit("moved", { "web/all.yaml": `${deployment("web", "shared")}---\n${configMap("shared", "a")}` });
    assert.deepEqual(unseen(plan(worktree, "--git", "start..moved").report), []);
  });
});
