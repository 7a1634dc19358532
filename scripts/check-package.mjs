// Packs the package, installs it into a temporary folder, and compiles and runs a program that uses it. The consumer
// checks the declarations too (skipLibCheck: false) and has no other package installed.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc");

const CONSUMER = `import { RollstampError, stamp, type ConfigHashOptions, type KrmResult, type PlanReport } from "rollstamp";

const options: ConfigHashOptions = { layout: "Combined" };
const source = "apiVersion: v1\\nkind: ConfigMap\\nmetadata: {name: a}\\n";
const { text, results }: { readonly text: string; readonly results: readonly KrmResult[] } = stamp(source, options);
if (text !== source || results.length > 0) throw new Error(text);
try {
  stamp("a: [");
} catch (cause) {
  if (!(cause instanceof RollstampError)) throw cause;
}
export const rolls = (plan: PlanReport): number => plan.summary.rolls;
// @ts-expect-error: options are checked.
export const wrong: ConfigHashOptions = { layout: "Other" };
`;

const CONFIG = {
  compilerOptions: {
    module: "nodenext",
    target: "es2022",
    lib: ["es2022"],
    types: [],
    strict: true,
    skipLibCheck: false,
  },
};

const folder = mkdtempSync(join(tmpdir(), "rollstamp-package-"));
const run = (program, ...args) => {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: folder, encoding: "utf8" });
  if (status === 0) return;
  console.error(`${program} ${args.join(" ")}\n${stdout}${stderr}`);
  process.exitCode = 1;
};
try {
  const packed = execFileSync("npm", ["pack", "--silent", "--pack-destination", folder], {
    cwd: root,
    encoding: "utf8",
  });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "consumer", private: true, type: "module" }));
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(CONFIG));
  writeFileSync(join(folder, "consumer.ts"), CONSUMER);
  run("npm", "install", "--offline", "--no-audit", "--no-fund", join(folder, packed.trim().split("\n").at(-1)));
  run(process.execPath, tsc);
  run(process.execPath, "consumer.js");
  run("npx", "--no-install", "rollstamp", "--version");
} finally {
  rmSync(folder, { recursive: true, force: true });
}
