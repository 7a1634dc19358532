import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import { COMMANDS } from "../../src/commands/commands.ts";
import { cli } from "../support/cli.ts";
import { inRoot } from "../support/paths.ts";

// The only place that holds the words of help texts. UPDATE_FIXTURES=1 writes them again: review the diff.
describe("the help of every command", () => {
  for (const { name, args } of [
    { name: "rollstamp", args: [] },
    ...COMMANDS.map((row) => ({ name: row.name, args: [row.name] })),
  ])
    it(`is as in fixtures/help/${name}.txt`, async () => {
      const { status, stdout } = await cli([...args, "--help"]);
      assert.equal(status, 0);
      const file = inRoot("fixtures", "help", `${name}.txt`);
      if (process.env["UPDATE_FIXTURES"] === "1") writeFileSync(file, stdout);
      assert.equal(existsSync(file) ? readFileSync(file, "utf8") : "", stdout);
    });
});
