// One plan for a whole repository, compared with three others: each application rendered and planned without rollstamp, all applications
// rendered, and three shards. It runs over public monorepos (ROLLSTAMP_REPOSITORIES is a folder of checkouts named owner+name), and over a
// small repository that is always available. ROLLSTAMP_SEED chooses the edits, ROLLSTAMP_EDITS their number.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import type { PlanJson, WorkloadJson } from "../../src/output/plan-json.ts";
import type { Files } from "../support/folders.ts";
import { configMap, deployment } from "../support/manifests.ts";
import { byHand, checkouts, listed, type ByHand } from "./by-hand.ts";
import { filesOf, type Listed } from "./by-hand-parts.ts";
import { missing, repository, rollstamp, statuses, type Repository } from "./planned-repository.ts";
import { numbers, seededEdits } from "./seeded-edits.ts";
import { temporaryFolder } from "./trees.ts";
import { vendored } from "./vendored-charts.ts";

const REPOSITORIES = process.env["ROLLSTAMP_REPOSITORIES"];
const SEED = Number(process.env["ROLLSTAMP_SEED"] ?? "18");
const EDITS = Number(process.env["ROLLSTAMP_EDITS"] ?? "3");
/** Beside those that a plan has touched so many others are rendered by hand. */
const OTHERS = 30;

/** Each with the address by which its own objects know it, and where it gets a copy of the chart of its HelmReleases. */
const PUBLIC: readonly (readonly [folder: string, remote: string, charts?: string, source?: string])[] = [
  ["kubeflow+manifests", "kubeflow/manifests"],
  ["konflux-ci+konflux-ci", "konflux-ci/konflux-ci"],
  ["redhat-appstudio+infra-deployments", "redhat-appstudio/infra-deployments"],
  ["onedr0p+home-ops", "onedr0p/home-ops", "charts/app-template", "flux-system"],
  ["bjw-s+home-ops", "bjw-s-labs/home-ops", "kubernetes/charts/app-template", "home-ops-kubernetes"],
  ["billimek+k8s-gitops", "billimek/k8s-gitops", "charts/app-template", "flux-system"],
  ["fluxcd+flux2-kustomize-helm-example", "fluxcd/flux2-kustomize-helm-example"],
  ["argoproj+argocd-example-apps", "argoproj/argocd-example-apps"],
  ["argoproj+argo-cd", "argoproj/argo-cd"],
];

/** A repository of a test whose programs have a home of their own, so that nothing of theirs is committed. */
function withHome(worktree: Repository): Repository {
  return { ...worktree, env: { ...worktree.env, HOME: temporaryFolder() } };
}

function copyOf(folder: string, remote: string): Repository {
  const worktree = withHome(repository({ ".copied": "" }));
  for (const path of filesOf(folder)) {
    mkdirSync(dirname(join(worktree.folder, path)), { recursive: true });
    cpSync(join(folder, path), join(worktree.folder, path), { verbatimSymlinks: true });
  }
  for (const args of [
    ["add", "--all", "--force"],
    ["remote", "add", "origin", `https://github.com/${remote}.git`],
  ])
    assert.equal(spawnSync("git", args, { cwd: worktree.folder, env: worktree.env }).status, 0);
  worktree.commit("copied", { ".copied": "from a checkout\n" });
  return worktree;
}

function planned(worktree: Repository, ...args: readonly string[]): PlanJson {
  const { status, stdout, stderr } = rollstamp(worktree, "plan", "-o", "json", ...args);
  assert.ok(status === 0 || status === 1, stderr);
  const report: PlanJson = JSON.parse(stdout);
  return report;
}

/** A workload's plan as text, without whose application it and its findings are, and whether anything applies that. */
const shown = (workload: WorkloadJson): string =>
  JSON.stringify(workload, (key, value: unknown) => {
    if (key === "application" || key === "orphan") return undefined;
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value;
  });

type Causes = Record<string, { readonly workloads: number; readonly pods: number }>;

/** The causes of several plans, each with what it comes to in all of them. */
function causesOf(reports: readonly Pick<PlanJson, "causes">[]): Causes {
  const sums: Causes = {};
  for (const { workloads, pods, ...cause } of reports.flatMap(({ causes }) => causes)) {
    const key = JSON.stringify(cause);
    const before = sums[key] ?? { workloads: 0, pods: 0 };
    sums[key] = { workloads: before.workloads + workloads, pods: before.pods + pods };
  }
  return Object.fromEntries(Object.entries(sums).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

const seconds = (since: number): string => `${((performance.now() - since) / 1000).toFixed(1)} s`;

/** Holds one plan against what a person does with each application. */
function equalsByHand(t: TestContext, worktree: Repository, report: PlanJson, applications: readonly Listed[]): void {
  const since = performance.now();
  const checkedOut = checkouts(worktree, "HEAD~1", "HEAD", applications);
  const status = statuses(report);
  const next = numbers(SEED);
  const touched = applications.filter(({ name }) => (status[name] ?? "NotAffected") !== "NotAffected");
  const others = applications.filter((one) => !touched.includes(one));
  while (others.length > OTHERS) others.splice(next(others.length), 1);
  const files = applications.filter(({ kind }) => kind === "Files").length;
  const results: { readonly name: string; readonly result: ByHand }[] = [...touched, ...others].map((one) => ({
    name: one.name,
    result: byHand(worktree, one, checkedOut, files),
  }));
  for (const { name, result } of results) {
    if (result.is === "left out") continue;
    const was = status[name] ?? "not in the plan";
    if (result.is === "failed") {
      assert.ok(was === "Failed" || was === "NotAffected", `${name} is ${was}, and fails by hand: ${result.words}`);
      continue;
    }
    const message = report.applications?.find((one) => one.name === name)?.message ?? "";
    assert.notEqual(was, "Failed", `${name} comes out by hand, and fails: ${message}`);
    assert.deepEqual(
      report.workloads
        .filter(({ application }) => application === name)
        .map(shown)
        .sort(),
      result.workloads.map(shown).sort(),
      name,
    );
    if (result.differs === false) assert.notEqual(was, "Changed", `${name} is the same by hand`);
    else if (result.differs === true || result.workloads.length > 0) assert.equal(was, "Changed", name);
  }
  const orphans = new Set(report.applications?.filter(({ orphan }) => orphan === true).map(({ name }) => name));
  const plans = results.flatMap(({ name, result }) => (result.is === "planned" && !orphans.has(name) ? [result] : []));
  const out = results.flatMap(({ name, result }) =>
    result.is === "left out" ? [{ because: result.because, isTouched: touched.some((one) => one.name === name) }] : [],
  );
  if (!out.some(({ isTouched }) => isTouched)) assert.deepEqual(causesOf([report]), causesOf(plans));
  const failed = results.filter(({ result }) => result.is === "failed").length;
  t.diagnostic(
    `by hand: ${plans.length} planned, ${failed} fail, ${out.length} left out (${out.filter(({ isTouched }) => isTouched).length} of them touched: ${[...new Set(out.filter(({ isTouched }) => isTouched).map(({ because }) => because))].join(", ")}), ${seconds(since)}`,
  );
}

/** Holds it against the plan for which all were rendered. */
function equalsAll(report: PlanJson, all: PlanJson): void {
  const failed = ({ applications = [] }: PlanJson): string[] =>
    applications.filter(({ status }) => status === "Failed").map(({ name }) => name);
  const [few, more] = [failed(report), failed(all)];
  assert.deepEqual(
    few.filter((name) => !more.includes(name)),
    [],
  );
  for (const field of ["causes", "workloads", "exceeded"] as const) assert.deepEqual(report[field], all[field], field);
  // Applications that fail in both revisions are listed only with --all-apps, and are a danger there.
  if (few.length === more.length) assert.deepEqual(report.verdict, all.verdict);
  const before = statuses(report);
  for (const [name, status] of Object.entries(statuses(all))) {
    if (status === before[name]) continue;
    assert.equal(before[name], "NotAffected", name);
    assert.ok(status === "Unchanged" || status === "Failed", `${name}: ${status}`);
  }
  assert.deepEqual(Object.keys(before).sort(), Object.keys(statuses(all)).sort());
}

/** Holds it against the parts of three machines. */
function equalsParts(worktree: Repository, range: string, whole: PlanJson, cache: string): void {
  const folder = temporaryFolder();
  const parts = [1, 2, 3].map((n) => {
    const file = join(folder, `${n}.json`);
    writeFileSync(
      file,
      JSON.stringify(planned(worktree, "--as", "stamped", "--git", range, "--cache", cache, "--shard", `${n}/3`)),
    );
    return file;
  });
  assert.deepEqual(planned(worktree, "--merge", ...parts), whole);
}

/** All three, for one commit over another. */
function checkPlan(t: TestContext, worktree: Repository, cache: string, applications: readonly Listed[]): PlanJson {
  const since = performance.now();
  const range = "HEAD~1..HEAD";
  const report = planned(worktree, "--as", "stamped", "--git", range);
  const took = seconds(since);
  const counts: Record<string, number> = {};
  for (const status of Object.values(statuses(report))) counts[status] = (counts[status] ?? 0) + 1;
  t.diagnostic(`plan: ${JSON.stringify(counts)}, ${report.workloads.length} workloads, ${took}`);
  for (const { name, status, message = "" } of report.applications ?? [])
    if (status === "Failed") t.diagnostic(`failed: ${name}: ${message.slice(0, 200)}`);
  equalsByHand(t, worktree, report, applications);
  const later = performance.now();
  equalsAll(report, planned(worktree, "--as", "stamped", "--git", range, "--all-apps", "--cache", cache));
  t.diagnostic(`--all-apps: ${seconds(later)}`);
  const last = performance.now();
  equalsParts(worktree, range, report, cache);
  t.diagnostic(`three parts: ${seconds(last)}`);
  return report;
}

describe("one plan of a public repository equals the plans of its applications", { skip: missing }, () => {
  for (const [name, remote, charts, source = ""] of PUBLIC) {
    const folder = join(REPOSITORIES ?? "", name);
    const isThere = REPOSITORIES !== undefined && existsSync(folder);
    it(name, { skip: isThere ? false : `${name} is not in ROLLSTAMP_REPOSITORIES` }, async (t) => {
      const worktree = copyOf(folder, remote);
      const copies = charts === undefined ? {} : vendored(worktree.folder, REPOSITORIES ?? "", charts, source);
      if (Object.keys(copies).length > 0) worktree.commit("vendored", copies);
      const applications = listed(worktree);
      const cache = join(temporaryFolder(), "cache");
      const edits = seededEdits(worktree.folder, filesOf(worktree.folder), SEED, EDITS);
      assert.ok(edits.length > 0);
      if (edits.length < EDITS) t.diagnostic(`only ${edits.length} edits: there are no more places for one`);
      for (const [i, { what, path, files, shared }] of edits.entries()) {
        worktree.commit(`edit-${i}`, files);
        await t.test(`${what} in ${path}, which ${shared} kustomizations include`, (each) => {
          checkPlan(each, worktree, cache, applications);
        });
      }
    });
  }
});

const overlay = (namespace: string): string => `namespace: ${namespace}\nresources: [../../base]\n`;

const SMALL: Files = {
  "base/kustomization.yaml": "resources: [web.yaml]\nconfigMapGenerator:\n- name: env\n  literals: [value=plain]\n",
  "base/web.yaml": deployment("web", "env"),
  "overlays/dev/kustomization.yaml": overlay("dev"),
  "overlays/stage/kustomization.yaml": overlay("stage"),
  "overlays/prod/kustomization.yaml": overlay("prod"),
  "other/kustomization.yaml": "resources: [other.yaml]\n",
  "other/other.yaml": `${deployment("other", "other-env")}---\n${configMap("other-env", "a")}`,
  "absent/kustomization.yaml": "resources: [nowhere.yaml]\n",
  "chart/Chart.yaml": "apiVersion: v2\nname: chart\nversion: 1.0.0\n",
  "chart/values.yaml": "level: info\n",
  "chart/templates/all.yaml": `${deployment("api", "api-env")}---\n${configMap("api-env", "x").replace('"x"', "{{ .Values.level | quote }}")}`,
  "flux/app/kustomization.yaml": "resources: [../../base]\nnamePrefix: flux-\n",
  "clusters/one/app.yaml":
    "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: app, namespace: flux-system}\nspec:\n  path: ./flux/app\n  prune: true\n  targetNamespace: flux\n  sourceRef: {kind: GitRepository, name: flux-system}\n  postBuild:\n    substitute:\n      LEVEL: info\n",
  "argo/kustomization.yaml": "resources: [../base]\n",
  "clusters/two/app.yaml":
    "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: shop}\nspec:\n  source: {repoURL: https://example.com/repo.git, path: argo, kustomize: {namePrefix: argo-}}\n  destination: {name: two, namespace: shop}\n",
};

const CHANGES: readonly { readonly what: string; readonly files: Files; readonly rolls: readonly string[] }[] = [
  {
    what: "a ConfigMap's generator in the base",
    files: { "base/kustomization.yaml": SMALL["base/kustomization.yaml"]?.replace("plain", "other") ?? "" },
    rolls: ["app", "overlays/dev", "overlays/prod", "overlays/stage", "shop"],
  },
  {
    what: "an image in the base",
    files: { "base/web.yaml": deployment("web", "env").replace(/image: (\S+)/u, "image: other:2") },
    rolls: ["app", "overlays/dev", "overlays/prod", "overlays/stage", "shop"],
  },
  { what: "a chart's values", files: { "chart/values.yaml": "level: debug\n" }, rolls: ["chart"] },
  {
    what: "nothing that rolls",
    files: { "clusters/one/app.yaml": SMALL["clusters/one/app.yaml"]?.replace("LEVEL: info", "LEVEL: debug") ?? "" },
    rolls: [],
  },
];

describe("one plan of a repository equals the plans of its applications", { skip: missing }, () => {
  it("over a base that kustomizations, Flux and Argo CD share, and a chart", async (t) => {
    const worktree = withHome(repository(SMALL));
    const applications = listed(worktree);
    const cache = join(temporaryFolder(), "cache");
    for (const [i, { what, files, rolls }] of CHANGES.entries()) {
      worktree.commit(`change-${i}`, files);
      await t.test(what, (each) => {
        const { workloads } = checkPlan(each, worktree, cache, applications);
        assert.deepEqual(
          workloads.map(({ application, action }) => `${application} ${action}`).sort(),
          rolls.map((name) => `${name} Roll`),
        );
      });
    }
  });
});
