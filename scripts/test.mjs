// Runs the compiled tests of one group with node:test: "unit", "programs" (tests that start git or rollstamp itself), "hosts",
// "e2e", or a single area such as "reports/plan". No test file is a failure.
//
// Areas share processes: starting Node and loading src/ for each file takes longer than most tests. Files that wait long for
// programs have their own process and start early. A single area has a process for each file, which shows files that depend on
// others.
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
/** The minimum number of files in a process; areas are not split. */
const TOGETHER = 20;
const GROUPS = ".build/groups";

const [group = "unit", ...rest] = process.argv.slice(2);
const isShared = group === "unit" || group === "programs";
const files = isShared
  ? fg
      .sync(".build/test/**/*.test.js", { ignore: APART.map((area) => `.build/test/${area}/**`), dot: true })
      .filter((file) => startsPrograms(file) === (group === "programs"))
  : fg.sync(`.build/test/${group}/**/*.test.js`, { dot: true });
files.sort();
if (files.length === 0) {
  console.error(`there is no test file of ${group}`);
  process.exit(1);
}

// Node's default leaves one processor idle, which is half of two. One process more than processors works while another one
// waits.
const isReported = rest.some((option) => option.startsWith("--test-reporter"));
const reporter = isShared ? "./scripts/failures-reporter.mjs" : "spec";
const options = [
  "--test",
  // A test that hangs, or whose time is quadratic in its input, fails instead of running for ever.
  `--test-timeout=${isShared ? 600_000 : 3_600_000}`,
  ...(isReported ? [] : [`--test-reporter=${reporter}`]),
  `--test-concurrency=${availableParallelism() + (isShared ? 1 : 0)}`,
  ...rest,
];
const { status } = spawnSync(process.execPath, [...options, ...(isShared ? writeGroups(files) : files)], {
  stdio: "inherit",
});
process.exit(status ?? 1);

/** Writes a module for each process, which imports its files in order. */
function writeGroups(all) {
  const nameOf = (file) => `${basename(dirname(file))}/${basename(file, ".test.js")}`;
  const alone = all.filter((file) => [...LONG, ...MEASURING].includes(nameOf(file)));
  const together = [];
  let area;
  for (const file of all.filter((one) => !alone.includes(one))) {
    if (area === undefined || (dirname(file) !== area && together.at(-1).length >= TOGETHER)) together.push([]);
    area = dirname(file);
    together.at(-1).push(file);
  }
  const groups = [...alone.map((file) => [file]), ...together];
  rmSync(GROUPS, { recursive: true, force: true });
  mkdirSync(GROUPS, { recursive: true });
  return groups.map((members, i) => {
    const areas = [...new Set(members.map((file) => basename(dirname(file))))];
    const module = join(GROUPS, `${String(i).padStart(2, "0")}-${areas.join("-")}.test.js`);
    writeFileSync(module, members.map((file) => `import "${relative(GROUPS, file)}";\n`).join(""));
    return module;
  });
}
