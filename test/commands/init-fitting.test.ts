// `rollstamp init` without a host, `init flux`, and what is a helmfile.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { looksLikeHelmfile } from "../../src/base/hosts/helmfile.ts";
import { cli, type CliResult } from "../support/cli.ts";
import { inFolder, type Files } from "../support/folders.ts";
import { configMap, deployment } from "../support/manifests.ts";

const GIT = { ".git/HEAD": "ref: refs/heads/main\n" };
const OVERLAY = { "kustomization.yaml": "resources: [web.yaml]\n", "web.yaml": deployment("web", "env") };
const CHART = "apiVersion: v2\nname: web\nversion: 1.0.0\n";
const KS =
  "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: apps}\nspec: {path: ./apps}\n";
const APPLICATION =
  "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: web}\nspec:\n  source: {path: web}\n";
const HELMFILE = "repositories: []\nreleases:\n  - name: web\n    chart: ./web\n";

const below = (folder: string, files: Files): Files =>
  Object.fromEntries(Object.entries(files).map(([path, text]) => [join(folder, path), text]));

/** A release of a chart whose values rollstamp knows. */
const release = (
  name: string,
  secret: string,
  annotations: string = "",
): string => `apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata:
  name: ${name}${annotations}
spec:
  chart:
    spec: {chart: app-template, version: 3.7.3, sourceRef: {kind: HelmRepository, name: bjw-s}}
  values:
    controllers:
      main:
        containers:
          main:
            envFrom: [{secretRef: {name: ${secret}}}]
`;
const secretOf = (name: string): string =>
  `apiVersion: v1\nkind: Secret\nmetadata: {name: ${name}}\nstringData: {a: b}\n`;

async function inside(files: Files, run: () => Promise<void>): Promise<void> {
  const before = process.cwd();
  await inFolder({ ...GIT, ...files }, async (folder) => {
    process.chdir(folder);
    try {
      await run();
    } finally {
      process.chdir(before);
    }
  });
}

const written = ({ stderr }: CliResult): string | undefined => /^ {2}To write it: (.*)$/mu.exec(stderr)?.[1];

describe("rollstamp init without a host", () => {
  const FITTING: readonly (readonly [string, Files, RegExp, string | undefined])[] = [
    ["Argo CD", { ...below("web", OVERLAY), "argo/web.yaml": APPLICATION }, /Argo CD applies it: 1 /u, "argocd argo"],
    [
      "Flux",
      { "flux/ks.yaml": KS, "apps/release.yaml": release("web", "web"), "apps/secret.yaml": secretOf("web") },
      /Flux applies it: 1 Flux Kustomization and 1 HelmRelease\n/u,
      "flux",
    ],
    [
      "a helmfile",
      { "deploy/releases.yaml": HELMFILE },
      /helmfile releases it: deploy\/releases\.yaml/u,
      "helm deploy",
    ],
    [
      "kpt",
      { "packages/web/Kptfile": "kind: Kptfile\n" },
      /kpt renders it: packages\/web\/Kptfile/u,
      "kpt packages/web",
    ],
    [
      "kustomize",
      { ...below("a/prod", OVERLAY), ...below("a/dev", OVERLAY) },
      /kustomize builds it: 2 outermost kustomizations \(a\/dev, a\/prod\); each of them needs this command once/u,
      "kustomize a/dev",
    ],
    [
      "Helm",
      { "charts/api/Chart.yaml": CHART, "charts/web/Chart.yaml": CHART },
      /Helm renders it: 2 charts \(charts\/api, charts\/web\); each of them needs this command once/u,
      "helm charts/api",
    ],
    [
      "Helm, with an example of kustomize in the chart",
      { "charts/web/Chart.yaml": CHART, ...below("charts/web/examples/prod", OVERLAY) },
      /Helm renders it: 1 chart \(charts\/web\)/u,
      "helm charts/web",
    ],
    ["plain manifests", { "web.yaml": deployment("web", "env") }, /1 workload in plain files/u, undefined],
  ];
  for (const [name, files, why, command] of FITTING)
    it(`says which path fits and why, and writes it with --write: ${name}`, () =>
      inside(files, async () => {
        const shown = await cli(["init"]);
        assert.equal(shown.status, 0, shown.stderr);
        assert.match(shown.stderr, why);
        assert.equal(written(shown), command === undefined ? undefined : `rollstamp init ${command} --write`);
        const done = await cli(["init", "--write"]);
        assert.deepEqual([done.status, done.stdout], [0, shown.stdout], done.stderr);
        assert.match(done.stderr, /The first stamps restart their pods once/u);
        assert.equal((await cli(["init", "--write"])).status, 0);
      }));

  it("takes the next chart after the first", () =>
    inside({ "charts/api/Chart.yaml": CHART, "charts/web/Chart.yaml": CHART }, async () => {
      await cli(["init", "--write"]);
      assert.equal(written(await cli(["init"])), "rollstamp init helm charts/web --write");
    }));

  it("takes the next overlay after the first", () =>
    inside({ ...below("a/prod", OVERLAY), ...below("a/dev", OVERLAY) }, async () => {
      await cli(["init", "--write"]);
      assert.equal(written(await cli(["init"])), "rollstamp init kustomize a/prod --write");
    }));

  it("is an error if nothing could be stamped", () =>
    inside({ "a.yaml": configMap("a", "a") }, async () => {
      const { status, stderr } = await cli(["init"]);
      assert.equal(status, 2);
      assert.match(stderr, /nothing was found here that could be stamped\n {2}Run it in/u);
    }));

  it("names the overlays if the folder has no kustomization", () =>
    inside(below("a/dev", OVERLAY), async () => {
      assert.match((await cli(["init", "kustomize"])).stderr, /\n {2}Use .*: rollstamp init kustomize a\/dev\n/u);
    }));
});

describe("rollstamp init flux", () => {
  const APPS: Files = {
    "kubernetes/apps/web/kustomization.yaml": "resources: [release.yaml, secret.yaml]\n",
    "kubernetes/apps/web/release.yaml": release("web", "web"),
    "kubernetes/apps/web/secret.yaml": secretOf("web"),
    "kubernetes/apps/api/release.yaml": release("api", "api"),
    "kubernetes/apps/api/secret.yaml": secretOf("api"),
    "kubernetes/apps/none/release.yaml": release("none", "elsewhere"),
    "kubernetes/apps/out/release.yaml": release("out", "out", '\n  annotations: {rollstamp.dev/stamp: "false"}'),
    "kubernetes/apps/out/secret.yaml": secretOf("out"),
  };

  it("opts in the HelmReleases that get stamps, and no other", () =>
    inside(APPS, async () => {
      const { status, stderr } = await cli(["init", "flux", "--write"]);
      assert.equal(status, 0, stderr);
      assert.match(stderr, /2 of 4 HelmReleases use ConfigMaps or Secrets of their folder/u);
      for (const [path, text] of Object.entries(APPS)) {
        const name = path.split("/").at(-2) ?? "";
        const isOptedIn = path.endsWith("release.yaml") && ["web", "api"].includes(name);
        const after = text.replace("metadata:\n", 'metadata:\n  annotations:\n    rollstamp.dev/stamp: "true"\n');
        assert.equal(readFileSync(path, "utf8"), isOptedIn ? after : text, path);
      }
      assert.match((await cli(["init", "flux"])).stderr, /the HelmReleases have opted in already/u);
    }));

  it("prints the command that stamps them, which runs as it is, in any folder", () =>
    inside(APPS, async () => {
      process.chdir("kubernetes");
      const { stderr } = await cli(["init", "flux", "--write"]);
      const [, command = ""] = /^ {2}Stamp them: rollstamp (.*)$/mu.exec(stderr) ?? [];
      assert.equal(command, "stamp --kustomize-input --scope directory apps");
      const stamped = await cli(command.split(" "));
      assert.deepEqual(stamped.stdout.split("\n").filter(Boolean), ["apps/api/release.yaml", "apps/web/release.yaml"]);
      assert.match(readFileSync("apps/web/release.yaml", "utf8"), /secret\.rollstamp\.dev\/web: "h1-/u);
    }));

  const IN_PARTS: Files = {
    ...APPS,
    "base/db/kustomization.yaml": "resources: [release.yaml, secret.yaml]\n",
    "base/db/release.yaml": release("db", "db"),
    "base/db/secret.yaml": secretOf("db"),
    "prod/db/kustomization.yaml": "resources: [../../base/db]\n",
    "plain/web.yaml": deployment("web", "env"),
    "flux/ks.yaml": KS,
  };
  const PARTS: readonly (readonly [string, string, readonly string[], RegExp])[] = [
    [".", "kubernetes/apps/web", ["kubernetes/apps/web"], /1 of 1 HelmRelease [^]*directory kubernetes\/apps\/web\n/u],
    ["kubernetes/apps/web", ".", ["kubernetes/apps/web"], /1 of 1 HelmRelease [^]*directory \.\n/u],
    [".", "prod", ["base/db"], /1 of 1 HelmRelease [^]*directory base\/db\n/u],
    [".", "kubernetes", ["kubernetes/apps/api", "kubernetes/apps/web"], /2 of 4 HelmReleases [^]*kubernetes\/apps\n/u],
    [".", "plain", [], /1 workload in plain files[^]*rollstamp stamp plain\n/u],
    [".", "flux", [], /no workload is in flux/u],
    [".", ".", ["base/db", "kubernetes/apps/api", "kubernetes/apps/web"], /3 of 5 HelmReleases/u],
  ];
  for (const [from, folder, edited, said] of PARTS)
    it(`honours the folder ${folder} from ${from}`, () =>
      inside(IN_PARTS, async () => {
        const root = process.cwd();
        process.chdir(from);
        const shown = await cli(["init", "flux", folder]);
        assert.equal(shown.stdout.match(/^\+ .*rollstamp\.dev\/stamp/gmu)?.length ?? 0, edited.length);
        const command = written(shown) ?? `rollstamp init flux ${folder}`;
        const { status, stderr } = await cli(command.split(" ").slice(1));
        assert.equal(status, 0, stderr);
        assert.match(stderr, said);
        const changed = Object.entries(IN_PARTS).filter(
          ([path, text]) => readFileSync(join(root, path), "utf8") !== text,
        );
        assert.deepEqual(changed.map(([path]) => dirname(path)).sort(), edited);
      }));

  it("stamps files if no release gets a stamp", () =>
    inside({ "flux/ks.yaml": KS, "apps/web.yaml": deployment("web", "env") }, async () => {
      const { status, stdout, stderr } = await cli(["init", "flux"]);
      assert.deepEqual([status, stdout], [0, ""]);
      assert.match(
        stderr,
        /1 workload in plain files[^]*nothing has to be set up\n {2}Stamp them: rollstamp stamp \.\n/u,
      );
    }));

  it("stamps files beside a kustomization that includes none of them, and no others", async () => {
    const beside = {
      "kustomization.yaml": "resources: [flux/ks.yaml]\n",
      "flux/ks.yaml": KS,
      "apps/web.yaml": deployment("web", "env"),
      "apps/env.yaml": configMap("env", "a"),
    };
    for (const folder of [".", "apps"])
      await inside(beside, async () => {
        const { stderr } = await cli(["init", "flux", folder]);
        const command = /^ {2}Stamp them: rollstamp (.*)$/mu.exec(stderr)?.[1] ?? stderr;
        assert.equal(command, `stamp --kustomize-input ${folder}`);
        assert.equal((await cli(command.split(" "))).stdout, "apps/web.yaml\n");
      });
    const built = { ...beside, "prod/kustomization.yaml": "resources: [../apps/web.yaml]\n" };
    await inside(built, async () => {
      assert.doesNotMatch((await cli(["init", "flux", "apps"])).stderr, /Stamp them/u);
    });
  });

  it("renders if kustomizations build the workloads, and only plans if nothing here does", async () => {
    await inside({ "flux/ks.yaml": KS, ...below("apps/prod", OVERLAY) }, async () => {
      const { stderr } = await cli(["init", "flux"]);
      assert.match(stderr, /\n {2}See the stamps: kustomize build apps\/prod \| rollstamp\n/u);
    });
    await inside({ "flux/ks.yaml": KS }, async () => {
      const { status, stderr } = await cli(["init", "flux"]);
      assert.equal(status, 0);
      assert.match(stderr, /nothing here can be stamped before Flux applies it/u);
    });
  });
});

describe("a helmfile", () => {
  for (const [text, isOne] of [
    [HELMFILE, true],
    ["releases:\n{{ range .Values.apps }}\n- name: {{ .name }}\n  chart: {{ .chart }}\n{{ end }}\n", true],
    ["releases: []\n", false],
    ["apiVersion: v1\nkind: X\nreleases:\n  - chart: a\n", false],
    ["releasesOf:\n  - chart: a\n", false],
  ] as const)
    it(`is known by its content: ${JSON.stringify(text)} ${String(isOne)}`, () =>
      assert.equal(looksLikeHelmfile(text), isOne));

  it("gets the post-renderer whatever its name is, and so does each in helmfile.d", () =>
    inside({ "prod.yaml": HELMFILE, "helmfile.d/a.yaml": HELMFILE, "values.yaml": "a: b\n" }, async () => {
      const { status, stderr } = await cli(["init", "helm", "--write"]);
      assert.equal(status, 0, stderr);
      for (const file of ["prod.yaml", "helmfile.d/a.yaml"])
        assert.equal(readFileSync(file, "utf8"), `${HELMFILE}helmDefaults:\n  postRenderer: rollstamp\n`);
      assert.match(stderr, /helmfile --file prod\.yaml template/u);
    }));
});
