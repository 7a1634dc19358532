import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, copyFileSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import fg from "fast-glob";
import { parse, parseDocument } from "yaml";
import { COMMANDS } from "../../src/commands/commands.ts";
import { inFolder } from "../support/folders.ts";
import { inRoot, ROOT } from "../support/paths.ts";
import { copyCommand } from "../support/shipped.ts";

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default: string }>>;
  readonly runs: { readonly steps: readonly { readonly run: string }[] };
}

/** Runs the Action's script as a runner does, from a checkout that holds nothing but the bundles. */
function runAction(folder: string, args: string): { status: number | null; stdout: string; stderr: string } {
  const checkout = join(folder, "action");
  mkdirSync(join(checkout, "dist"), { recursive: true });
  copyFileSync(inRoot("action.yml"), join(checkout, "action.yml"));
  copyCommand(join(checkout, "dist"));
  const action = parse(readFileSync(join(checkout, "action.yml"), "utf8")) as Action;
  const { status, stdout, stderr } = spawnSync(
    "bash",
    ["--noprofile", "--norc", "-eo", "pipefail", "-c", action.runs.steps[0]?.run ?? ""],
    {
      cwd: join(folder, "work"),
      env: { PATH: process.env["PATH"], GITHUB_ACTION_PATH: checkout, ROLLSTAMP_ARGS: args },
      encoding: "utf8",
    },
  );
  return { status, stdout, stderr };
}

describe("the GitHub Action", () => {
  it("runs the bundles by plain node", () =>
    inFolder({}, (folder) => {
      cpSync(inRoot("examples", "shop"), join(folder, "work"), { recursive: true });
      const check = runAction(folder, "stamp --check .");
      assert.deepEqual([check.status, check.stdout], [1, "cleanup.yaml\norders.yaml\nstorefront.yaml\n"], check.stderr);
      assert.equal(runAction(folder, "stamp .").status, 0);
      assert.deepEqual(runAction(folder, "stamp --check ."), { status: 0, stdout: "", stderr: "" });
    }));
  it("takes its arguments as they are, never as a script", () =>
    inFolder({ "work/a.txt": "" }, (folder) => {
      const { status, stderr } = runAction(folder, "stamp --check $(touch pwned) *");
      assert.equal(status, 2);
      assert.match(stderr, /\$\(touch: there is no such file or folder/u);
    }));
});

describe("the files for CI", () => {
  const files = [".pre-commit-hooks.yaml", "action.yml", ...fg.sync("examples/ci/**/*.{yml,yaml}", { cwd: ROOT })];
  const commands = COMMANDS.map(({ name }) => name);
  for (const file of files) {
    it(`${file} is valid YAML and calls commands that there are`, () => {
      const text = readFileSync(inRoot(file), "utf8");
      const document = parseDocument(text);
      assert.deepEqual(document.errors, []);
      const called = [...text.matchAll(/(?:\brollstamp |\bargs: |default: )(?<name>[a-z]+) (?:--|\.|\$)/gu)].map(
        (match) => match.groups?.["name"] ?? "",
      );
      assert.deepEqual(
        called.filter((name) => !commands.includes(name)),
        [],
      );
    });
  }
  it("are several", () => assert.ok(files.length > 5, String(files)));
});
