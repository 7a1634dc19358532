// Runs the compiled tests of one group with node:test. Every test/<area>/*.test.ts is a unit test, except in the areas that
// need other programs ("hosts", "e2e"). No test file is a failure.
//
// Areas of unit tests share processes: starting Node and loading src/ for each file takes longer than most tests. Files that
// wait long for programs have their own process and start early. Starting a program copies the page tables of the process,
// which takes longer the more tests have run in it, so files that start programs are grouped. A single area
// (`node scripts/test.mjs reports/plan`) has a process for each file, which shows files that depend on others.
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { basename, dirname, join, relative } from "node:path";
import fg from "fast-glob";
import { startsPrograms } from "./starts-programs.mjs";

const APART = ["hosts", "e2e"];
const LONG = ["status/wait", "hostile/secrets", "commands/faults", "plan/git", "plan/shards", "status/faults"];
/** Also in their own process: they measure memory. */
const MEASURING = ["plan/kept-memory"];
const ALONE = [...LONG, ...MEASURING];
/** The minimum number of files in a process; areas are not split. */
const TOGETHER = 20;
const GROUPS = ".build/groups";

const [group = "unit", ...rest] = process.argv.slice(2);
const pattern = group === "unit" ? ".build/test/**/*.test.js" : `.build/test/${group}/**/*.test.js`;
const ignore = group === "unit" ? APART.map((area) => `.build/test/${area}/**`) : [];
const files = fg.sync(pattern, { ignore, dot: true }).sort();
if (files.length === 0) {
  console.error(`no test file matches ${pattern}`);
  process.exit(1);
}

// Node's default leaves one processor idle, which is half of two. One process more than processors works while another one
// waits.
const isReported = rest.some((option) => option.startsWith("--test-reporter"));
const reporter = group === "unit" ? "./scripts/failures-reporter.mjs" : "spec";
const options = [
  "--test",
  // A test that hangs, or whose time is quadratic in its input, fails instead of running for ever.
  `--test-timeout=${group === "unit" ? 600_000 : 3_600_000}`,
  ...(isReported ? [] : [`--test-reporter=${reporter}`]),
  `--test-concurrency=${availableParallelism() + (group === "unit" ? 1 : 0)}`,
  ...rest,
];
const { status } = spawnSync(process.execPath, [...options, ...(group === "unit" ? writeGroups(files) : files)], {
  stdio: "inherit",
});
process.exit(status ?? 1);

/** Writes a module for each process, which imports its files in order. */
function writeGroups(all) {
  const nameOf = (file) => `${basename(dirname(file))}/${basename(file, ".test.js")}`;
  const alone = ALONE.map((name) => all.filter((file) => nameOf(file) === name));
  for (const [i, members] of alone.entries()) if (members.length === 0) throw new Error(`there is no ${ALONE[i]}`);
  const others = all.filter((one) => !ALONE.includes(nameOf(one)));
  const starting = others.filter(startsPrograms);
  const together = [];
  for (const part of [starting, others.filter((file) => !starting.includes(file))]) {
    let area;
    for (const file of part) {
      if (area === undefined || (dirname(file) !== area && together.at(-1).length >= TOGETHER)) together.push([]);
      area = dirname(file);
      together.at(-1).push(file);
    }
  }
  const groups = together.flatMap((members, i) => [...alone.slice(i, i + 1), members]);
  groups.push(...alone.slice(together.length));
  rmSync(GROUPS, { recursive: true, force: true });
  mkdirSync(GROUPS, { recursive: true });
  return groups.map((members, i) => {
    const areas = [...new Set(members.map((file) => basename(dirname(file))))];
    const module = join(GROUPS, `${String(i).padStart(2, "0")}-${areas.join("-")}.test.js`);
    writeFileSync(module, members.map((file) => `import "${relative(GROUPS, file)}";\n`).join(""));
    return module;
  });
}
