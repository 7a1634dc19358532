import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { cli } from "../support/cli.ts";
import { inFolder, type Files } from "../support/folders.ts";
import { configMap, deployment, STAMP_OF_A } from "../support/manifests.ts";

const marked = deployment("web", "settings").replace(
  "  name: web\n",
  '  name: web\n  annotations:\n    reloader.stakater.com/auto: "true" # by Reloader\n',
);
const APP: Files = { "web.yaml": marked, "settings.yaml": configMap("settings", "a") };

/** A patch without a type. */
const PATCH = 'metadata:\n  name: web\n  annotations:\n    reloader.stakater.com/auto: "true"\n';

describe("rollstamp migrate", () => {
  it("reports today's and the new annotations, and writes nothing", () =>
    inFolder(APP, async (folder) => {
      const { status, stdout, stderr } = await cli(["migrate", folder]);
      assert.deepEqual([status, stderr], [0, ""]);
      assert.equal(
        stdout.replaceAll(`${folder}/`, ""),
        `Deployment web  web.yaml:1:1
  today  Reloader: reloader.stakater.com/auto: "true"
         rolled by ConfigMap settings
  then   rollstamp.dev/stamp: "true"
         rolled by the same sources

1 workload: 1 rolled by the same sources as today.
Set 'selection: Annotated' in rollstamp.yaml or in the function's configuration. Without it, every workload is stamped.
The first stamps roll out each of these workloads once. Remove them from the old controller in the same commit: otherwise both roll them out.
Nothing was written. --write replaces these annotations with those of rollstamp.
`,
      );
      assert.equal(readFileSync(join(folder, "web.yaml"), "utf8"), marked);
    }));
  it("replaces the annotations with --write, so that stamp uses them", () =>
    inFolder(
      {
        ...APP,
        "rollstamp.yaml": "apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\nspec: {selection: Annotated}\n",
      },
      async (folder) => {
        const { status, stderr } = await cli(["migrate", "--write", folder]);
        assert.deepEqual([status, stderr], [0, `${join(folder, "web.yaml")}\n`]);
        const text = readFileSync(join(folder, "web.yaml"), "utf8");
        assert.match(text, /annotations:\n {4}rollstamp\.dev\/stamp: "true"\n/u);
        assert.doesNotMatch(text, /stakater/u);
        assert.equal((await cli(["stamp", folder])).status, 0);
        assert.ok(readFileSync(join(folder, "web.yaml"), "utf8").includes(STAMP_OF_A));
        assert.match(
          (await cli(["migrate", folder])).stdout,
          /^No annotations of Reloader or Wave and no chart checksums found/u,
        );
      },
    ));
  it("prints the changes of --write with --diff", () =>
    inFolder(APP, async (folder) => {
      const { status, stdout } = await cli(["migrate", "--diff", folder]);
      assert.equal(status, 0);
      assert.match(
        stdout,
        /^diff --git [^]*\n-\s+reloader\.stakater\.com\/auto: "true" # by Reloader\n\+\s+rollstamp\.dev\/stamp: "true"\n/u,
      );
    }));
  it("lists the checksum lines of a chart, and what replaces them", () =>
    inFolder(
      {
        "web/Chart.yaml": "name: web\n",
        "web/templates/a.yaml":
          'kind: Deployment\nx:\n  checksum/config: {{ include (print $.Template.BasePath "/configmap.yaml") . | sha256sum }}\n',
      },
      async (folder) => {
        const { stdout } = await cli(["migrate", folder]);
        assert.match(
          stdout,
          /^Helm template {2}.*web\/templates\/a\.yaml:3\n {2}today {2}Helm: checksum\/config, a digest of the rendered \/configmap\.yaml/u,
        );
        assert.match(stdout, /post-renderer/u);
      },
    ));
  it("reads a base and its patches, and several environments", () =>
    inFolder(
      {
        "base/kustomization.yaml": "resources: [web.yaml]\n",
        "base/web.yaml": marked,
        "base/patch.yaml":
          "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {template: {spec: {containers: []}}}\n",
        "prod/web.yaml": marked,
        "prod/settings.yaml": configMap("settings", "b"),
      },
      async (folder) => {
        const { status, stdout } = await cli(["migrate", folder]);
        assert.equal(status, 0);
        assert.match(stdout, /^2 workloads: 2 rolled by the same sources/mu);
      },
    ));
  for (const { what, patch } of [
    { what: "without a spec", patch: "apiVersion: apps/v1\nkind: Deployment\n" },
    { what: "without apiVersion and kind", patch: "" },
  ]) {
    it(`lists a patch ${what}, and ends with status 1 if it writes`, () =>
      inFolder(
        {
          "base/kustomization.yaml":
            "resources: [web.yaml]\npatches: [{path: patch.yaml, target: {kind: Deployment}}]\n",
          "base/web.yaml": marked,
          "base/settings.yaml": configMap("settings", "b"),
          "base/patch.yaml": `${patch}${PATCH}`,
        },
        async (folder) => {
          const line = patch === "" ? 4 : 6;
          const listed = new RegExp(
            `base/patch\\.yaml:${line} {2}Reloader: reloader\\.stakater\\.com/auto: "true"`,
            "u",
          );
          for (const [options, expected] of [
            [[], 0],
            [["--write"], 1],
          ] as const) {
            const { status, stdout } = await cli(["migrate", ...options, folder]);
            assert.equal(status, expected);
            assert.match(stdout, listed);
          }
        },
      ));
  }
  it("lists a line of a values file once, and its status is 0", () =>
    inFolder(
      {
        "web/Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\n",
        "web/values.yaml": 'podAnnotations:\n  reloader.stakater.com/auto: "true"\n',
      },
      async (folder) => {
        const { status, stdout } = await cli(["migrate", "--write", folder]);
        assert.equal(status, 0);
        assert.equal(stdout.split("web/values.yaml:2").length, 2);
      },
    ));
  it("names what it can't read, and lists patches, if there is nothing else", () =>
    inFolder(
      { "broken/a.yaml": `${configMap("x", "y")}  z: [\n`, "patch/a.yaml": `kind: X\n${PATCH}` },
      async (folder) => {
        const broken = await cli(["migrate", join(folder, "broken")]);
        assert.equal(broken.status, 1);
        assert.match(broken.stderr, /broken\/a\.yaml:\d+:\d+: /u);
        const patches = await cli(["migrate", join(folder, "patch")]);
        assert.equal(patches.status, 0);
        assert.match(patches.stdout, /patch\/a\.yaml:5 {2}Reloader/u);
      },
    ));
  it("writes nothing if a named file is invalid", () =>
    inFolder({ ...APP, "broken.yaml": `${configMap("x", "y")}  z: [\n` }, async (folder) => {
      const { status, stdout } = await cli(["migrate", "--write", folder, join(folder, "broken.yaml")]);
      assert.deepEqual([status, stdout], [2, ""]);
      assert.equal(readFileSync(join(folder, "web.yaml"), "utf8"), marked);
    }));
});
