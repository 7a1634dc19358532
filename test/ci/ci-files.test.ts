import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import fg from "fast-glob";
import { parseDocument } from "yaml";
import { COMMANDS } from "../../src/commands/commands.ts";
import { inRoot, ROOT } from "../support/paths.ts";

describe("the files for CI", () => {
  const files = [".pre-commit-hooks.yaml", "action.yml", ...fg.sync("examples/ci/**/*.{yml,yaml}", { cwd: ROOT })];
  const commands = COMMANDS.map(({ name }) => name);
  for (const file of files) {
    it(`${file} is valid YAML and calls commands that there are`, () => {
      const text = readFileSync(inRoot(file), "utf8");
      const document = parseDocument(text);
      assert.deepEqual(document.errors, []);
      const called = [...text.matchAll(/(?:\brollstamp |\bargs: )(?<name>[a-z]+) (?:--|\.|\$)/gu)].map(
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
