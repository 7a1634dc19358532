import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { VERSION } from "../../src/base/version.ts";
import { cli } from "../support/cli.ts";
import { inFolder } from "../support/folders.ts";
import { configMap, deployment } from "../support/manifests.ts";
import { CASES, GIT, PLAIN, TRANSFORMER, changed, init } from "./init-cases.ts";

describe("rollstamp init", () => {
  for (const wiring of CASES) {
    it(`sets up ${wiring.host}: ${wiring.name}`, () =>
      inFolder(wiring.files, async (folder) => {
        const first = await init(folder, wiring);
        assert.equal(first.status, 0, first.stderr);
        assert.match(first.stdout, /^diff --git /u);
        assert.deepEqual(changed(folder, wiring.files, Object.keys(wiring.after)), wiring.after);
        const again = await init(folder, wiring);
        assert.deepEqual([again.status, again.stdout], [0, ""]);
        assert.match(again.stderr, /is set up already/u);
        assert.deepEqual(
          changed(folder, wiring.files, Object.keys(wiring.after)),
          wiring.after,
          "a second run changes something",
        );
      }));
  }
  it("sets up github: writes workflows at the root of the repository", () =>
    inFolder({ ...PLAIN, "deep/x": "" }, async (folder) => {
      const wiring = { host: "github", folder: "deep", args: ["--plan"] };
      assert.equal((await init(folder, wiring)).status, 0);
      const check = readFileSync(join(folder, ".github/workflows/rollstamp.yml"), "utf8");
      assert.match(
        check,
        new RegExp(
          `- run: npm install --global \\S+ \\S+ rollstamp@${VERSION}$[^]*^ +rollstamp stamp --check \\.$`,
          "mu",
        ),
      );
      const plan = readFileSync(join(folder, ".github/workflows/rollstamp-plan.yml"), "utf8");
      assert.match(plan, /rollstamp plan --git HEAD\^\.\.HEAD -o markdown /u);
      assert.match((await init(folder, wiring)).stderr, /github is set up already/u);
    }));
  it("changes nothing if the repository runs the Action already", () =>
    inFolder(
      { ...GIT, ".github/workflows/ci.yaml": "jobs: {a: {steps: [{uses: rollstamp/rollstamp@v0}]}}\n" },
      async (folder) => {
        assert.match((await init(folder, { host: "github" })).stderr, /github is set up already/u);
      },
    ));
  const WIRED = "resources: [../../base]\ntransformers: [stamp.yaml]\n";
  const BUILT = {
    ...GIT,
    "apps/base/kustomization.yaml": "resources: [web.yaml]\n",
    "apps/base/web.yaml": deployment("web", "settings"),
    "apps/overlays/prod/kustomization.yaml": WIRED,
    "apps/overlays/prod/stamp.yaml": TRANSFORMER,
    "apps/overlays/dev/kustomization.yaml": "resources: [../../base]\n",
    "a b/kustomization.yaml": "helmCharts: [{name: x}]\ntransformers: [stamp.yaml]\n",
    "a b/stamp.yaml": TRANSFORMER.replace("exec:\n        path: rollstamp", "container:\n        image: x"),
    "legacy/kustomization.yaml": "transformers: [stamp.yaml]\n",
    "legacy/stamp.yaml": "apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\nmetadata: {name: s}\n",
    "part/kustomization.yaml": "kind: Component\n",
    "chart/Chart.yaml": "apiVersion: v2\nname: web\nversion: 0.1.0\n",
    "chart/templates/web.yaml": deployment("web", "settings"),
    "apps/Chart.yaml": "apiVersion: v2\nname: apps\nversion: 0.1.0\n",
    "apps/templates/web.yaml": "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: web}\n",
    "umbrella/Chart.yaml": "apiVersion: v2\nname: umbrella\nversion: 0.1.0\ndependencies: [{name: web}]\n",
    "umbrella/templates/c.yaml": configMap("c", "a"),
    "flux/kustomization.yaml": "resources: [release.yaml]\n",
    "flux/release.yaml": "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: web}\n",
    "release.yaml": "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: web}\nspec: {}\n",
  };
  const COMMANDS = [
    "kustomize build --enable-alpha-plugins --enable-helm 'a b' | rollstamp stamp --check --require-stamps --config 'a b/stamp.yaml' -",
    "kustomize build --enable-alpha-plugins --enable-exec apps/overlays/prod | rollstamp stamp --check --require-stamps --config apps/overlays/prod/stamp.yaml -",
    "kustomize build --enable-alpha-plugins legacy | rollstamp stamp --check --require-stamps --config legacy/stamp.yaml -",
    "helm template release chart --dependency-update | rollstamp lint -",
    "helm template release umbrella --dependency-update | rollstamp lint -",
  ];
  for (const host of ["github", "gitlab", "pre-commit"]) {
    it(`sets up ${host}: checks renderings, and prints why and what stays unchecked`, () =>
      inFolder(BUILT, async (folder) => {
        const { status, stdout, stderr } = await init(folder, { host });
        assert.equal(status, 0, stderr);
        for (const command of COMMANDS)
          assert.ok(stdout.replaceAll("'\\''", "'").includes(`${command} || status=1`), `${command}\n${stdout}`);
        assert.match(stdout, /init kustomize-plugin/u);
        assert.doesNotMatch(stdout, /stamp --check \.|overlays\/dev|base|part/u);
        assert.match(stderr, /3 kustomizations with our transformer \(a b, apps\/overlays\/prod, legacy\)/u);
        assert.match(stderr, /2 charts \(chart, umbrella\): the output of Helm is linted/u);
        assert.match(stderr, /nothing to check: 1 chart without a workload \(apps\)/u);
        assert.match(stderr, /nothing to check: 1 kustomization without a workload \(flux\)/u);
        assert.doesNotMatch(stdout, /template release apps|build \S* ?flux/u);
        assert.match(
          stderr,
          /not checked: 1 kustomization without our transformer \(apps\/overlays\/dev\): run rollstamp init kustomize \S*apps\/overlays\/dev --write/u,
        );
        assert.match(stderr, /not checked: 1 HelmRelease/u);
      }));
    it(`sets up ${host}: writes nothing if nothing can be checked, and suggests what to do`, () =>
      inFolder(
        { ...GIT, "app/kustomization.yaml": "resources: [web.yaml]\n", "app/web.yaml": deployment("web", "x") },
        async (folder) => {
          const { status, stdout, stderr } = await init(folder, { host });
          assert.deepEqual([status, stdout], [2, ""]);
          assert.match(
            stderr,
            /nothing in this repository can be checked[^]*rollstamp init kustomize \S*app --write, then this command again/u,
          );
        },
      ));
  }
  it("sets up github: updates its own workflow, but not one that the user has changed", () =>
    inFolder(BUILT, async (folder) => {
      const path = join(folder, ".github/workflows/rollstamp.yml");
      assert.equal((await init(folder, { host: "github" })).status, 0);
      assert.doesNotMatch(readFileSync(path, "utf8"), /overlays\/dev/u);
      assert.equal((await init(folder, { host: "kustomize", folder: "apps/overlays/dev" })).status, 0);
      assert.match(
        (await init(folder, { host: "github" })).stdout,
        /^\+.*kustomize build \S+ \S+ apps\/overlays\/dev/mu,
      );
      writeFileSync(path, readFileSync(path, "utf8").replace("# Made by", "# Once made by"));
      assert.match((await init(folder, { host: "github" })).stderr, /set up already/u);
    }));
  it("sets up github: uses the largest scope without duplicate objects", () =>
    inFolder(
      {
        ...GIT,
        "a/web.yaml": deployment("web", "s"),
        "b/web.yaml": deployment("web", "s"),
        "b/c.yaml": configMap("s", "a"),
      },
      async (folder) => {
        const { stdout, stderr } = await init(folder, { host: "github" });
        assert.match(stdout, /^\+ +rollstamp stamp --check --scope directory \.$/mu);
        assert.match(stderr, /2 workloads in plain files: .*because an object is defined in more than one file/u);
      },
    ));
  it("prints a diff for git apply, including new files", () =>
    inFolder({ "kustomization.yaml": "resources: [a.yaml]\n" }, async (folder) => {
      execFileSync("git", ["init", "-q", folder]);
      const cwd = process.cwd();
      process.chdir(folder);
      try {
        const { stdout, stderr, status } = await cli(["init", "kustomize"]);
        assert.deepEqual(
          [status, stderr],
          [0, "rollstamp: nothing was written\n  To write it: rollstamp init kustomize --write\n"],
        );
        assert.deepEqual(
          [existsSync("stamp.yaml"), readFileSync("kustomization.yaml", "utf8")],
          [false, "resources: [a.yaml]\n"],
        );
        execFileSync("git", ["apply"], { input: stdout });
        assert.equal(readFileSync("stamp.yaml", "utf8"), TRANSFORMER);
      } finally {
        process.chdir(cwd);
      }
    }));
  for (const option of ["--write", "--yes", "-y"]) {
    it(`writes with ${option}`, () =>
      inFolder({ "kustomization.yaml": "resources: [a.yaml]\n" }, async (folder) => {
        assert.equal((await cli(["init", "kustomize", folder, option])).status, 0);
        assert.equal(readFileSync(join(folder, "stamp.yaml"), "utf8"), TRANSFORMER);
      }));
  }
  it("prints the command that writes, as it was given", () =>
    inFolder({ "a b/kustomization.yaml": "resources: [a.yaml]\n" }, async (folder) => {
      for (const terminal of [false, true]) {
        const shown = await cli(["init", "kustomize", join(folder, "a b"), "--plugin"], { terminal });
        assert.equal(shown.status, 0);
        const command = /^ {2}To write it: (.*)$/mu.exec(shown.stderr)?.[1];
        assert.equal(command, `rollstamp init kustomize '${join(folder, "a b")}' --plugin --write`);
        assert.ok(!existsSync(join(folder, "a b/stamp.yaml")));
      }
    }));
});

describe("the legacy plugin of kustomize", () => {
  it("has a script for each kind", () =>
    inFolder({}, async (folder) => {
      assert.equal((await init(folder, { host: "kustomize-plugin" })).status, 0);
      for (const kind of ["ConfigHash", "Restart", "RolloutLint"]) {
        const file = join(folder, "rollstamp.dev/v1alpha1", kind.toLowerCase(), kind);
        assert.equal(readFileSync(file, "utf8").split("\n").at(-2), 'exec rollstamp "$@"');
        assert.equal(statSync(file).mode & 0o111, 0o111);
      }
      assert.match((await init(folder, { host: "kustomize-plugin" })).stderr, /is set up already/u);
    }));
});
