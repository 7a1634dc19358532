import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { inRoot } from "../support/paths.ts";

// The file that ships, run as hosts run it.

const BIN = inRoot("dist/rollstamp.cjs");
const folder = mkdtempSync(join(tmpdir(), "rollstamp-cli-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: env\ndata:\n  A: '1'\n";
const DEPLOYMENT =
  "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  template:\n    spec:\n      containers:\n      - name: app\n        envFrom:\n        - configMapRef:\n            name: env\n";
const STREAM = `${CONFIG_MAP}---\n${DEPLOYMENT}`;
const STAMP = /configmap\.rollstamp\.dev\/env: "h1-[0-9a-f]{40}"/u;

function call(
  args: readonly string[],
  input: string | Buffer,
  env: Record<string, string> = {},
): { stdout: string; stderr: string; status: number | null } {
  const { stdout, stderr, status } = spawnSync(process.execPath, [BIN, ...args], {
    input,
    env,
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  return { stdout, stderr, status };
}

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

function indent(text: string): string {
  return text.replace(/^/gmu, "  ").replace(/^ {2}/u, "- ").trimEnd();
}

const LIST = `apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n${indent(CONFIG_MAP)}\n${indent(DEPLOYMENT)}\n`;

describe("the shipped file as a function", () => {
  it("stamps a stream without arguments and with an empty environment", () => {
    const { stdout, stderr, status } = call([], STREAM);
    assert.deepEqual({ stderr, status }, { stderr: "", status: 0 });
    assert.match(stdout, STAMP);
    assert.equal(call(["fn"], STREAM).stdout, stdout);
  });

  it("stamps a ResourceList and gives one back", () => {
    const { stdout, status } = call([], LIST);
    assert.equal(status, 0);
    assert.match(stdout, STAMP);
    assert.ok(stdout.startsWith("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n- apiVersion: v1\n"));
  });

  it("takes --config, else ROLLSTAMP_CONFIG, for a stream, and neither for a ResourceList", () => {
    const combined = file(
      "combined.yaml",
      "apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\nspec:\n  layout: Combined\n",
    );
    const ignore = file(
      "none.yaml",
      "apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\nspec:\n  selection: Annotated\n",
    );
    assert.match(call(["--config", combined], STREAM).stdout, /rollstamp\.dev\/config-hash: "h1-/u);
    assert.match(call([], STREAM, { ROLLSTAMP_CONFIG: combined }).stdout, /rollstamp\.dev\/config-hash: "h1-/u);
    assert.equal(call(["fn", "--config", ignore], STREAM, { ROLLSTAMP_CONFIG: combined }).stdout, STREAM);
    assert.match(call([], LIST, { ROLLSTAMP_CONFIG: ignore }).stdout, STAMP);
  });

  it("runs as kustomize's legacy exec plugin", () => {
    const config = file(
      "plugin.yaml",
      "apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\nmetadata:\n  name: x\nspec:\n  layout: Combined\n",
    );
    const { stdout, status } = call([config], STREAM, { KUSTOMIZE_PLUGIN_CONFIG_ROOT: folder });
    assert.equal(status, 0);
    assert.match(stdout, /rollstamp\.dev\/config-hash/u);
  });

  it("refuses empty input, stray text and invalid UTF-8 with status 2 and nothing on stdout", () => {
    const broken = Buffer.concat([
      Buffer.from("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata:\n  a: "),
      Buffer.from([0xff, 0xfe]),
    ]);
    for (const [input, message] of [
      ["", /no Kubernetes object/u],
      ["hello\n", /stdin:1:1: this is not a Kubernetes object/u],
      [broken, /stdin:5:6: the input is not valid UTF-8/u],
      [Buffer.from("\0GITCRYPT\0nonce and more"), /stdin: the file is encrypted by git-crypt/u],
    ] as const) {
      const { stdout, stderr, status } = call([], input);
      assert.deepEqual({ stdout, status }, { stdout: "", status: 2 });
      assert.match(stderr, message);
    }
  });

  it("ends with status 1 on findings of severity error: a list with results, of a stream nothing", () => {
    const config =
      "functionConfig:\n  apiVersion: rollstamp.dev/v1alpha1\n  kind: ConfigHash\n  spec:\n    missing: Error\n";
    const list = `apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n${indent(DEPLOYMENT)}\n${config}`;
    const asList = call([], list);
    assert.equal(asList.status, 1);
    assert.match(asList.stdout, /\nresults:\n- message: "Deployment web uses ConfigMap default\/env/u);
    assert.match(asList.stderr, /error: stdin:15:15: Deployment web uses ConfigMap default\/env/u);
    const missing = file("missing.yaml", config.replace("functionConfig:\n", "").replace(/^ {2}/gmu, ""));
    const asStream = call(["--config", missing], DEPLOYMENT);
    assert.deepEqual({ stdout: asStream.stdout, status: asStream.status }, { stdout: "", status: 1 });
  });

  it("names the nearest command and flag, with status 2", () => {
    const command = call(["stmp", "x"], "");
    assert.equal(command.status, 2);
    assert.match(command.stderr, /unknown command 'stmp'[\s\S]*stamp/u);
    const help = call(["help", "stmp"], "");
    assert.equal(help.status, 2);
    assert.match(help.stderr, /unknown command 'stmp'[\s\S]*stamp/u);
    const flag = call(["fn", "--confg", "x"], STREAM);
    assert.equal(flag.status, 2);
    assert.match(flag.stderr, /unknown option '--confg'[\s\S]*--config/u);
  });

  it("gives a slow reader all of a large output", async () => {
    const many = Array.from(
      { length: 3000 },
      (_, i) => `${CONFIG_MAP.replace("name: env", `name: c${i}`)}  B: ${"x".repeat(1500)}\n`,
    ).join("---\n");
    const input = `${STREAM}---\n${many}`;
    const child = spawn(process.execPath, [BIN], { stdio: ["pipe", "pipe", "inherit"], env: {} });
    child.stdin.end(input);
    let size = 0;
    for await (const chunk of child.stdout) {
      size += (chunk as Buffer).length;
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.equal(size, call([], input).stdout.length);
    assert.ok(size > 5_000_000 || size > input.length);
  });

  it("says so, with status 2, when its reader goes away", async () => {
    const many = Array.from(
      { length: 2000 },
      (_, i) => `${CONFIG_MAP.replace("name: env", `name: c${i}`)}  B: ${"x".repeat(1500)}\n`,
    ).join("---\n");
    const child = spawn("sh", ["-c", '"$0" "$1" | head -c 10; exit 0', process.execPath, BIN], { env: process.env });
    child.stdin.on("error", () => undefined);
    child.stdin.end(many);
    let stderr = "";
    child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
    await new Promise((resolve) => child.once("close", resolve));
    assert.match(stderr, /standard output was closed before the output was complete \(EPIPE\)/u);
  });
});
