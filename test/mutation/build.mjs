// Compiles the mutated sources and the tests of Stryker's copy of the project. Types don't count: a
// mutant need not have any. The tests' "node:test" becomes Mocha, which runs them inside Stryker's
// worker, one by one: a mutant meets only the tests that reach it, in milliseconds. node:test would
// take a process for each file of tests and mutant.
import { execFileSync } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import fg from "fast-glob";

const options = ["--noCheck", "--declaration", "false", "--isolatedDeclarations", "false"];
const typescript = dirname(createRequire(import.meta.url).resolve("typescript/package.json"));
execFileSync(process.execPath, [join(typescript, "bin/tsc"), "-p", "tsconfig.json", ...options], {
  stdio: "inherit",
});
for (const made of ["src/config/validators.js", "src/report/html/pages.js"]) cpSync(made, `.build/${made}`);
writeFileSync(".build/package.json", JSON.stringify({ type: "module", version: "0.0.0" }));

const mocha = JSON.stringify(pathToFileURL("test/mutation/node-test.mjs").href);
for (const file of fg.sync(".build/test/**/*.test.js", { dot: true })) {
  writeFileSync(file, readFileSync(file, "utf8").replace('"node:test"', mocha));
}
