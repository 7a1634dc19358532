import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path, { join } from "node:path";
import { after, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { withParts } from "../../src/main/parts.ts";
import { inRoot } from "../support/paths.ts";

// The command is one file: the function as code, and the rest in comments at its end, which are compiled
// when they are wanted (docs/decisions/0003-bundles.md).

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

/** scripts/parts.mjs. */
interface Scripts {
  readonly joinParts: (main: string, loader: string, parts: Parts) => string;
  readonly splitParts: (text: string) => { readonly main: string; readonly parts: Parts };
}

type Parts = readonly (readonly [id: string, code: string])[];

/** A copy of the command under another name, as kustomize's folder of plugins has it; nothing lies beside it. */
function copy(name = "ConfigHash"): string {
  const folder = mkdtempSync(join(tmpdir(), "rollstamp-alone-"));
  folders.push(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, name);
  copyFileSync(inRoot("dist", "rollstamp.cjs"), file);
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

describe("a copy of rollstamp.cjs alone", () => {
  it("runs each function that a functionConfig names", () => {
    const kinds: readonly (readonly [string, RegExp])[] = [
      ["null", STAMP],
      ["{apiVersion: rollstamp.dev/v1alpha1, kind: ConfigHash}", STAMP],
      [RESTART, /2026-01-02T03:04:05Z"/u],
      ["{apiVersion: rollstamp.dev/v1alpha1, kind: RolloutLint, spec: {output: Empty}}", /^items: \[\]$/mu],
    ];
    const file = copy();
    for (const [config, expected] of kinds) {
      const { status, stdout, stderr } = run(file, INPUT(config));
      assert.equal(status, 0, stderr);
      assert.match(stdout, expected, config);
    }
  });

  it("tells what is wrong in a configuration of a function that is loaded late", () => {
    const { status, stderr } = run(
      copy(),
      INPUT("{apiVersion: rollstamp.dev/v1alpha1, kind: RolloutLint, spec: {outptu: Empty}}"),
    );
    assert.equal(status, 2);
    assert.match(stderr, /^rollstamp: error: stdin:\d+:\d+: unknown field 'spec\.outptu', did you mean 'output'\?\n/u);
  });

  it("is kustomize's legacy plugin", () => {
    const file = copy();
    const config = join(file, "..", "config.yaml");
    writeFileSync(config, "apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\nmetadata: {name: stamp}\n");
    const { status, stdout, stderr } = run(file, STREAM, [config], { KUSTOMIZE_PLUGIN_CONFIG_ROOT: "/config" });
    assert.equal(status, 0, stderr);
    assert.match(stdout, STAMP);
  });

  it("has the libraries that few runs need", () => {
    const file = copy();
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

  it("has its parts where a checkout has made the ends of lines CRLF", () => {
    const file = copy("rollstamp.cjs");
    writeFileSync(file, readFileSync(file, "utf8").replaceAll("\n", "\r\n"));
    const { status, stderr } = run(file, "", ["stamp", "--diff", inRoot("examples", "shop")]);
    assert.equal(status, 0, stderr);
  });

  it("is every other command", () => {
    const file = copy();
    assert.equal(run(file, "", ["--version"]).stdout, run(inRoot("dist", "rollstamp.cjs"), "", ["--version"]).stdout);
    assert.match(run(file, "", ["--help"]).stdout, /^ {2}restart /mu);
    const diff = run(file, "", ["stamp", "--diff", inRoot("examples", "shop")]);
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
    const init = run(file, "", ["init", "kustomize", "--yes", folder]);
    assert.equal(init.status, 0, init.stderr);
    assert.match(readFileSync(join(folder, "kustomization.yaml"), "utf8"), /^# kept\n[^]*transformers:/u);
    // What reads kubeconfigs.
    const { status, stderr } = run(file, "", ["status", "--kubeconfig", "/nonexistent"]);
    assert.equal(status, 2);
    assert.match(stderr, /^rollstamp: error: the kubeconfig '\/nonexistent' can't be read/u);
  });
});

describe("the parts of rollstamp.cjs", async () => {
  const { joinParts, splitParts } = (await import(pathToFileURL(inRoot("scripts", "parts.mjs")).href)) as Scripts;
  const whole = readFileSync(inRoot("dist", "rollstamp.cjs"), "utf8");
  const { main, parts } = splitParts(whole);

  it("come apart and together again, byte for byte", () => {
    const loader = whole.split("\n")[1]?.replace('"use strict";', "") ?? "";
    assert.equal(joinParts(main, loader, parts), whole);
    assert.deepEqual(parts.map(([id]) => id).sort(), [
      "./commands.cjs",
      "./croner.cjs",
      "./functions.cjs",
      "./kube-config.cjs",
      "./re2js.cjs",
      "./yaml.cjs",
    ]);
  });

  it("are compiled when they are asked for, once, and ask for others the same way", () => {
    const file = copy();
    writeFileSync(
      file,
      joinParts("", "", [
        ["./a.cjs", 'exports.text = "*/" + /[*]/.source + require("./b.cjs").text; exports.b = require("./b.cjs");'],
        ["./b.cjs", 'module.exports = { text: "b /* of b */" };'],
      ]),
    );
    const load = withParts(createRequire(import.meta.url), file);
    const a = load("./a.cjs") as { readonly text: string; readonly b: unknown };
    assert.equal(a.text, "*/[*]b /* of b */");
    assert.equal(a.b, load("./b.cjs"));
    assert.equal(load("./a.cjs"), a);
    assert.equal(load("node:path"), path);
  });

  it("can't be made of code that has what hides the ends of comments", () => {
    assert.throws(() => joinParts("", "", [["./a.cjs", "'\u0001'"]]), /\.\/a\.cjs has the character/u);
  });
});
