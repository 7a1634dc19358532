import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { inRoot } from "../support/paths.ts";
import { shipped } from "../support/shipped.ts";

// What ships is several files, and code that V8 made of one of them (docs/decisions/0003-bundles.md).

const CACHE = `function.cjs.${process.versions.v8}-${process.arch}.cache`;

const INPUT = (functionConfig: string): string => `apiVersion: config.kubernetes.io/v1
kind: ResourceList
items:
- apiVersion: v1
  kind: ConfigMap
  metadata: {name: env}
  data: {A: "1"}
- apiVersion: apps/v1
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
functionConfig: ${functionConfig}
`;

const RESTART =
  '{apiVersion: rollstamp.dev/v1alpha1, kind: Restart, spec: {at: "2026-01-02T03:04:05Z", targets: [{kind: Deployment, name: web}]}}';
const STAMP = /configmap\.rollstamp\.dev\/env: "h1-[0-9a-f]{40}"/u;

const folders: (() => void)[] = [];
after(() => {
  for (const remove of folders) remove();
});

function copy(): { file: string; folder: string; run: (input: string) => ReturnType<typeof run> } {
  const { file, remove } = shipped();
  folders.push(remove);
  return { file, folder: join(file, ".."), run: (input) => run(file, input) };
}

function run(
  file: string,
  input: string,
  args: readonly string[] = [],
): { status: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [file, ...args], { input, encoding: "utf8" });
  return { status, stdout, stderr };
}

describe("the bundles", () => {
  it("run each function that a functionConfig names", () => {
    const { run: runCopy } = copy();
    const kinds: readonly (readonly [string, RegExp])[] = [
      ["{apiVersion: rollstamp.dev/v1alpha1, kind: ConfigHash}", STAMP],
      [RESTART, /2026-01-02T03:04:05Z"/u],
      ["{apiVersion: rollstamp.dev/v1alpha1, kind: RolloutLint, spec: {output: Empty}}", /^items: \[\]$/mu],
    ];
    for (const [config, expected] of kinds) {
      const { status, stdout, stderr } = runCopy(INPUT(config));
      assert.equal(status, 0, stderr);
      assert.match(stdout, expected, config);
    }
  });

  it("tell what is wrong in a configuration of a function that is loaded late", () => {
    const { status, stderr } = copy().run(
      INPUT("{apiVersion: rollstamp.dev/v1alpha1, kind: RolloutLint, spec: {outptu: Empty}}"),
    );
    assert.equal(status, 2);
    assert.match(stderr, /^rollstamp: error: stdin:\d+:\d+: unknown field 'spec\.outptu', did you mean 'output'\?\n/u);
  });

  it("are in rollstamp.cjs once more, for a copy of it alone", () => {
    const folder = mkdtempSync(join(tmpdir(), "rollstamp-alone-"));
    folders.push(() => rmSync(folder, { recursive: true, force: true }));
    const alone = join(folder, "ConfigHash");
    copyFileSync(inRoot("dist", "rollstamp.cjs"), alone);
    for (const config of ["null", RESTART, "{apiVersion: rollstamp.dev/v1alpha1, kind: RolloutLint}"]) {
      assert.deepEqual(run(alone, INPUT(config)), run(inRoot("dist", "rollstamp.cjs"), INPUT(config)), config);
    }
    const args = ["stamp", "--diff", inRoot("examples", "shop")];
    const diff = run(alone, "", args);
    assert.match(diff.stdout, /^\+.*configmap\.rollstamp\.dev\/shop: "h1-/mu);
    assert.deepEqual(diff, run(inRoot("dist", "rollstamp.cjs"), "", args));
  });

  it("say which file is missing, where a copy alone can't do without it", () => {
    const { file, folder } = copy();
    rmSync(join(folder, "cluster.cjs"));
    const { status, stderr } = run(file, "", ["status"]);
    assert.equal(status, 2);
    assert.equal(
      stderr,
      "rollstamp: error: there is no cluster.cjs beside rollstamp.cjs\n  Copy the other files of its folder with it: what asks a cluster needs them.\n",
    );
  });
});

describe("the code that V8 made", () => {
  it("is there after a build, and gives what the bundle gives", () => {
    const without = copy().run(INPUT("null"));
    const withIt = run(inRoot("dist", "rollstamp.cjs"), INPUT("null"));
    assert.ok(readdirSync(inRoot("dist")).includes(CACHE));
    assert.match(without.stdout, STAMP);
    assert.deepEqual(withIt, without);
  });

  it("counts for nothing where it is damaged, or of another bundle", () => {
    const whole = readFileSync(inRoot("dist", CACHE));
    const damaged = [0, 31, 40, 1000, whole.length >> 1, whole.length - 1].map((at) => {
      const bytes = Buffer.from(whole);
      bytes[at] = (bytes[at] ?? 0) ^ 0x55;
      return bytes;
    });
    const { folder, run: runCopy } = copy();
    for (const bytes of [...damaged, whole.subarray(0, 1000), Buffer.alloc(0)]) {
      writeFileSync(join(folder, CACHE), bytes);
      const { status, stdout, stderr } = runCopy(INPUT("null"));
      assert.equal(status, 0, stderr);
      assert.match(stdout, STAMP);
    }
    // V8 itself would take it: the length is the same.
    copyFileSync(inRoot("dist", CACHE), join(folder, CACHE));
    const bundle = join(folder, "function.cjs");
    writeFileSync(bundle, readFileSync(bundle, "utf8").replaceAll("h1-", "h9-"));
    assert.match(runCopy(INPUT("null")).stdout, /env: "h9-/u);
  });
});
