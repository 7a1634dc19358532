import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import fg from "fast-glob";
import { parseDocument } from "yaml";
import { COMMANDS } from "../../src/commands/commands.ts";
import { cli } from "../support/cli.ts";
import { inRoot, ROOT } from "../support/paths.ts";

describe("the files for CI", () => {
  const files = [".pre-commit-hooks.yaml", "action.yml", ...fg.sync("examples/ci/**/*.{yml,yaml}", { cwd: ROOT })];
  const commands = COMMANDS.map(({ name }) => name);
  for (const file of files) {
    it(`${file} is valid YAML and uses existing commands`, () => {
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
  it("use existing options", async () => {
    const helps = new Map<string, string>();
    for (const file of files) {
      // A command continues after a backslash.
      const text = readFileSync(inRoot(file), "utf8").replace(/\\\n\s*/gu, " ");
      for (const [, name = "", rest = ""] of text.matchAll(/\brollstamp (?<name>[a-z]+) (?<rest>-.*)$/gmu)) {
        if (!commands.includes(name)) continue;
        if (!helps.has(name)) helps.set(name, (await cli([name, "--help"])).stdout);
        // The arguments of the command: up to a redirection, a pipe or the next command.
        for (const [option] of (rest.split(/ [>|&]/u)[0] ?? "").matchAll(/(?<=^|\s)--?[a-z][a-z-]*/gu))
          assert.match(
            helps.get(name) ?? "",
            new RegExp(`^  (?:-\\w, )?.*${option}\\b`, "mu"),
            `${file}: ${name} ${option}`,
          );
      }
    }
    assert.deepEqual([...helps.keys()].includes("plan"), true);
  });
  it("are several", () => assert.ok(files.length > 7, String(files)));
});
