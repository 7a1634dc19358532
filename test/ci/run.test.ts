import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, it } from "node:test";
import { inFolder, type Files } from "../support/folders.ts";
import { inRoot } from "../support/paths.ts";

// Runs .ci/run with fake npm, apt-get and installers of hosts.

const HOSTS = [
  "argocd-cmp-server",
  "argocd-sets",
  "bun",
  "chromium",
  "flux-builds",
  "flux-values",
  "go-readers",
  "helm3",
  "helm4",
  "kpt",
  "kubectl",
  "kustomize",
  "nodes",
  "podman",
  "pre-commit",
  "strace",
];
const ENGINES = ["argo-rollouts", "kustomize-controller", "miniredis", "argocd", "kustomize", "helm4"];
const INSTALLERS = [...HOSTS, "cluster/build", ...ENGINES].map((name) => `scripts/hosts/${name}.sh`);
const TOTALS = "printf 'ℹ tests 5\\nℹ pass 4\\nℹ fail %s\\n'";

interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly last: string;
  /** The rows of the table, without the times. */
  readonly rows: readonly string[];
}

/** `breaks` lists commands that fail. A test command has one failed test. */
function ci(args: readonly string[], breaks: readonly string[] = []): Promise<Ran> {
  const script = (name: string): string => `#!/usr/bin/env bash
case "${name}\${*:+ $*}" in
  *test | *test:programs | *test:hosts | *test:e2e) tests=1 ;;
  *) tests= ;;
esac
case "${name}\${*:+ $*}" in
  ${[...breaks, "nothing at all"].map((command) => JSON.stringify(command)).join(" | ")}) bad=1 ;;
  *) bad=0 ;;
esac
[[ -z $tests ]] || ${TOTALS} $bad
((!bad)) || printf '✖ failing tests:\n%s broke\n' "${name}\${*:+ $*}"
exit $bad
`;
  const files: Files = {
    "bin/npm": script("npm"),
    "bin/apt-get": script("apt-get"),
    ...Object.fromEntries(INSTALLERS.map((path) => [path, script(path)])),
  };
  return new Promise((resolve, reject) => {
    inFolder(files, (folder) => {
      for (const path of Object.keys(files)) chmodSync(join(folder, path), 0o755);
      mkdirSync(join(folder, ".ci"));
      copyFileSync(inRoot(".ci", "run"), join(folder, ".ci", "run"));
      const { status, stdout, stderr } = spawnSync("bash", [join(folder, ".ci", "run"), ...args], {
        env: { PATH: `${join(folder, "bin")}${delimiter}${process.env["PATH"] ?? ""}`, HOME: folder },
        encoding: "utf8",
      });
      const lines = stdout.trimEnd().split("\n");
      const rows = lines
        .filter((line) => /^(?:fast|hosts|e2e) /u.test(line))
        .map((line) =>
          line
            .replace(/ +\d+:\d\d /u, " ")
            .replace(/ +/gu, " ")
            .trimEnd(),
        );
      resolve({ status, stdout: `${stdout}${stderr}`, last: lines.at(-1) ?? "", rows });
    }).catch(reject);
  });
}

describe(".ci/run", () => {
  it("runs every step and ends with the totals of all tests", async () => {
    const { status, stdout, last, rows } = await ci([]);
    assert.equal(status, 0, stdout);
    assert.equal(last, "16 passed, 0 failed");
    for (const command of [
      "npm ci",
      "npm run check",
      "npm test",
      "npm run test:programs",
      "npm run test:hosts",
      "npm run test:e2e",
    ]) {
      assert.equal(rows.filter((row) => row.endsWith(` ${command} ok`)).length, 1, `${command}\n${stdout}`);
    }
    for (const path of INSTALLERS)
      assert.ok(
        rows.some((row) => row.endsWith(` ${path} ok`)),
        path,
      );
    assert.deepEqual(
      rows.filter((row) => row.endsWith("in all")),
      ["fast in all", "hosts in all", "e2e in all"],
    );
  });

  it("runs the named steps and shows the time of each command", async () => {
    const { status, stdout, rows } = await ci(["e2e"]);
    assert.equal(status, 0, stdout);
    assert.deepEqual(rows, [
      "e2e npm ci ok",
      "e2e scripts/hosts/cluster/build.sh ok",
      "e2e scripts/hosts/kubectl.sh ok",
      ...ENGINES.map((name) => `e2e scripts/hosts/${name}.sh ok`),
      "e2e npm run test:e2e ok",
      "e2e in all",
    ]);
    assert.match(stdout, /^e2e {4}npm run test:e2e +\d+:\d\d {2}ok$/mu);
  });

  it("has long forms", async () => {
    const { status, stdout, rows } = await ci(["--long", "fast"]);
    assert.equal(status, 0, stdout);
    assert.ok(rows.includes("fast npm run test:mutation ok"), stdout);
    assert.ok(rows.includes("fast env FC_RUNS=10000 npm test ok"), stdout);
  });

  it("continues after a failure, repeats it at the end, and fails", async () => {
    const { status, stdout, last, rows } = await ci(["fast", "hosts"], ["npm run check", "npm run test:hosts"]);
    assert.equal(status, 1);
    // Once when it happens, and again before the table.
    const [, again = ""] = stdout.split("npm run test:hosts broke\n").slice(-2);
    assert.equal(stdout.match(/^npm run (?:check|test:hosts) broke$/gmu)?.length, 4, stdout);
    assert.match(again, /^\nfast {3}npm ci/u);
    assert.ok(rows.includes("fast npm run check FAILED"));
    assert.ok(rows.includes("fast npm test ok"));
    assert.ok(rows.includes("hosts npm run test:hosts FAILED"));
    assert.equal(last, "12 passed, 2 failed");
  });

  it("skips commands that need a failed one, and says so", async () => {
    const { status, last, rows } = await ci(["hosts", "e2e"], ["scripts/hosts/helm3.sh"]);
    assert.equal(status, 1);
    assert.ok(rows.includes("hosts npm run test:hosts not run: scripts/hosts/helm3.sh failed"), rows.join("\n"));
    assert.ok(rows.includes("e2e npm run test:e2e ok"));
    assert.equal(last, "4 passed, 1 failed");
    const without = await ci([], ["npm ci"]);
    assert.equal(without.status, 1);
    assert.equal(without.rows.filter((row) => row.endsWith("not run: npm ci failed")).length, without.rows.length - 4);
    assert.equal(without.last, "0 passed, 1 failed");
  });

  it("refuses unknown steps", async () => {
    const { status, stdout } = await ci(["slow"]);
    assert.deepEqual([status, stdout], [2, "usage: .ci/run [--long] [fast] [hosts] [e2e]\n"]);
  });
});
