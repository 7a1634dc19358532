// Compiles the mutated sources and the tests of Stryker's copy of the project. Types don't count: a
// mutant need not have any. The tests' "node:test" becomes Mocha, which runs them inside Stryker's
// worker, one by one: a mutant meets only the tests that reach it, in milliseconds. node:test would
// take a process for each file of tests and mutant.
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import fg from "fast-glob";
import { compile } from "../../scripts/compile.mjs";

await compile({ version: "0.0.0", check: false });

const mocha = JSON.stringify(pathToFileURL("test/mutation/node-test.mjs").href);
for (const file of fg.sync(".build/test/**/*.test.js", { dot: true })) {
  writeFileSync(file, readFileSync(file, "utf8").replace('"node:test"', mocha));
}
