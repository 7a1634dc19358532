// The scripts of research/: each starts, and the measure of chart upgrades counts the upgrades of a small repository.
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { HELMS } from "./helm.ts";
import { onPath, root, run, succeed, unlessFound } from "./programs.ts";
import { temporaryFolder } from "./trees.ts";

const helm = HELMS.find(({ name }) => name === "Helm 3")?.program ?? ({ found: false, reason: "no Helm 3" } as const);
const git = onPath("git");
const node = { found: true, path: process.execPath } as const;
const skip = unlessFound(helm) || unlessFound(git);

const chart = (version: string): string => `apiVersion: v2\nname: web\nversion: ${version}\nappVersion: "9.9"\n`;
const source = (name: string, data: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n  labels: {helm.sh/chart: web-{{ .Chart.Version }}}\ndata: {a: "${data}"}\n`;
const workload = (name: string, sum: string, container: string, label = ""): string => `apiVersion: apps/v1
kind: Deployment
metadata: {name: ${name}}
spec:
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata:
      labels: {app: ${name}${label}}
      annotations:
        ${sum}: {{ include (print $.Template.BasePath "/config.yaml") . | sha256sum }}
    spec:
      containers: [{name: app, image: "a:1", ${container}}]
`;
const SEES = "envFrom: [{configMapRef: {name: shared}}]";

/** 1.0.0 to 1.1.0 changes only the version, 1.1.0 to 1.2.0 changes data that the pods see. */
function repository(): string {
  const folder = join(temporaryFolder(), "owner+charts");
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  const commit = (version: string, data: string): void => {
    write("web/Chart.yaml", chart(version));
    write("web/templates/config.yaml", `${source("shared", data)}---\n${source("by-api", "same")}`);
    succeed(git, ["add", "-A"], { cwd: folder, env: process.env });
    succeed(git, ["-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", version], {
      cwd: folder,
      env: process.env,
    });
  };
  mkdirSync(folder);
  succeed(git, ["init", "-q"], { cwd: folder, env: process.env });
  write(
    "web/templates/seen.yaml",
    workload("seen", "checksum/config", SEES, ", helm.sh/chart: web-{{ .Chart.Version }}"),
  );
  write("web/templates/api.yaml", workload("api", "checksum/cm", "args: [--config-map=by-api]"));
  commit("1.0.0", "b");
  commit("1.1.0", "b");
  commit("1.2.0", "c");
  return folder;
}

interface Upgrade {
  readonly versions: readonly string[];
  readonly wrong?: string;
  readonly rows: readonly { readonly id: string; readonly [key: string]: unknown }[];
}

describe("the scripts of research", () => {
  for (const name of readdirSync(join(root, "research")).filter((file) => file.endsWith(".mjs")))
    test(`${name} starts`, () => {
      const args = name === "growth.mjs" ? ["no shape has this name"] : name === "chart-clones.mjs" ? ["--where"] : [];
      const { status, stderr } = run(node, [join(root, "research", name), ...args], { cwd: root, env: process.env });
      if (name === "growth.mjs") assert.equal(status, 0, stderr);
      else assert.match(stderr, /^(?:usage: |\d+ of \d+ repositories are missing|$)/u, String(status));
    });
});

describe("the measure of upgrades", { skip }, () => {
  test("separates necessary rollouts from avoidable ones, and counts what the entries of the warnings avoid", () => {
    const [folder, state] = [repository(), temporaryFolder()];
    const bench = (...args: readonly string[]): ReturnType<typeof run> =>
      run(node, [join(root, "research", "chart-upgrades.mjs"), "--state", state, ...args, folder], {
        cwd: root,
        env: process.env,
      });
    const { status, stdout, stderr } = bench("--json");
    assert.equal(status, 0, stderr);
    const upgrades = JSON.parse(stdout) as readonly Upgrade[];
    const shown = upgrades.map(({ versions, rows }) => [
      versions.join(" to "),
      rows.map(({ id, rolled, rolls, followed, needed }) => [id, { rolled, rolls, followed, needed }]),
    ]);
    assert.deepEqual(shown, [
      [
        "1.1.0 to 1.2.0",
        [
          ["Deployment /api", { rolled: true, rolls: true, followed: false, needed: false }],
          ["Deployment /seen", { rolled: true, rolls: true, followed: true, needed: true }],
        ],
      ],
      [
        "1.0.0 to 1.1.0",
        [
          ["Deployment /api", { rolled: true, rolls: true, followed: false, needed: false }],
          ["Deployment /seen", { rolled: true, rolls: false, followed: false, needed: false }],
        ],
      ],
    ]);
    // The renderings are kept: nothing is rendered again.
    const page = join(state, "page.md");
    assert.equal(bench("--seconds", "0", "--out", page).status, 0);
    const text = readFileSync(page, "utf8");
    assert.match(text, /of the avoidable ones avoided \| 1 \(33\.3 %\)/u);
    assert.match(text, /that the warnings suggest \| 3 \(100\.0 %\)/u);
    assert.match(text, /necessary and lost \| 0 \|/u);
    assert.match(text, /Deployment \/api \| annotations\[checksum\/cm\] \| saved \|/u);
  });
});
