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

/** The problems that the rules of this repository find in each planted file. */
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

const UPWARD = /^layers\(downward\): src\/reports\/plan stands above src\/base: imports run downward\./u;
const EFFECT = /^layers\(pure\): /u;
const CIRCLE = /^import\(no-cycle\): /u;
const READS = /^layers\(alone\): What a repository supplies is read by /u;
const STARTS = /^layers\(alone\): Programs are started by /u;
const HOMELESS = /^layers\(downward\): .* is in no layer: /u;

/** A planted file, its text, and the expected problems. */
const PLANTED: readonly (readonly [file: string, text: string, ...said: RegExp[]])[] = [
  [
    "src/reports/plan/plan.ts",
    "export interface Plan { readonly pods: number }\nexport const none: Plan = { pods: 0 };\n",
  ],
  [
    "src/base/import.ts",
    'import { none } from "../reports/plan/plan.ts";\nexport const pods: number = none.pods;\n',
    UPWARD,
  ],
  [
    "src/base/import-type.ts",
    'import type { Plan } from "../reports/plan/plan.ts";\nexport type Other = Plan;\n',
    UPWARD,
  ],
  ["src/base/type-of-import.ts", 'export type Other = import("../reports/plan/plan.ts").Plan;\n', UPWARD],
  ["src/base/typeof-import.ts", 'export type All = typeof import("../reports/plan/plan.ts");\n', UPWARD],
  ["src/base/re-export.ts", 'export { none } from "../reports/plan/plan.ts";\n', UPWARD],
  ["src/base/re-export-all.ts", 'export * from "../reports/plan/plan.ts";\n', UPWARD],
  ["src/base/dynamic.ts", 'export const late = (): Promise<unknown> => import("../reports/plan/plan.ts");\n', UPWARD],
  ["src/base/require.ts", 'export const late = (): unknown => require("../reports/plan/plan.ts");\n', UPWARD],
  [
    "src/base/made-require.ts",
    'import { createRequire } from "node:module";\n' +
      'export const late = (): unknown => createRequire(import.meta.url)("../reports/plan/plan.ts");\n',
    UPWARD,
  ],
  [
    "src/reports/status/beside.ts",
    'export { none } from "../plan/plan.ts";\n',
    /^layers\(downward\): src\/reports\/plan stands beside src\/reports\/status: /u,
  ],
  ["src/new/new.ts", "export const first = 1;\n", HOMELESS],
  ["src/reports/plan/of-new.ts", 'export { first } from "../../new/new.ts";\n', HOMELESS],
  ["src/output/plan-text.ts", 'export { none } from "../reports/plan/plan.ts";\n'],
  ["src/reports/plan/a.ts", 'import type { B } from "./b.ts";\nexport type A = B | undefined;\n', CIRCLE],
  ["src/reports/plan/b.ts", 'import type { A } from "./a.ts";\nexport type B = A | null;\n', CIRCLE],
  [
    "src/reports/plan/fs.ts",
    'import { readFileSync } from "node:fs";\nexport const read = readFileSync;\n',
    READS,
    EFFECT,
  ],
  [
    "src/reports/plan/fs-promises.ts",
    'export const late = (): Promise<unknown> => import("fs/promises");\n',
    READS,
    EFFECT,
  ],
  ["src/reports/plan/program.ts", 'export { spawnSync } from "node:child_process";\n', STARTS, EFFECT],
  ["src/reports/plan/environment.ts", "export const home = (): unknown => process.env;\n", EFFECT],
  ["src/reports/plan/clock.ts", "export const now = (): Date => new Date();\n", EFFECT],
  ["src/reports/plan/clock-number.ts", "export const now = (): number => Date.now();\n", EFFECT],
  ["src/reports/plan/die.ts", "export const id = (): number => Math.random();\n", EFFECT],
  ["functions/restart/disk.ts", 'export { readFileSync } from "node:fs";\n', READS, EFFECT],
  [
    "src/reports/plan/pure.ts",
    'import { createHash } from "node:crypto";\nexport const epoch = new Date(0);\nexport const hash = createHash;\n' +
      "export const variables = (process: { readonly env: number }): number => process.env;\n",
  ],
  [
    "src/node/disk.ts",
    'import { existsSync, writeFileSync, type ReadStream, type Stats } from "node:fs";\n' +
      'import type { SpawnOptions } from "node:child_process";\n' +
      "export type All = Stats | ReadStream | SpawnOptions;\nexport const all = [existsSync, writeFileSync, process.pid];\n",
  ],
  ["src/node/repository-files.ts", 'export { readFileSync } from "node:fs";\n'],
  ["src/node/processes.ts", 'export { spawn } from "node:child_process";\n'],
  ["src/node/reads-a.ts", 'import { readFileSync as get } from "node:fs";\nexport const read = get;\n', READS],
  ["src/node/reads-b.ts", 'import * as fs from "node:fs";\nexport const read = fs.readFileSync;\n', READS],
  ["src/node/reads-c.ts", 'import fs from "fs";\nexport const read = fs.readFileSync;\n', READS],
  ["src/node/reads-d.ts", 'export { createReadStream, existsSync } from "fs";\n', READS],
  ["src/node/reads-e.ts", 'export * from "node:fs";\n', READS],
  ["src/node/reads-f.ts", 'export { readFile } from "fs/promises";\n', READS],
  ["src/node/reads-g.ts", 'export const late = (): Promise<unknown> => import("node:fs");\n', READS],
  ["src/node/reads-h.ts", 'export const late = (): unknown => require("fs/promises");\n', READS],
  [
    "src/node/reads-i.ts",
    'import { createRequire } from "node:module";\nexport const fs: unknown = createRequire(import.meta.url)("node:fs");\n',
    READS,
  ],
  ["src/node/reads-j.ts", 'export const fs: unknown = process.getBuiltinModule("fs");\n', READS],
  ["src/node/reads-k.ts", 'export { copyFileSync, cpSync } from "node:fs";\n', READS, READS],
  ["src/main/starts.ts", 'import { spawn } from "child_process";\nexport const start = spawn;\n', STARTS],
  ["src/node/starts.ts", 'export const late = (): Promise<unknown> => import("child_process");\n', STARTS],
];

describe("the layers", () => {
  let found: Map<string, string[]> = new Map();
  before(() => {
    const files: Record<string, string> = { [RULES]: "", "scripts/lint/messages.mjs": "", [CONFIG]: "" };
    for (const file of Object.keys(files)) files[file] = readFileSync(inRoot(...file.split("/")), "utf8");
    for (const [file, text] of PLANTED) files[file] = text;
    return inFolder(files satisfies Files, (folder) => {
      found = lint(folder);
    });
  });

  for (const [file, , ...said] of PLANTED) {
    it(`${file}: ${said.length === 0 ? "is allowed" : "is refused"}`, () => {
      const problems = (found.get(file) ?? []).toSorted();
      assert.equal(problems.length, said.length, problems.join("\n"));
      said.forEach((pattern, i) => assert.match(problems[i] ?? "", pattern));
    });
  }

  // The rule of lint ignores import() and require().
  it("have no import cycle, including late imports", () => {
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
    assert.ok(imports.get("src/node/files.ts")?.includes("src/node/setup-files.ts"), "late imports are seen");
  });

  it("are the same in CONTRIBUTING.md and in lint", () => {
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
    const layers = rows.map((row) =>
      [...(row.split("|")[1] ?? "").matchAll(/`([^`]+)`/gu)].map(([, folder]) => folder),
    );
    assert.deepEqual(layers, rules["layers/downward"][1]);
  });
});
