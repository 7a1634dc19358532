import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { writeFiles } from "../support/folders.ts";
import { inRoot } from "../support/paths.ts";
import { copyCommand } from "../support/shipped.ts";
import { unstampedShop } from "../support/shop.ts";

// The command is a small file that loads others when they are needed (docs/why/decisions.md).
// scripts/single-file.mjs joins them for hosts that take a copy of a program.

const CONFIG_MAP = "{apiVersion: v1, kind: ConfigMap, metadata: {name: env}, data: {A: '1'}}";

const DEPLOYMENT = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata:
      labels: {app: web}
    spec:
      containers:
      - {name: web, image: "web:1", envFrom: [{configMapRef: {name: env}}]}
`;

const STREAM = `${CONFIG_MAP}\n---\n${DEPLOYMENT}`;

const INPUT = (functionConfig: string): string => `apiVersion: config.kubernetes.io/v1
kind: ResourceList
items:
- ${CONFIG_MAP}
- ${DEPLOYMENT.trim().replaceAll("\n", "\n  ")}
functionConfig: ${functionConfig}
`;

const RESTART =
  '{apiVersion: rollstamp.dev/v1alpha1, kind: Restart, spec: {at: "2026-01-02T03:04:05Z", targets: [{kind: Deployment, name: web}]}}';
const STAMP = /configmap\.rollstamp\.dev\/env: "h1-[0-9a-f]{40}"/u;

const folders: (() => void)[] = [];
after(() => {
  for (const remove of folders) remove();
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "rollstamp-bundles-"));
  folders.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The command in a folder of its own. */
function copiedFiles(): string {
  const folder = newFolder();
  copyCommand(folder);
  return join(folder, "rollstamp.cjs");
}

/** The command as one file, under the name that kustomize's plugin folder requires. */
function singleFile(): string {
  const file = join(newFolder(), "ConfigHash");
  const { status, stderr } = spawnSync(process.execPath, [inRoot("scripts", "single-file.mjs"), file], {
    encoding: "utf8",
  });
  assert.equal(status, 0, stderr);
  return file;
}

function run(
  file: string,
  input: string,
  args: readonly string[] = [],
  more: NodeJS.ProcessEnv = {},
): { status: number | null; stdout: string; stderr: string } {
  const env = { PATH: process.env["PATH"], ...more };
  const { status, stdout, stderr } = spawnSync(process.execPath, [file, ...args], { input, encoding: "utf8", env });
  return { status, stdout, stderr };
}

for (const [name, make] of [
  ["the files of the command", copiedFiles],
  ["the command as a single file", singleFile],
] as const) {
  describe(name, () => {
    let file = "";
    before(() => {
      file = make();
    });

    it("run each function that a functionConfig selects", () => {
      const kinds: readonly (readonly [string, RegExp])[] = [
        ["null", STAMP],
        ["{apiVersion: rollstamp.dev/v1alpha1, kind: ConfigHash}", STAMP],
        [RESTART, /2026-01-02T03:04:05Z"/u],
        ["{apiVersion: rollstamp.dev/v1alpha1, kind: RolloutLint, spec: {output: Empty}}", /^items: \[\]$/mu],
      ];
      for (const [config, expected] of kinds) {
        const { status, stdout, stderr } = run(file, INPUT(config));
        assert.equal(status, 0, stderr);
        assert.match(stdout, expected, config);
      }
    });

    it("report an error in the configuration of a function that is loaded late", () => {
      const { status, stderr } = run(
        file,
        INPUT("{apiVersion: rollstamp.dev/v1alpha1, kind: RolloutLint, spec: {outptu: Empty}}"),
      );
      assert.equal(status, 2);
      assert.match(
        stderr,
        /^rollstamp: error: stdin:\d+:\d+: unknown field 'spec\.outptu', did you mean 'output'\?\n/u,
      );
    });

    it("work as kustomize's legacy plugin", () => {
      const config = join(file, "..", "config.yaml");
      writeFileSync(config, "apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\nmetadata: {name: stamp}\n");
      const { status, stdout, stderr } = run(file, STREAM, [config], { KUSTOMIZE_PLUGIN_CONFIG_ROOT: "/config" });
      assert.equal(status, 0, stderr);
      assert.match(stdout, STAMP);
    });

    it("load the libraries that few runs need", () => {
      // RE2 for an expression of Reloader's.
      const reloader = STREAM.replace(
        "metadata: {name: web}",
        'metadata: {name: web, annotations: {configmap.reloader.stakater.com/reload: "oth(e|a)r"}}',
      );
      const config = join(file, "..", "config.yaml");
      writeFileSync(
        config,
        "{apiVersion: rollstamp.dev/v1alpha1, kind: ConfigHash, spec: {compat: [Reloader], missing: Ignore}}",
      );
      const compat = run(
        file,
        `${reloader}---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: other}, data: {B: "2"}}\n`,
        ["--config", config],
      );
      assert.equal(compat.status, 0, compat.stderr);
      assert.match(compat.stdout, /configmap\.rollstamp\.dev\/other: "h1-/u);
    });

    it("run every other command", () => {
      assert.equal(run(file, "", ["--version"]).stdout, run(inRoot("dist", "rollstamp.cjs"), "", ["--version"]).stdout);
      assert.match(run(file, "", ["--help"]).stdout, /^ {2}restart /mu);
      const shop = join(file, "..", "shop");
      writeFiles(shop, unstampedShop());
      const diff = run(file, "", ["stamp", "--diff", shop]);
      assert.match(diff.stdout, /^\+.*configmap\.rollstamp\.dev\/shop: "h1-/mu);
      // croner knows the calendar of a schedule.
      const scheduled = join(file, "..", "scheduled.yaml");
      writeFileSync(
        scheduled,
        STREAM.replace(
          "metadata: {name: web}",
          'metadata: {name: web, annotations: {rollstamp.dev/restart-schedule: "0 4 * * *"}}',
        ),
      );
      const restarted = run(file, "", ["restart", "--due", scheduled], { ROLLSTAMP_NOW: "2026-01-02T05:00:00Z" });
      assert.equal(restarted.status, 0, restarted.stderr);
      assert.match(readFileSync(scheduled, "utf8"), /rollstamp\.dev\/restartedAt: "2026-01-02T04:00:00Z"/u);
      // `yaml` changes a kustomization.
      const folder = join(file, "..");
      writeFileSync(join(folder, "kustomization.yaml"), "# kept\nresources:\n- scheduled.yaml\n");
      const init = run(file, "", ["init", "kustomize", "--write", folder]);
      assert.equal(init.status, 0, init.stderr);
      assert.match(readFileSync(join(folder, "kustomization.yaml"), "utf8"), /^# kept\n[^]*transformers:/u);
      // What reads kubeconfigs.
      const { status, stderr } = run(file, "", ["status", "--kubeconfig", "/nonexistent"]);
      assert.equal(status, 2);
      assert.match(stderr, /^rollstamp: error: the kubeconfig '\/nonexistent' can't be read/u);
    });
  });
}
