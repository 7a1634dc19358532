// Compiles the mutated sources and the tests in Stryker's copy of the project, without type checks. "node:test" is replaced
// by Mocha, which runs inside Stryker's worker: a mutant runs only the tests that reach it, in milliseconds. node:test would
// need a process for each test file and mutant.
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import fg from "fast-glob";
import { compile } from "../../scripts/compile.mjs";

await compile({ version: "0.0.0", check: false });

const mocha = JSON.stringify(pathToFileURL("test/mutation/node-test.mjs").href);
for (const file of fg.sync(".build/test/**/*.test.js", { dot: true })) {
  writeFileSync(file, readFileSync(file, "utf8").replace('"node:test"', mocha));
}
