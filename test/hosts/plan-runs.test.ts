// Counts how often a plan over applications starts kustomize: unaffected applications cost nothing, nothing is rendered twice, and the base
// is cached. Seeded repositories are also planned with --all-apps. ROLLSTAMP_SEED is the first seed, ROLLSTAMP_SHAPES their number.
import assert from "node:assert/strict";
import { chmodSync, existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { PlanJson } from "../../src/output/plan-json.ts";
import { writeFiles, type Files } from "../support/folders.ts";
import { configMap, deployment } from "../support/manifests.ts";
import { KUSTOMIZE, missing, PATH, plan, repository, statuses, type Repository } from "./planned-repository.ts";
import { numbers } from "./seeded-edits.ts";
import { temporaryFolder } from "./trees.ts";

const SEED = Number(process.env["ROLLSTAMP_SEED"] ?? "1");
const SHAPES = Number(process.env["ROLLSTAMP_SHAPES"] ?? "4");

/** A repository in which each run of kustomize is counted. */
function counted(files: Files): { readonly repo: Repository; readonly runs: () => number } {
  const repo = repository(files);
  const folder = temporaryFolder();
  const count = join(folder, "count");
  const program = KUSTOMIZE.found ? KUSTOMIZE.path : "";
  writeFiles(folder, {
    "bin/kustomize": `#!/bin/sh\n[ "$1" = version ] || echo run >> '${count}'\nexec '${program}' "$@"\n`,
  });
  chmodSync(join(folder, "bin/kustomize"), 0o755);
  return {
    repo: { ...repo, env: { ...repo.env, PATH: `${join(folder, "bin")}:${PATH}` } },
    runs: () => {
      const all = existsSync(count) ? readFileSync(count, "utf8").trim().split("\n").length : 0;
      rmSync(count, { force: true });
      return all;
    },
  };
}

const flux = (name: string, spec: object): string =>
  `${JSON.stringify({
    apiVersion: "kustomize.toolkit.fluxcd.io/v1",
    kind: "Kustomization",
    metadata: { name, namespace: "flux-system" },
    spec: { interval: "1h", prune: true, sourceRef: { kind: "GitRepository", name: "flux-system" }, ...spec },
  })}\n`;
const release = (name: string, spec: object): string =>
  `${JSON.stringify({
    apiVersion: "helm.toolkit.fluxcd.io/v2",
    kind: "HelmRelease",
    metadata: { name },
    spec: {
      interval: "1h",
      chart: { spec: { chart: "./charts/web", sourceRef: { kind: "GitRepository", name: "flux-system" } } },
      ...spec,
    },
  })}\n`;
const CONTAINER = "/spec/template/spec/containers/0";
const patchOf = (kind: string, spec: object): object => {
  const apiVersion = kind === "HelmRelease" ? "helm.toolkit.fluxcd.io/v2" : "kustomize.toolkit.fluxcd.io/v1";
  const object = { apiVersion, kind, metadata: { name: "_" }, spec };
  return { patch: JSON.stringify(object), target: { kind } };
};
const DELETES_OLD = "$patch: delete\napiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: old}\n";
const CHART: Files = {
  "charts/web/Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\n",
  "charts/web/values.yaml": "level: info\nport: 80\n",
  "charts/web/templates/all.yaml": `${deployment("{{ .Release.Name }}", "{{ .Release.Name }}")}---\n${configMap("{{ .Release.Name }}", "{{ .Values.level }}")}---\n${service("{{ .Release.Name }}", "{{ .Values.port }}")}`,
};

/** What no workload takes anything from: where that changes, nobody looks for who uses it. */
function service(name: string, port: string): string {
  return `apiVersion: v1\nkind: Service\nmetadata: {name: "${name}"}\nspec: {ports: [{port: ${port}}]}\n`;
}

/** As many people have it: one Kustomization that patches others, each with a folder of a release. */
function home(names: readonly string[]): Files {
  const files: Record<string, string> = {
    ...CHART,
    "README.md": "a\n",
    "clusters/prod/flux-system/gotk-sync.yaml": "# written by flux bootstrap\n",
    "clusters/prod/apps.yaml": flux("apps", {
      path: "./apps",
      patches: [
        patchOf("Kustomization", { patches: [patchOf("HelmRelease", { install: { crds: "CreateReplace" } })] }),
      ],
    }),
    "components/shared/kustomization.yaml":
      "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nresources: [service.yaml]\n",
    "components/shared/service.yaml": service("shared", "80"),
    "apps/kustomization.yaml": JSON.stringify({ resources: names.map((name) => `${name}/ks.yaml`) }),
  };
  for (const [i, name] of names.entries()) {
    files[`apps/${name}/ks.yaml`] = flux(name, {
      path: `./apps/${name}/app`,
      targetNamespace: name,
      ...(i % 2 === 0 ? { components: ["../../../components/shared"] } : {}),
    });
    files[`apps/${name}/app/kustomization.yaml`] = "resources: [release.yaml]\n";
    files[`apps/${name}/app/release.yaml`] = release(`${name}-web`, { values: { level: "a" } });
  }
  return files;
}

const NAMES = ["a", "b", "c", "d", "e", "f"];

/** What a plan says of what differs. */
const said = ({ workloads, causes, applications = [] }: PlanJson): unknown => ({
  workloads,
  causes,
  applications: applications.filter(({ status }) => status === "Changed" || status === "Failed"),
});

describe("a plan starts kustomize", { skip: missing }, () => {
  it("for affected applications, and for discovery", () => {
    const { repo, runs } = counted(home(NAMES));
    const planned = (tag: string, files: Files): PlanJson => {
      repo.commit(tag, files);
      return plan(repo, "--git", `start..${tag}`).report;
    };
    const nothing = planned("nothing", { "README.md": "b\n" });
    assert.equal(runs(), 0, "what patches Kustomizations is predicted");
    const { report: all } = plan(repo, "--git", "start..nothing", "--all-apps");
    assert.equal(runs(), 1 + NAMES.length, "each once: both revisions have the same");
    const listed = ({ applications = [] }: PlanJson): string[] =>
      applications.map(({ name, path, kind, cluster = "" }) => `${name} ${path} ${kind} ${cluster}`).sort();
    assert.deepEqual(listed(nothing), listed(all));
    assert.ok(listed(nothing).includes("b apps/b/app Kustomize clusters/prod"), listed(nothing).join("\n"));

    const valuesEdited = planned("own", {
      "README.md": "a\n",
      "apps/a/app/release.yaml": release("a-web", { values: { level: "a", port: 81 } }),
    });
    assert.equal(runs(), 1 + 2);
    assert.equal(statuses(valuesEdited)["a-web"], "Changed");
    const component = planned("component", {
      "apps/a/app/release.yaml": release("a-web", { values: { level: "a" } }),
      "components/shared/service.yaml": service("shared", "81"),
    });
    const users = NAMES.length / 2;
    assert.equal(runs(), 1 + 2 * users);
    assert.deepEqual(Object.entries(statuses(component)).filter(([, status]) => status === "Changed").length, users);

    // Where a source changes, others of the cluster may name it: they are rendered once.
    planned("source", {
      "components/shared/service.yaml": service("shared", "80"),
      "apps/a/app/release.yaml": release("a-web", { values: { level: "b" } }),
    });
    assert.equal(runs(), 1 + 2 + (NAMES.length - 1));
  });

  it("only for others of the cluster that may name a changed source", () => {
    const app = (name: string, source: string, kustomization: object = {}, spec: object = {}): Files => ({
      [`clusters/prod/${name}.yaml`]: flux(name, { path: `./apps/${name}`, targetNamespace: "shop", ...spec }),
      [`apps/${name}/kustomization.yaml`]: JSON.stringify({ resources: ["all.yaml"], ...kustomization }),
      [`apps/${name}/all.yaml`]: deployment(name, source),
    });
    const substitute = (NAME: string): object => ({ postBuild: { substitute: { NAME } } });
    const naming = (value: string): object => ({
      patch: JSON.stringify([{ op: "replace", path: `${CONTAINER}/envFrom/0/configMapRef/name`, value }]),
      target: { kind: "Deployment" },
    });
    const settings = (value: string): Files => ({
      "apps/settings/kustomization.yaml": "resources: [map.yaml]\n",
      "apps/settings/map.yaml": configMap("settings", value),
    });
    const { repo, runs } = counted({
      "clusters/prod/flux-system/gotk-sync.yaml": "# written by flux bootstrap\n",
      "clusters/prod/settings.yaml": flux("settings", { path: "./apps/settings", targetNamespace: "shop" }),
      ...settings("a"),
      ...app("names", "settings"),
      ...app("other", "others"),
      ...app("variable", "${NAME}tings", {}, substitute("set")),
      ...app("filled", "${NAME}tings", {}, substitute("other")),
      ...app("default", "${UNSET:=set}tings", {}, substitute("other")),
      ...app("function", "${NAME,,}", {}, substitute("SETTINGS")),
      ...app("broken", '"set\\\n                  tings"'),
      ...app("fluxPatch", "others", {}, { ...substitute("set"), patches: [naming("${NAME}tings")] }),
      ...app("escaped", '"\\x73ettings"'),
      ...app("patch", "others", {}, { patches: [naming("settings")] }),
      ...app("prefix", "tings", { namePrefix: "set" }),
    });
    repo.commit("changed", settings("b"));
    const { report } = plan(repo, "--git", "start..changed");
    const named = ["names", "variable", "default", "function", "escaped", "broken", "patch", "fluxPatch"];
    assert.equal(runs(), 2 + named.length + 1, "of others only the one with a prefix, which may put a name together");
    const found = report.findings.find(({ id }) => id === "cross-application-change");
    assert.match(
      found?.message ?? "",
      /of the applications broken, default, escaped, fluxPatch, function and 3 more use it/u,
    );
    const { report: all } = plan(repo, "--git", "start..changed", "--all-apps");
    assert.deepEqual(all.findings, report.findings);
  });

  it("not for a cluster whose objects are patched and have variables, and once for a folder that it turns out to lead to", () => {
    const { repo, runs } = counted({
      "README.md": "a\n",
      ...CHART,
      "clusters/prod/sync.yaml": flux("flux-system", {
        path: "./clusters/prod",
        postBuild: { substitute: { ENVIRONMENT: "prod" } },
      }),
      "clusters/prod/kustomization.yaml": JSON.stringify({
        resources: ["../../apps/web.yaml"],
        patches: [
          {
            ...patchOf("Kustomization", { postBuild: { substitute: { ENVIRONMENT: "${ENVIRONMENT}" } } }),
            target: { kind: "Kustomization", annotationSelector: "patched != no" },
          },
        ],
      }),
      "apps/web.yaml": flux("web", { path: "./apps/${ENVIRONMENT}" }),
      "apps/prod/kustomization.yaml": "resources: [release.yaml]\nnamePrefix: x-\n",
      "apps/prod/release.yaml": release("web", {}),
    });
    repo.commit("nothing", { "README.md": "b\n" });
    const { report } = plan(repo, "--git", "start..nothing");
    assert.equal(runs(), 1, "as the cluster applies it");
    assert.deepEqual(statuses(report), { "flux-system": "NotAffected", web: "NotAffected", "x-web": "NotAffected" });
  });

  it("not for the values of releases that take them from their own application, also if other clusters have the same", () => {
    const { repo, runs } = counted({
      "README.md": "a\n",
      ...CHART,
      ...Object.fromEntries(
        ["dev", "prod"].flatMap((cluster) => [
          [`clusters/${cluster}/flux-system/gotk-sync.yaml`, "# written by flux bootstrap\n"],
          [`clusters/${cluster}/apps.yaml`, flux("apps", { path: `./apps/${cluster}` })],
          [
            `apps/${cluster}/kustomization.yaml`,
            JSON.stringify({
              resources: ["../base", "../old.yaml", "values.yaml"],
              patches: [{ patch: DELETES_OLD }],
            }),
          ],
          [`apps/${cluster}/values.yaml`, configMap("web-values", cluster)],
        ]),
      ),
      "apps/base/kustomization.yaml": "resources: [release.yaml]\n",
      "apps/base/release.yaml": release("web", {
        valuesFrom: [{ kind: "ConfigMap", name: "web-values", valuesKey: "value", targetPath: "level" }],
      }),
      "apps/old.yaml": release("old", {}),
    });
    repo.commit("nothing", { "README.md": "b\n" });
    const { report } = plan(repo, "--git", "start..nothing");
    assert.equal(runs(), 0);
    const { report: all } = plan(repo, "--git", "start..nothing", "--all-apps");
    const listed = ({ applications = [] }: PlanJson): string[] => applications.map(({ name }) => name).sort();
    assert.deepEqual(listed(report), listed(all));
    assert.ok(listed(all).includes("web@clusters/dev"), listed(all).join(" "));
  });

  it("for values that another application makes, if they or what takes them changes", () => {
    const valuesOf = (literal: string): Files => ({
      "apps/values/kustomization.yaml": JSON.stringify({
        namespace: "shop",
        generatorOptions: { disableNameSuffixHash: true },
        configMapGenerator: [{ name: "web-values", literals: [`value=${literal}`] }],
      }),
    });
    const releaseOf = (port: number): Files => ({
      "apps/web/release.yaml": release("web", {
        values: { port },
        valuesFrom: [{ kind: "ConfigMap", name: "web-values", valuesKey: "value", targetPath: "level" }],
      }),
    });
    const { repo, runs } = counted({
      ...CHART,
      "clusters/prod/flux-system/gotk-sync.yaml": "# written by flux bootstrap\n",
      "clusters/prod/values.yaml": flux("values", { path: "./apps/values" }),
      "clusters/prod/web.yaml": flux("web-release", { path: "./apps/web", targetNamespace: "shop" }),
      "clusters/prod/other.yaml": flux("other", { path: "./apps/other" }),
      "apps/web/kustomization.yaml": "resources: [release.yaml]\n",
      "apps/other/kustomization.yaml": "resources: [service.yaml]\n",
      "apps/other/service.yaml": service("other", "80"),
      ...valuesOf("a"),
      ...releaseOf(80),
    });
    const planned = (from: string, to: string, files: Files): PlanJson => {
      repo.commit(to, files);
      return plan(repo, "--git", `${from}..${to}`).report;
    };
    assert.equal(
      statuses(planned("start", "other", { "apps/other/service.yaml": service("other", "81") }))["web"],
      "NotAffected",
    );
    assert.equal(runs(), 2, "the one that changes, at both revisions");
    assert.equal(statuses(planned("other", "port", releaseOf(81)))["web"], "Changed");
    assert.equal(runs(), 2 + 1, "what shows the release, at both revisions, and what makes its values, once");
    assert.equal(statuses(planned("port", "value", valuesOf("b")))["web"], "Changed");
  });

  it("only for the head, with a cache of the base", () => {
    const { repo, runs } = counted(home(NAMES));
    const cache = join(temporaryFolder(), "cache");
    const release2 = (level: string): Files => ({
      "apps/a/app/release.yaml": release("a-web", { values: { level } }),
    });
    repo.commit("one", release2("b"));
    plan(repo, "--git", "start..one", "--cache", cache);
    runs();
    repo.commit("two", release2("c"));
    const { report } = plan(repo, "--git", "one..two", "--cache", cache);
    assert.equal(runs(), 1);
    assert.equal(statuses(report)["a-web"], "Changed");
    plan(repo, "--git", "one..two", "--cache", cache);
    assert.equal(runs(), 0);
  });

  it("with the same result as --all-apps, over generated repositories", (t) => {
    for (let seed = SEED; seed < SEED + SHAPES; seed += 1) {
      const next = numbers(seed);
      const files = shape(next);
      const { repo, runs } = counted(files);
      const { changed, what } = edited(files, next);
      repo.commit("edited", changed);
      const { report } = plan(repo, "--git", "start..edited");
      const few = runs();
      const { report: all } = plan(repo, "--git", "start..edited", "--all-apps");
      assert.deepEqual(said(report), said(all), `seed ${seed}: ${what}`);
      t.diagnostic(`seed ${seed}: ${few} of ${runs()} runs; ${what}`);
    }
  });
});

type Next = (below: number) => number;

/** Flux's Kustomizations of each other, with what changes objects on the way. */
function shape(next: Next): Files {
  const word = (): string => `v${next(9)}`;
  const maybe = <T extends object>(one: T): T | Record<string, never> => (next(3) === 0 ? one : {});
  const oneOf = <T>(all: readonly [T, ...T[]]): T => all[next(all.length)] ?? all[0];
  const names = Array.from({ length: 3 + next(3) }, (_, i) => `n${i}`);
  const files: Record<string, string> = {
    ...CHART,
    "clusters/prod/settings.yaml": configMap("settings", word()).replace(
      "metadata: {",
      "metadata: {namespace: flux-system, ",
    ),
    "components/shared/kustomization.yaml": JSON.stringify({
      apiVersion: "kustomize.config.k8s.io/v1alpha1",
      kind: "Component",
      patches: [oneOf([patchOf("HelmRelease", { timeout: "5m" }), patchOf("HelmRelease", { releaseName: word() })])],
    }),
    "apps/kustomization.yaml": JSON.stringify({
      resources: names.map((name) => `${name}/ks.yaml`),
      ...maybe({ namespace: "flux-system" }),
      ...maybe({ commonLabels: { a: word() } }),
    }),
    "clusters/prod/apps.yaml": flux("apps", {
      path: "./apps",
      ...maybe({ postBuild: { substitute: { A: word(), FOLDER: "app" } } }),
      ...maybe({
        patches: [
          patchOf(
            "Kustomization",
            oneOf<object>([
              { patches: [patchOf("HelmRelease", { values: { level: word() } })] },
              { postBuild: { substituteFrom: [{ kind: "ConfigMap", name: "settings" }] } },
              { postBuild: { substitute: { A: "${A:=x}" } } },
              { retryInterval: "1m" },
            ]),
          ),
        ],
      }),
    }),
  };
  for (const name of names) {
    files[`apps/${name}/ks.yaml`] = flux(name, {
      path: oneOf([`./apps/${name}/app`, `./apps/${name}/\${FOLDER:=app}`]),
      ...maybe({ targetNamespace: oneOf(["shop", "other"]) }),
      ...maybe({ components: ["../../../components/shared"] }),
      ...maybe({ namePrefix: "p-" }),
      ...maybe({ postBuild: { substitute: { A: word() } } }),
      ...maybe({ patches: [patchOf("HelmRelease", oneOf<object>([{ install: {} }, { values: { level: word() } }]))] }),
    });
    files[`apps/${name}/app/kustomization.yaml`] = JSON.stringify({
      resources: ["release.yaml", "all.yaml"],
      ...maybe({ namespace: "shop" }),
      ...maybe({
        configMapGenerator: [
          { name: "values", literals: [`values.yaml=level: ${word()}`], options: { disableNameSuffixHash: true } },
        ],
      }),
      ...maybe({ images: [{ name: "app", newTag: word() }] }),
      ...maybe({
        patches: [
          oneOf([
            patchOf("HelmRelease", { suspend: true }),
            patchOf("HelmRelease", { targetNamespace: word() }),
            patchOf("HelmRelease", { chart: { spec: { version: word() } } }),
          ]),
        ],
      }),
    });
    files[`apps/${name}/app/release.yaml`] = release(`${name}-web`, {
      values: { level: oneOf([word(), "${A:=x}"]) },
      ...maybe({ valuesFrom: [{ kind: "ConfigMap", name: "values", optional: true }] }),
    });
    files[`apps/${name}/app/all.yaml`] =
      `${deployment(name, `${name}-env`)}---\n${configMap(`${name}-env`, oneOf([word(), "${A:=x}"]))}`;
  }
  return files;
}

/** One word of a repository changed. */
function edited(files: Files, next: Next): { readonly changed: Files; readonly what: string } {
  const places = Object.entries(files).flatMap(([path, text]) =>
    typeof text === "string"
      ? [...text.matchAll(/v\d(?=")|\bv\d$|level: \w+/gmu)].map(({ index }) => ({ path, text, index }))
      : [],
  );
  const place = places[next(places.length)];
  assert.ok(place);
  const { path, text, index } = place;
  const [old = ""] = /^(?:level: )?\w+/u.exec(text.slice(index)) ?? [];
  const changed = `${text.slice(0, index)}${old}x${text.slice(index + old.length)}`;
  return { changed: { [path]: changed }, what: `${path}: ${old}` };
}
