import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { parse } from "yaml";
import { inRoot } from "../support/paths.ts";

interface Row {
  readonly mutant: string;
  readonly file?: string;
  readonly line?: string;
}

// Whoever moves or changes a line learns here, and not hours later from Stryker, that it has a row.
describe("explanations of surviving mutants", () => {
  const rows: readonly Row[] = parse(readFileSync(inRoot("test/mutation/explained.yaml"), "utf8"));
  const linesOf = (file: string): ReadonlySet<string> =>
    new Set(
      (existsSync(inRoot(file)) ? readFileSync(inRoot(file), "utf8") : "")
        .split("\n")
        .map((line) => line.replace(/\s+/gu, " ").trim()),
    );

  for (const file of new Set(rows.flatMap((row) => row.file ?? []))) {
    it(`name existing lines of ${file}`, () => {
      const lines = linesOf(file);
      assert.ok(lines.size > 1, "the file is there");
      const gone = rows.filter((row) => row.file === file && row.line !== undefined && !lines.has(row.line));
      assert.deepEqual(gone, []);
    });
  }
});
