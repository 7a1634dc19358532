import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { cli } from "../support/cli.ts";
import { inFolder, type Files } from "../support/folders.ts";
import { APPLICATION_TEMPLATE, GIT, TRANSFORMER, init } from "./init-cases.ts";

describe("what init reports", () => {
  it("warns that a base is the wrong folder", () =>
    inFolder(
      {
        ...GIT,
        "base/kustomization.yaml": "resources: [a.yaml]\n",
        "prod/kustomization.yaml": "resources:\n- ../base/\n",
        "dev/kustomization.yaml": "components: [../base]\n",
      },
      async (folder) => {
        const { stderr } = await init(folder, { host: "kustomize", folder: "base" });
        assert.match(
          stderr,
          /This folder is built into \.\.\/dev\/kustomization\.yaml and 1 more: use the outermost overlay instead/u,
        );
      },
    ));
  it("warns about a transformer after ours", () =>
    inFolder(
      { "kustomization.yaml": "transformers: [ours.yaml, b.yaml]\n", "ours.yaml": TRANSFORMER },
      async (folder) => {
        assert.match((await init(folder, { host: "kustomize" })).stderr, /set up already\n {2}List ours\.yaml last/u);
      },
    ));
  it("names the Applications that it does not change, and why", () =>
    inFolder(
      {
        "a.yaml":
          "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a}\nspec: {sources: [{path: a}]}\n---\napiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: b}\nspec: {source: {path: b, kustomize: {namePrefix: x}}}\n",
      },
      async (folder) => {
        const { stderr } = await init(folder, { host: "argocd" });
        assert.match(stderr, /Application a \(a\.yaml\) has no single source/u);
        assert.match(stderr, /Application b \(a\.yaml\) has 'kustomize', which Argo CD refuses beside a plugin/u);
      },
    ));
  for (const [source, isRefused] of [
    ["{path: b, kustomize: {namePrefix: x}}", true],
    ["{path: b, helm: {releaseName: x}}", true],
    ["{chart: web}", true],
    ["{path: b, plugin: {name: rollstamp}, kustomize: {namePrefix: x}}", false],
  ] as const)
    it(`says ${isRefused ? "that no Application can take the plugin" : "that Argo CD is set up"}: ${source}`, () =>
      inFolder(
        {
          "a.yaml": `apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a}\nspec: {source: ${source}}\n`,
        },
        async (folder) => {
          const { status, stderr } = await init(folder, { host: "argocd" });
          assert.equal(status, 0);
          assert.equal(/no Application here can take the plugin[^]*Stamp the manifests/u.test(stderr), isRefused);
          assert.equal(/set up already[^]*sidecar/u.test(stderr), !isRefused);
        },
      ));
  const remote = "dependencies: [{name: redis, version: 1.0.0, repository: https://charts.example.com}]\n";
  const chart = `apiVersion: v2\nname: web\nversion: 1.0.0\n${remote}`;
  const fetched = "resources: [https://github.com/example/base?ref=v1]\n";
  for (const [what, files, refusal] of [
    ["a chart without its dependencies", { "web/Chart.yaml": chart }, /a chart whose dependencies are not in/u],
    [
      "the same in requirements.yaml",
      { "web/Chart.yaml": "apiVersion: v1\nname: web\nversion: 1.0.0\n", "web/requirements.yaml": remote },
      /a chart whose dependencies are not in/u,
    ],
    ["a chart with its dependencies", { "web/Chart.yaml": chart, "web/charts/redis-1.0.0.tgz": "" }, undefined],
    [
      "a chart with another one in place of its dependency",
      { "web/Chart.yaml": chart, "web/charts/redisinsight/Chart.yaml": "" },
      /a chart whose dependencies are not in/u,
    ],
    ["a kustomization with a remote base", { "web/kustomization.yaml": fetched }, /remote bases/u],
    [
      "the same through a base",
      { "web/kustomization.yaml": "resources: [../base]\n", "base/kustomization.yaml": fetched },
      /remote bases/u,
    ],
    ...["crds: [ADDRESS]", "configurations: [ADDRESS]", "patches: [{path: ADDRESS}]", "generators: [ADDRESS]"].map(
      (field): [string, Files, RegExp] => [
        `a kustomization with remote ${field.split(":", 1)[0] ?? ""}`,
        { "web/kustomization.yaml": `${field.replace("ADDRESS", "https://example.com/a.yaml")}\n` },
        /remote bases/u,
      ],
    ),
    [
      "a kustomization with charts",
      { "web/kustomization.yaml": "helmCharts: [{name: redis, repo: https://charts.example.com}]\n" },
      /charts in its kustomization/u,
    ],
    [
      "a kustomization with the generator for a chart",
      {
        "web/kustomization.yaml": "generators: [chart.yaml]\n",
        "web/chart.yaml": "apiVersion: builtin\nkind: HelmChartInflationGenerator\nmetadata: {name: c}\nname: redis\n",
      },
      /charts in its kustomization/u,
    ],
    [
      "a kustomization that takes its transformers from a folder",
      { "web/kustomization.yaml": "transformers: [../labels]\n", "labels/kustomization.yaml": "resources: [a.yaml]\n" },
      undefined,
    ],
    [
      "a kustomization that runs a generator",
      {
        "web/kustomization.yaml": "resources: [../base]\n",
        "base/kustomization.yaml": "generators: [secrets.yaml]\n",
        "base/secrets.yaml": "apiVersion: viaduct.ai/v1\nkind: ksops\nmetadata: {name: secrets}\n",
      },
      /functions in its kustomization/u,
    ],
    [
      "a kustomization with functions of kustomize and of rollstamp",
      {
        "web/kustomization.yaml": "transformers: [label.yaml, stamp.yaml]\n",
        "web/label.yaml": "apiVersion: builtin\nkind: LabelTransformer\nmetadata: {name: l}\n",
        "web/stamp.yaml": TRANSFORMER,
      },
      undefined,
    ],
    ["a kustomization of files", { "web/kustomization.yaml": "resources: [a.yaml]\n" }, undefined],
    ["a folder that is not here", {}, undefined],
  ] as const)
    it(`${refusal === undefined ? "sets up" : "leaves"} an Application of ${what}`, () => {
      const application =
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: web}\nspec: {source: {path: web/}}\n";
      return inFolder({ ...files, "apps/web.yaml": application }, async (folder) => {
        const { stdout, stderr } = await init(folder, { host: "argocd" });
        assert.equal(stdout.includes("plugin"), refusal === undefined);
        if (refusal !== undefined) assert.match(stderr, refusal);
      });
    });
  it("says before anything is written what stays as it is, the same about several Applications once", () => {
    const application = (name: string): string =>
      `apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: ${name}}\nspec: {source: {path: a, helm: {releaseName: ${name}}}}\n`;
    const other =
      "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: d}\nspec: {source: {path: d}}\n";
    return inFolder({ "a.yaml": application("a"), "b.yaml": application("b"), "d.yaml": other }, async (folder) => {
      const { stderr } = await init(folder, { host: "argocd" }, []);
      assert.match(
        stderr,
        /^rollstamp: 2 Applications \(a\.yaml, b\.yaml\) have 'helm', which Argo CD refuses[^]*nothing was written/mu,
      );
    });
  });
  for (const [what, more, isChanged] of [
    ["without their dependencies", {}, false],
    ["with their dependencies", { "charts/web/charts/redis-1.0.0.tgz": "" }, true],
  ] as const)
    it(`${isChanged ? "sets up" : "leaves"} an ApplicationSet that makes Applications of charts ${what}`, () => {
      const set =
        "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: all}\nspec:\n  generators: [{git: {repoURL: https://example.com/shop, directories: [{path: charts/*}]}}]\n  template: {metadata: {name: '{{path.basename}}'}, spec: {source: {repoURL: https://example.com/shop, path: '{{path}}'}}}\n";
      return inFolder({ ...GIT, "charts/web/Chart.yaml": chart, "apps/set.yaml": set, ...more }, async (folder) => {
        const { stdout, stderr } = await init(folder, { host: "argocd", folder: "apps" });
        assert.equal(stdout.includes("plugin"), isChanged);
        assert.equal(/ApplicationSet all \(set\.yaml\) has a chart whose.*\(charts\/web\)/u.test(stderr), !isChanged);
      });
    });
  for (const [paths, isNamed] of [
    [".", true],
    ["/apps/web;../base", true],
    [".;/rollstamp.yaml", false],
    [".;../../rollstamp.yaml", false],
    ["/", false],
    ["", false],
  ] as const)
    for (const kind of ["Application", "ApplicationSet"])
      it(`${isNamed ? "names" : "accepts"} manifest-generate-paths of an ${kind}: ${JSON.stringify(paths)}`, () => {
        const metadata = `metadata: {name: web, annotations: {argocd.argoproj.io/manifest-generate-paths: "${paths}"}}`;
        const source = "spec: {source: {path: apps/web}}";
        const body = kind === "Application" ? `${metadata}\n${source}` : `spec: {template: {${metadata}, ${source}}}`;
        const text = `apiVersion: argoproj.io/v1alpha1\nkind: ${kind}\n${body}\n`;
        return inFolder({ "a.yaml": text }, async (folder) => {
          const { stdout, stderr } = await init(folder, { host: "argocd" });
          assert.match(stdout, /plugin: \{name: "rollstamp"\}/u);
          assert.equal(stderr.includes("add '/rollstamp.yaml' to it"), isNamed);
        });
      });
  it("names Applications that are templates, and sets up the others", () =>
    inFolder(
      {
        "all.yaml": APPLICATION_TEMPLATE,
        "web.yaml":
          "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: web}\nspec: {source: {path: web}}\n",
      },
      async (folder) => {
        const { stdout, stderr } = await init(folder, { host: "argocd" });
        assert.match(stdout, /web\.yaml/u);
        assert.match(stderr, /^rollstamp: 1 template \(all\.yaml\): add 'plugin/mu);
      },
    ));
  const refused: readonly (readonly [string, Files, RegExp])[] = [
    ["kustomize", {}, /no kustomization file found/u],
    ["kpt", {}, /no Kptfile found/u],
    ["argocd", {}, /no Application found/u],
    [
      "argocd",
      { "apps/templates/all.yaml": APPLICATION_TEMPLATE },
      /apps\/templates\/all\.yaml: these Applications are templates .*\n {2}Add it by hand/u,
    ],
    ["argocd", { "web.yaml": "apiVersion: argoproj.io/v1alpha1\nkind: [\n" }, /web\.yaml:3:1: /u],
    ["helm", {}, /no helmfile and no chart found/u],
    [
      "helm",
      { "helmfile.yaml": "releases: [{name: {{ .x }}}]\n" },
      /helmfile\.yaml: .*templates.*\n {2}Add it by hand/u,
    ],
    ["helm", { "helmfile.yaml": "helmDefaults: {postRenderer: ./own}\n" }, /helmfile\.yaml: .*another post-renderer/u],
    ["kustomize", { "kustomization.yaml": "resources: [\n" }, /kustomization\.yaml:2:1: .*\n {2}Fix the file first/u],
    ["kustomize", { "kustomization.yaml": "- a\n" }, /kustomization\.yaml:1:1: the file must be a mapping/u],
  ];
  for (const [host, files, message] of refused) {
    it(`fails if the host's file is missing or unusable: ${host} ${JSON.stringify(files)}`, () =>
      inFolder(files, async (folder) => {
        const { status, stderr } = await init(folder, { host });
        assert.equal(status, 2);
        assert.match(stderr, message);
      }));
  }
  it("lists the hosts", async () => {
    const { status, stderr } = await cli(["init", "jenkins"]);
    assert.equal(status, 2);
    assert.match(
      stderr,
      /Allowed choices are kustomize, kustomize-plugin, kpt, argocd, flux, helm, pre-commit, git, github, gitlab/u,
    );
  });
  it("fails if the folder does not exist", async () => {
    const { status, stderr } = await cli(["init", "kpt", "no-such-folder"]);
    assert.equal(status, 2);
    assert.match(stderr, /no-such-folder: folder not found/u);
  });
  it("fails for a file, with the command for its folder", () =>
    inFolder({ "apps/web.yaml": "" }, async (folder) => {
      const { status, stderr } = await cli(["init", "argocd", join(folder, "apps/web.yaml")]);
      assert.equal(status, 2);
      assert.match(stderr, /web\.yaml: not a folder\n.*rollstamp init argocd \S*\/apps\n/u);
    }));
});
