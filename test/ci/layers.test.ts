import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { before, describe, it } from "node:test";
import fg from "fast-glob";
import { inFolder, type Files } from "../support/folders.ts";
import { inRoot } from "../support/paths.ts";

interface OxlintReport {
  readonly diagnostics: readonly { readonly code: string; readonly message: string; readonly filename: string }[];
}

const CONFIG = ".oxlintrc.json";
const RULES = "scripts/lint/layers.mjs";

const RULE = /^(?:layers\(|import\(no-cycle\))/u;

/** What is wrong with each planted file, by the rules of this repository as they stand. */
function lint(folder: string): Map<string, string[]> {
  const { stdout } = spawnSync(inRoot("node_modules", ".bin", "oxlint"), ["--format=json", "--deny-warnings"], {
    cwd: folder,
    encoding: "utf8",
  });
  const { diagnostics } = JSON.parse(stdout) as OxlintReport;
  const found = new Map<string, string[]>();
  for (const { code, message, filename } of diagnostics) {
    if (!RULE.test(code)) continue;
    found.set(filename, [...(found.get(filename) ?? []), `${code}: ${message}`]);
  }
  return found;
}

const UPWARD = /^layers\(downward\): src\/plan stands above src\/ground: imports run downward\./u;
const EFFECT = /^layers\(pure\): /u;
const CIRCLE = /^import\(no-cycle\): /u;
const READS = /^layers\(alone\): What a repository supplies is read by /u;
const STARTS = /^layers\(alone\): Programs are started by /u;
const HOMELESS = /^layers\(downward\): .* is in no layer: /u;

/** A planted file, its text, and what is to be said of it; nothing for what is allowed. */
const PLANTED: readonly (readonly [file: string, text: string, ...said: RegExp[]])[] = [
  ["src/plan/plan.ts", "export interface Plan { readonly pods: number }\nexport const none: Plan = { pods: 0 };\n"],
  ["src/ground/import.ts", 'import { none } from "../plan/plan.ts";\nexport const pods: number = none.pods;\n', UPWARD],
  ["src/ground/import-type.ts", 'import type { Plan } from "../plan/plan.ts";\nexport type Other = Plan;\n', UPWARD],
  ["src/ground/type-of-import.ts", 'export type Other = import("../plan/plan.ts").Plan;\n', UPWARD],
  ["src/ground/typeof-import.ts", 'export type All = typeof import("../plan/plan.ts");\n', UPWARD],
  ["src/ground/re-export.ts", 'export { none } from "../plan/plan.ts";\n', UPWARD],
  ["src/ground/re-export-all.ts", 'export * from "../plan/plan.ts";\n', UPWARD],
  ["src/ground/dynamic.ts", 'export const late = (): Promise<unknown> => import("../plan/plan.ts");\n', UPWARD],
  ["src/ground/require.ts", 'export const late = (): unknown => require("../plan/plan.ts");\n', UPWARD],
  [
    "src/ground/made-require.ts",
    'import { createRequire } from "node:module";\n' +
      'export const late = (): unknown => createRequire(import.meta.url)("../plan/plan.ts");\n',
    UPWARD,
  ],
  [
    "src/status/beside.ts",
    'export { none } from "../plan/plan.ts";\n',
    /^layers\(downward\): src\/plan stands beside src\/status: /u,
  ],
  ["src/new/new.ts", "export const one = 1;\n", HOMELESS],
  ["src/plan/of-new.ts", 'export { one } from "../new/new.ts";\n', HOMELESS],
  ["src/report/plan-text.ts", 'export { none } from "../plan/plan.ts";\n'],
  ["src/plan/a.ts", 'import type { B } from "./b.ts";\nexport type A = B | undefined;\n', CIRCLE],
  ["src/plan/b.ts", 'import type { A } from "./a.ts";\nexport type B = A | null;\n', CIRCLE],
  ["src/plan/fs.ts", 'import { readFileSync } from "node:fs";\nexport const read = readFileSync;\n', READS, EFFECT],
  ["src/plan/fs-promises.ts", 'export const late = (): Promise<unknown> => import("fs/promises");\n', READS, EFFECT],
  ["src/plan/program.ts", 'export { spawnSync } from "node:child_process";\n', STARTS, EFFECT],
  ["src/plan/environment.ts", "export const home = (): unknown => process.env;\n", EFFECT],
  ["src/plan/clock.ts", "export const now = (): Date => new Date();\n", EFFECT],
  ["src/plan/clock-number.ts", "export const now = (): number => Date.now();\n", EFFECT],
  ["src/plan/die.ts", "export const id = (): number => Math.random();\n", EFFECT],
  ["functions/restart/disk.ts", 'export { readFileSync } from "node:fs";\n', READS, EFFECT],
  [
    "src/plan/pure.ts",
    'import { createHash } from "node:crypto";\nexport const at = new Date(0);\nexport const hash = createHash;\n' +
      "export const own = (process: { readonly env: number }): number => process.env;\n",
  ],
  [
    "src/adapters/disk.ts",
    'import { existsSync, writeFileSync, type ReadStream, type Stats } from "node:fs";\n' +
      'import type { SpawnOptions } from "node:child_process";\n' +
      "export type All = Stats | ReadStream | SpawnOptions;\nexport const all = [existsSync, writeFileSync, process.pid];\n",
  ],
  ["src/adapters/repository-files.ts", 'export { readFileSync } from "node:fs";\n'],
  ["src/adapters/child-processes.ts", 'export { spawn } from "node:child_process";\n'],
  ["src/adapters/reads-a.ts", 'import { readFileSync as get } from "node:fs";\nexport const read = get;\n', READS],
  ["src/adapters/reads-b.ts", 'import * as fs from "node:fs";\nexport const read = fs.readFileSync;\n', READS],
  ["src/adapters/reads-c.ts", 'import fs from "fs";\nexport const read = fs.readFileSync;\n', READS],
  ["src/adapters/reads-d.ts", 'export { createReadStream, existsSync } from "fs";\n', READS],
  ["src/adapters/reads-e.ts", 'export * from "node:fs";\n', READS],
  ["src/adapters/reads-f.ts", 'export { readFile } from "fs/promises";\n', READS],
  ["src/adapters/reads-g.ts", 'export const late = (): Promise<unknown> => import("node:fs");\n', READS],
  ["src/adapters/reads-h.ts", 'export const late = (): unknown => require("fs/promises");\n', READS],
  [
    "src/adapters/reads-i.ts",
    'import { createRequire } from "node:module";\nexport const fs: unknown = createRequire(import.meta.url)("node:fs");\n',
    READS,
  ],
  ["src/adapters/reads-j.ts", 'export const fs: unknown = process.getBuiltinModule("fs");\n', READS],
  ["src/adapters/reads-k.ts", 'export { copyFileSync, cpSync } from "node:fs";\n', READS, READS],
  ["src/start/starts.ts", 'import { spawn } from "child_process";\nexport const start = spawn;\n', STARTS],
  ["src/adapters/starts.ts", 'export const late = (): Promise<unknown> => import("child_process");\n', STARTS],
];

describe("the layers", () => {
  let found: Map<string, string[]> = new Map();
  before(() => {
    const files: Record<string, string> = { [RULES]: "", [CONFIG]: "" };
    for (const file of Object.keys(files)) files[file] = readFileSync(inRoot(...file.split("/")), "utf8");
    for (const [file, text] of PLANTED) files[file] = text;
    return inFolder(files satisfies Files, (folder) => {
      found = lint(folder);
    });
  });

  for (const [file, , ...said] of PLANTED) {
    it(`${file}: ${said.length === 0 ? "is allowed" : "fails the check"}`, () => {
      const problems = (found.get(file) ?? []).toSorted();
      assert.equal(problems.length, said.length, problems.join("\n"));
      said.forEach((pattern, i) => assert.match(problems[i] ?? "", pattern));
    });
  }

  // Lint's rule knows no circle that closes by import() or require, however late that is.
  it("have no circle of files, by late imports neither", () => {
    const files = fg.sync(["src/**/*.ts", "functions/**/*.ts"], { cwd: inRoot("."), ignore: ["**/*.d.ts"] });
    const named = /(?:\bfrom|\bimport\(|\brequire\()\s*"(\.[^"]+)"/gu;
    const imports = new Map(
      files.map((file) => {
        const paths = [...readFileSync(inRoot(file), "utf8").matchAll(named)].map(([, path = ""]) => path);
        return [file, paths.map((path) => join(dirname(file), path.replace(/\.cjs$/u, ".ts")))];
      }),
    );
    const circles = files.filter((file) => {
      const reached = new Set(imports.get(file));
      for (const path of reached) for (const next of imports.get(path) ?? []) reached.add(next);
      return reached.has(file);
    });
    assert.deepEqual(circles, []);
    assert.ok(imports.get("src/start/cli.ts")?.includes("src/start/command-line.ts"), "late imports are seen");
  });

  it("stand in CONTRIBUTING.md as lint has them", () => {
    const { rules } = JSON.parse(readFileSync(inRoot(CONFIG), "utf8")) as {
      readonly rules: { readonly "layers/downward": readonly [string, readonly (readonly string[])[]] };
    };
    const contributing = readFileSync(inRoot("CONTRIBUTING.md"), "utf8");
    const rows =
      contributing
        .split(/\| layer +\|/u)[1]
        ?.split("\n\n")[0]
        ?.split("\n")
        .slice(2) ?? [];
    const told = rows.map((row) => [...(row.split("|")[1] ?? "").matchAll(/`([^`]+)`/gu)].map(([, folder]) => folder));
    assert.deepEqual(told, rules["layers/downward"][1]);
  });
});
