import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { stripVTControlCharacters } from "node:util";
import picocolors from "picocolors";
import { COMMANDS } from "../../src/commands/commands.ts";
import { cli } from "../support/cli.ts";
import { inFolder } from "../support/folders.ts";
import { configMap, deployment } from "../support/manifests.ts";

const FILES = { "all.yaml": `${deployment("web", "env")}---\n${configMap("env", "a")}` };

describe("--color", () => {
  for (const { name } of COMMANDS) {
    it(`is an option of ${name}, with three values`, async () => {
      const { status, stderr } = await cli([name, "--color", "purple"]);
      assert.equal(status, 2);
      assert.match(stderr, /'--color <when>' argument 'purple' is invalid\. Allowed choices are auto, always, never/u);
    });
  }

  it("colours a diff, and changes nothing else of it", () =>
    inFolder(FILES, async (folder) => {
      const plain = await cli(["stamp", "--diff", folder]);
      const colored = await cli(["stamp", "--diff", "--color", "always", folder]);
      assert.match(plain.stdout, /^\+ +configmap\.rollstamp\.dev/mu);
      assert.equal(stripVTControlCharacters(plain.stdout), plain.stdout);
      const { green, cyan } = picocolors.createColors(true);
      const line = /^\+ +configmap\.rollstamp\.dev.*$/mu.exec(plain.stdout)?.[0] ?? "no line";
      assert.ok(colored.stdout.includes(`\n${green(line)}\n`));
      assert.ok(colored.stdout.includes(cyan(/^@@ .*$/mu.exec(plain.stdout)?.[0] ?? "no hunk")));
      assert.equal(stripVTControlCharacters(colored.stdout), plain.stdout);
    }));

  it("is decided by the terminal, unless NO_COLOR is set", () =>
    inFolder(FILES, async (folder) => {
      const isColored = async (environment: Record<string, string>, terminal: boolean): Promise<boolean> =>
        (await cli(["stamp", "--diff", folder], { environment, terminal })).stdout.includes("\u001b[");
      assert.equal(await isColored({}, true), true);
      assert.equal(await isColored({}, false), false);
      assert.equal(await isColored({ NO_COLOR: "1" }, true), false);
    }));
});
