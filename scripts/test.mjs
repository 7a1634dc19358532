// Runs the compiled tests of one group with node:test: every test/<area>/*.test.ts but the areas
// that need other programs ("hosts", "e2e") is a unit test. Finding no test file is a failure.
//
// For all unit tests, the files of an area share one process: starting Node and reading src/ anew for
// each of them takes longer than most run. Those that take long have one of their own, so that both
// processors are busy to the end. An area alone (`node scripts/test.mjs plan`) has a process for each
// file, so a file that needs another one's leavings is found.
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { basename, dirname, join, relative } from "node:path";
import fg from "fast-glob";

const APART = ["hosts", "e2e"];
const LONG = ["commands/faults", "digest/spellings", "hostile/secrets"];
const GROUPS = ".build/groups";

const [group = "unit", ...rest] = process.argv.slice(2);
const pattern = group === "unit" ? ".build/test/**/*.test.js" : `.build/test/${group}/**/*.test.js`;
const ignore = group === "unit" ? APART.map((area) => `.build/test/${area}/**`) : [];
const files = fg.sync(pattern, { ignore, dot: true }).sort();
if (files.length === 0) {
  console.error(`no test file matches ${pattern}`);
  process.exit(1);
}

// Node's own default leaves one processor idle: of two that is half of them.
const options = ["--test", "--test-reporter=spec", `--test-concurrency=${availableParallelism()}`, ...rest];
const { status } = spawnSync(process.execPath, [...options, ...(group === "unit" ? writeGroups(files) : files)], {
  stdio: "inherit",
});
process.exit(status ?? 1);

/** Writes a module for each process, which imports its files one after another. Long ones start first. */
function writeGroups(all) {
  const groups = new Map(LONG.map((name, i) => [`${i}-${name.replace("/", "-")}`, []]));
  for (const file of all) {
    const area = basename(dirname(file));
    const long = LONG.indexOf(`${area}/${basename(file, ".test.js")}`);
    const name = long === -1 ? area : `${long}-${LONG[long].replace("/", "-")}`;
    groups.set(name, [...(groups.get(name) ?? []), file]);
  }
  rmSync(GROUPS, { recursive: true, force: true });
  mkdirSync(GROUPS, { recursive: true });
  return [...groups].map(([name, members]) => {
    if (members.length === 0) throw new Error(`scripts/test.mjs: there is no ${name}`);
    const module = join(GROUPS, `${name}.test.js`);
    writeFileSync(module, members.map((file) => `import "${relative(GROUPS, file)}";\n`).join(""));
    return module;
  });
}
