import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { before, describe, it } from "node:test";
import { inFolder, type Files } from "../support/folders.ts";
import { inRoot } from "../support/paths.ts";

// The rule that keeps code from reading words that were made for people, by files planted in the folders that it is for.

const FILES = [".oxlintrc.json", "scripts/lint/layers.mjs", "scripts/lint/messages.mjs"];
const HEAD =
  "interface Finding {\n  readonly id: string;\n  readonly message: string;\n  readonly remedy?: string;\n}\n";

/** A use of a finding's words, and whether the rule forbids it. */
const USES: readonly (readonly [code: string, isForbidden: boolean])[] = [
  ['found.message.split(": ").length', true],
  ['found.message.replace("a", "b").length', true],
  ['found.message.includes("a")', true],
  ["/a/u.test(found.message)", true],
  ["found.message.slice(1)", true],
  ['(found.remedy ?? "").startsWith("a")', true],
  ['found.remedy?.endsWith("a")', true],
  ['found.message === "a"', true],
  ["other.message !== found.message", true],
  ['"abc".includes(found.message)', true],
  ["found.remedy === undefined", false],
  ["found.remedy === null", false],
  ["`${found.id}: ${found.message}`", false],
  ['found.id.startsWith("RS")', false],
  ["[found.message].length", false],
];

describe("words for people", () => {
  let lines: ReadonlySet<number> = new Set();
  before(() => {
    const files: Record<string, string> = {};
    for (const file of FILES) files[file] = readFileSync(inRoot(...file.split("/")), "utf8");
    const uses = USES.map(
      ([code], i) => `export const use${i} = (found: Finding, other: Finding): unknown => ${code};`,
    );
    const text = `${HEAD}${uses.join("\n")}\nexport const both = (a: Finding, b: Finding): unknown => [a, b];\n`;
    for (const folder of ["src/output", "src/reports/plan", "src/applications/compare", "src/base"])
      files[`${folder}/planted.ts`] = text;
    return inFolder(files satisfies Files, (folder) => {
      const { stdout } = spawnSync(inRoot("node_modules", ".bin", "oxlint"), ["--format=json"], {
        cwd: folder,
        encoding: "utf8",
      });
      const { diagnostics } = JSON.parse(stdout) as {
        readonly diagnostics: readonly {
          readonly code: string;
          readonly filename: string;
          readonly labels: readonly { readonly span: { readonly line: number } }[];
        }[];
      };
      const found = diagnostics.filter(({ code }) => code === "messages(unread)");
      assert.deepEqual(
        [...new Set(found.map(({ filename }) => filename))].sort(),
        ["src/applications/compare/planted.ts", "src/output/planted.ts", "src/reports/plan/planted.ts"],
        "the rule holds where reports are made and worded",
      );
      lines = new Set(
        found.flatMap(({ filename, labels: [label] }) =>
          filename === "src/output/planted.ts" && label !== undefined ? [label.span.line] : [],
        ),
      );
    });
  });

  USES.forEach(([code, isForbidden], i) => {
    it(`${isForbidden ? "are not read" : "may be used"}: ${code}`, () => {
      assert.equal(lines.has(HEAD.split("\n").length + i), isForbidden);
    });
  });
});
