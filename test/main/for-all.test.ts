// The first screen of the help, and the options that every command has.
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { VERSION } from "../../src/base/version.ts";
import { COMMANDS } from "../../src/commands/commands.ts";
import { cli } from "../support/cli.ts";
import { inFolder } from "../support/folders.ts";
import { configMap, deployment } from "../support/manifests.ts";

describe("the command line", () => {
  it("shows the commands that people need first", () => {
    assert.deepEqual(
      COMMANDS.filter(({ isMore }) => isMore !== true).map(({ name }) => name),
      ["plan", "stamp", "lint", "explain", "graph", "apps", "log", "audit", "restart", "status", "init", "migrate"],
    );
  });

  it("prints its version as a command and as an option", async () => {
    for (const args of [["version"], ["--version"], ["-V"]])
      assert.deepEqual(await cli(args), { status: 0, stdout: `${VERSION}\n`, stderr: "" });
  });

  it("takes -o md for Markdown", () =>
    inFolder({ "a.yaml": deployment("web", "env") }, async (folder) => {
      const file = join(folder, "a.yaml");
      const [short, long] = await Promise.all(["md", "markdown"].map((form) => cli(["plan", "-o", form, file, file])));
      assert.equal(short?.status, 0);
      assert.deepEqual(short, long);
      assert.equal((await cli(["graph", "-o", "md", file])).status, 2, "it has no Markdown");
    }));

  it("prints only errors to standard error with -q, before or after the command", () =>
    inFolder({ "a.yaml": deployment("web", "absent") }, async (folder) => {
      const file = join(folder, "a.yaml");
      const loud = await cli(["stamp", file]);
      assert.match(loud.stderr, /^rollstamp: warning: .*\n {2}/u);
      for (const args of [
        ["-q", "stamp", file],
        ["--color", "never", "--quiet", "stamp", file],
        ["stamp", file, "-q"],
      ])
        assert.deepEqual(await cli(args), { ...loud, stderr: "" });
      const { status, stderr } = await cli(["-q", "stamp", join(folder, "absent.yaml")]);
      assert.equal(status, 2);
      assert.match(stderr, /^rollstamp: error: .*\n {2}/u, "with what to do");
    }));

  it("stamps a stream with -q alone", async () => {
    const stdin = `${deployment("web", "env")}---\n${configMap("env", "a")}`;
    const [quiet, loud] = [await cli(["-q"], { stdin }), await cli(["fn"], { stdin })];
    assert.deepEqual(quiet, { ...loud, stderr: "" });
    assert.match(quiet.stdout, /configmap\.rollstamp\.dev\/env/u);
  });
});
