import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { COMMANDS } from "../../src/commands/commands.ts";
import { cli } from "../support/cli.ts";
import { inFolder } from "../support/folders.ts";

/** What bash offers for a line whose last word is being typed. */
function offered(script: string, words: readonly string[], options: readonly string[] = []): string[] {
  const line = `${script}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _rollstamp; printf '%s\\n' "\${COMPREPLY[@]-}"`;
  const { stdout, stderr, status } = spawnSync("bash", [...options, "-uc", line, "bash", "rollstamp", ...words], {
    // Where this is a socket, bash takes its caller for rshd and reads ~/.bashrc first.
    stdio: ["ignore", "pipe", "pipe"],
    encoding: "utf8",
  });
  assert.equal(status, 0, stderr);
  return stdout.split("\n").filter((word) => word !== "");
}

describe("rollstamp completion", () => {
  it("completes commands, options and their values in bash", async () => {
    const { status, stdout } = await cli(["completion", "bash"]);
    assert.equal(status, 0);
    assert.deepEqual(
      offered(stdout, [""]),
      COMMANDS.map(({ name }) => name),
    );
    assert.deepEqual(offered(stdout, ["sta"]).slice(0, 1), ["stamp"]);
    assert.deepEqual(offered(stdout, ["stamp", "--k"]), ["--kustomize-input", "--keep-going"]);
    assert.deepEqual(offered(stdout, ["stamp", "--scope", ""]), ["all", "directory", "file"]);
    assert.deepEqual(offered(stdout, ["plan", "--scope", ""]), ["auto", "all", "directory", "file"]);
    assert.deepEqual(offered(stdout, ["init", "k"]), ["kustomize", "kustomize-plugin", "kpt"]);
    assert.deepEqual(offered(stdout, ["completion", ""]), ["bash", "zsh", "fish"]);
    assert.deepEqual(offered(stdout, ["stamp", "dep"]), [], "file names are bash's own");
    assert.deepEqual(offered(stdout, ["restart", "-n", ""]), []);
  });
  it("completes names of applications and ranges of revisions in bash, but nothing that a shell would expand", () =>
    inFolder({}, async (folder) => {
      const programs = {
        rollstamp: "printf '%s\\n' web 'a b' '$(id)' shop/prod '*'",
        git: "printf '%s\\n' main origin/main 'x;id' v1.0",
      };
      for (const [name, script] of Object.entries(programs)) {
        writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
        chmodSync(join(folder, name), 0o755);
      }
      const { stdout } = await cli(["completion", "bash"]);
      const script = `PATH=${folder}:$PATH\n${stdout}`;
      for (const command of ["plan", "lint", "stamp"])
        assert.deepEqual(offered(script, [command, "--app", ""]), ["web", "shop/prod"]);
      assert.deepEqual(offered(script, ["graph", "--app", "s"]), ["shop/prod"]);
      assert.deepEqual(offered(script, ["plan", "--git", "ma"]), ["main...HEAD"]);
      assert.deepEqual(offered(script, ["plan", "--git", "v1.0..o"]), ["v1.0..origin/main"]);
      assert.deepEqual(offered(script, ["plan", "--git", "v1.0...m"]), ["v1.0...main"]);
    }));
  it("takes nothing in bash that 3.2, which macOS has, lacks", async () => {
    const { stdout } = await cli(["completion", "bash"]);
    // https://git.savannah.gnu.org/cgit/bash.git/tree/CHANGES, from 4.0 on, and what 3.2 does wrong.
    for (const later of [
      /\b(?:mapfile|readarray|coproc|compopt|globstar|lastpipe|BASHPID|EPOCHSECONDS|EPOCHREALTIME)\b/u,
      /\b(?:declare|local|typeset) -\w*[Aglnu]/u,
      /\$\{[^}]*(?:\^|,|@[A-Za-z])[^}]*\}/u,
      /\$\{\w+\[-/u,
      /;;?&|&>>|\|&|\{\d+\.\.\d+\.\.|\[\[ -[vR] |printf -v \w+\[|printf [^\n]*%\(/u,
      // source <(…) works in the user's line only from 4.0 on: docs show the other way.
      /< <\(/u,
    ])
      assert.ok(!later.test(stdout.replace(/^#.*$/gmu, "")), String(later));
  });
  it("completes in bash as a POSIX shell too", async () => {
    const { stdout } = await cli(["completion", "bash"]);
    assert.deepEqual(offered(stdout, ["stamp", "--k"], ["--posix"]), ["--kustomize-input", "--keep-going"]);
    assert.deepEqual(offered(stdout, ["stamp", "--scope", "*"], ["--posix"]), []);
  });
  for (const shell of ["bash", "zsh", "fish"]) {
    const isThere = spawnSync(shell, ["-c", "true"]).status === 0;
    it(`prints a script that ${shell} reads`, { skip: !isThere && `${shell} is not here` }, () =>
      inFolder({}, async (folder) => {
        const { stdout } = await cli(["completion", shell]);
        for (const { name } of COMMANDS) assert.ok(stdout.includes(name));
        const file = join(folder, "completion");
        writeFileSync(file, stdout);
        const { status, stderr } = spawnSync(shell, ["-n", file], { encoding: "utf8" });
        assert.deepEqual([status, stderr], [0, ""]);
      }),
    );
  }
  it("refuses other shells", async () => {
    const { status, stderr } = await cli(["completion", "cmd"]);
    assert.equal(status, 2);
    assert.match(stderr, /Allowed choices are bash, zsh, fish/u);
  });
});
