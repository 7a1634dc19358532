// Runs the compiled tests of one group with node:test: every test/<area>/*.test.ts but the areas
// that need other programs ("hosts", "e2e") is a unit test. Finding no test file is a failure.
import { spawnSync } from "node:child_process";
import fg from "fast-glob";

const APART = ["hosts", "e2e"];
const [group = "unit", ...rest] = process.argv.slice(2);
const pattern = group === "unit" ? ".build/test/**/*.test.js" : `.build/test/${group}/**/*.test.js`;
const ignore = group === "unit" ? APART.map((area) => `.build/test/${area}/**`) : [];
const files = fg.sync(pattern, { ignore, dot: true }).sort();
if (files.length === 0) {
  console.error(`no test file matches ${pattern}`);
  process.exit(1);
}
const { status } = spawnSync(process.execPath, ["--test", "--test-reporter=spec", ...rest, ...files], {
  stdio: "inherit",
});
process.exit(status ?? 1);
