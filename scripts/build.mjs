// Builds what ships: the validators of every function's schema, the texts of the HTML reports, the
// bundles of the command, the library with its types. With --tests it also compiles src and test into
// .build, as they stand.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { writeBundles } from "./bundles.mjs";
import { writeCodeCache } from "./code-cache.mjs";
import { writePages } from "./pages.mjs";
import { writeSbom } from "./sbom.mjs";
import { writeValidators } from "./validators.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
process.chdir(root);
const { version } = JSON.parse(readFileSync("package.json", "utf8"));
const tests = process.argv.includes("--tests");

const validators = writeValidators("src/config/validators.js");
writePages("src/report/html/pages.js");

rmSync("dist", { recursive: true, force: true });
mkdirSync("dist/schemas", { recursive: true });

const bundles = await writeBundles(version);
writeSbom([...validators, ...bundles]);
writeCodeCache("dist");

const tsc = (...args) =>
  execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", ...args], { stdio: "inherit" });
tsc("-p", "scripts/tsconfig.types.json");

for (const name of ["config-hash", "restart", "rollout-lint"]) {
  const schema = `functions/${name}/schema.json`;
  if (existsSync(schema)) cpSync(schema, `dist/schemas/${name}.json`);
}

// The shapes that commands print.
for (const name of readdirSync("schemas")) cpSync(`schemas/${name}`, `dist/schemas/${name}`);

if (tests) {
  rmSync(".build", { recursive: true, force: true });
  tsc("-p", "tsconfig.json", "--declaration", "false", "--isolatedDeclarations", "false");
  for (const made of ["src/config/validators.js", "src/report/html/pages.js"]) cpSync(made, `.build/${made}`);
  cpSync("dist/cluster.cjs", ".build/src/cluster.cjs");
  writeFileSync(".build/package.json", JSON.stringify({ type: "module", version }));
}
