// Mutation testing of the core: changes it in thousands of small ways and lists the changes that no test notices.
// `npm run test:mutation -- src/stamping/policy src/yaml/edit/flow.ts` takes files and folders; the default is the whole
// core; `--short` is what CI runs; `--static` includes tables. It fails for a surviving mutant without a reason in
// explained.yaml, for a score below the minimum of an area, and for a row of explained.yaml whose line does not exist.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import fg from "fast-glob";
import { parse } from "yaml";
import { startsPrograms } from "../../scripts/starts-programs.mjs";
import { toolPackages } from "../../scripts/tool-packages.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "..", "..");
process.chdir(root);

/**
 * The mutated folders of src/ (`only` some files) and the folders and files of test/ that must notice. A surviving mutant runs
 * every test that reaches it, so these must be few. Each survivor needs a reason, unless the tests notice `least` percent.
 */
const AREAS = {
  "base/digest": { tests: ["base/digest"] },
  "stamping/stamps": {
    tests: [
      "stamping/stamps",
      "fixtures",
      "output",
      "reports/plan/compare",
      "reports/plan/templates",
      "reports/plan/configured-kinds",
      "kubernetes/sources/kustomize-hash",
    ],
  },
  base: { only: ["selector", "stamp-keys"], tests: ["base", "stamping/stamps"] },
  "stamping/policy": { tests: ["stamping/policy", "fixtures", "output"] },
  "yaml/edit": { tests: ["yaml/edit", "fixtures", "output"] },
  "kubernetes/workloads": {
    only: ["references", "containers", "volumes", "paths", "find-workloads"],
    tests: ["kubernetes/workloads", "fixtures", "output"],
  },
  "kubernetes/rollout": { tests: ["kubernetes/rollout", "reports/plan"], least: 90 },
  "reports/plan": { tests: ["reports/plan"], least: 90 },
};

/** These test files detect no more mutants: they run everything at once. Those that start programs are too slow as well. */
const SLOW = [
  "base/digest/python-reference",
  "base/digest/spellings",
  "base/digest/stability",
  "reports/plan/kept-memory",
  "reports/plan/live",
  "reports/plan/workflow",
  "kubernetes/rollout/agreement",
  ...fg
    .sync("test/**/*.test.ts")
    .filter(startsPrograms)
    .map((file) => file.slice("test/".length, -".test.ts".length)),
];

const CORE = Object.entries(AREAS).flatMap(([area, { only }]) =>
  only === undefined ? [`src/${area}`] : only.map((name) => `src/${area}/${name}.ts`),
);
const SHORT = ["src/base/selector.ts", "src/reports/plan/limits.ts", "src/reports/plan/value-diffs.ts"];

const compact = (part) => part.replace(/\s+/gu, " ").trim();
const explained = parse(readFileSync(join(here, "explained.yaml"), "utf8")) ?? [];
reportStaleRows();

const args = process.argv.slice(2);
const named = args.filter((arg) => !arg.startsWith("-"));
const wanted = named.length > 0 ? named : args.includes("--short") ? SHORT : CORE;

const modules = toolPackages(".cache/tools/mutation", [
  "@stryker-mutator/core@9.6.1",
  "@stryker-mutator/mocha-runner@9.6.1",
  "mocha@11.8.0",
]);
execFileSync(process.execPath, ["scripts/build.mjs"], { stdio: "inherit" });
const { Stryker } = await import(pathToFileURL(join(root, modules, "@stryker-mutator/core/dist/src/index.js")).href);

const mutants = [];
for (const area of new Set(wanted.map(areaOf))) {
  mutants.push(
    ...(await mutantsOf(
      area,
      wanted.filter((path) => areaOf(path) === area),
    )),
  );
}
reportSurvivors(mutants);

/** Reports rows whose line does not exist, for all files, before anything runs. */
function reportStaleRows() {
  const linesOf = (file) => (existsSync(file) ? readFileSync(file, "utf8").split("\n").map(compact) : []);
  const known = new Map(
    [...new Set(explained.map(({ file }) => file))].map((file) => [file, new Set(linesOf(file ?? ""))]),
  );
  for (const { file, line, mutant } of explained) {
    if (file === undefined || (line === undefined ? existsSync(file) : known.get(file).has(line))) continue;
    console.log(`explained, but the line does not exist: ${file} ${line ?? ""}\n  ${mutant}`);
    process.exitCode = 1;
  }
}

/** The area of a file or folder: the longest match. */
function areaOf(path) {
  const areas = Object.keys(AREAS).filter((area) => `${path}/`.startsWith(`src/${area}/`));
  const [longest] = areas.sort((a, b) => b.length - a.length);
  if (longest === undefined) throw new Error(`${path} is in no area of test/mutation/run.mjs`);
  return longest;
}

/** Runs the mutants of one area. */
function mutantsOf(area, paths) {
  const { tests } = AREAS[area];
  const report = `.cache/mutation/${area}`;
  rmSync(report, { recursive: true, force: true });
  const stryker = new Stryker({
    mutate: paths.map((path) => (statSync(path).isDirectory() ? join(path, "**/*.ts") : path)),
    testRunner: "mocha",
    plugins: ["@stryker-mutator/mocha-runner"],
    mochaOptions: {
      spec: tests.map((path) => `.build/test/${existsSync(`test/${path}.test.ts`) ? path : `${path}/*`}.test.js`),
      ignore: SLOW.map((name) => `.build/test/${name}.test.js`),
      "no-config": true,
      "no-opts": true,
      "no-package": true,
    },
    buildCommand: "node test/mutation/build.mjs",
    coverageAnalysis: "perTest",
    // Code that runs while a module loads, such as tables, needs a new process for each mutant.
    ignoreStatic: !args.includes("--static"),
    concurrency: 1,
    timeoutMS: 10_000,
    // The copy is inside the checkout, so that it finds the packages.
    tempDirName: ".cache/mutation/copies",
    symlinkNodeModules: false,
    ignorePatterns: [".build", ".cache", ".ci", ".github", "bench", "examples", "test/fuzz"],
    reporters: ["progress-append-only", "clear-text", "json", "html"],
    logLevel: "error",
    jsonReporter: { fileName: `${report}/report.json` },
    htmlReporter: { fileName: `${report}/report.html` },
    clearTextReporter: { allowColor: process.stdout.isTTY, reportTests: false, reportMutants: false },
    allowConsoleColors: process.stdout.isTTY,
    disableTypeChecks: false,
    // Stryker would read tsconfig.json with the old API of TypeScript, which version 7 does not have.
    tsconfigFile: "none",
  });
  return stryker.runMutationTest();
}

/** Prints survivors without a row in explained.yaml, rows without a survivor, and the scores. */
function reportSurvivors(all) {
  // A row without a line applies to every line of its file; a row without a file to every file.
  const explains = (row, mutant) =>
    row.mutant === mutant.mutant &&
    (row.file === undefined || row.file === mutant.file) &&
    (row.line === undefined || row.line === mutant.line);
  const counted = all.filter(({ status }) => status !== "Ignored");
  const survivors = counted
    .filter(({ status }) => status === "Survived" || status === "NoCoverage")
    .map(describeMutant);
  const unknown = survivors.filter((mutant) => !explained.some((row) => explains(row, mutant)));
  const files = new Set(all.map(({ fileName }) => relative(root, fileName)));
  const stale = explained.filter((row) => files.has(row.file) && !survivors.some((mutant) => explains(row, mutant)));
  for (const { file, row, line, mutant } of unknown) console.log(`survived: ${file}:${row}\n  ${line}\n  ${mutant}`);
  for (const { file, line = "", mutant } of stale)
    console.log(`explained, but it did not survive: ${file} ${line}\n  ${mutant}`);
  if (stale.length > 0) process.exitCode = 1;

  for (const area of new Set([...files].map(areaOf))) {
    const countOf = (list) => list.filter(({ file }) => areaOf(file) === area).length;
    const total = countOf(counted.map(({ fileName }) => ({ file: relative(root, fileName) })));
    const score = total === 0 ? 100 : (100 * (total - countOf(survivors))) / total;
    const { least } = AREAS[area];
    console.log(
      `src/${area}: ${total} mutants, ${total - countOf(survivors)} detected (${score.toFixed(1)} %), ${countOf(unknown)} survivors without a row`,
    );
    if (least === undefined ? countOf(unknown) > 0 : score < least) process.exitCode = 1;
  }
  console.log(`${counted.length} mutants, ${survivors.length} survivors; ${all.length - counted.length} skipped`);
  const apart = counted.filter(({ static: runsOnLoading }) => runsOnLoading === true).length;
  if (apart > 0)
    console.log(`${apart} had a process each: tests reach them while they are collected, not inside \`it\``);
}

function describeMutant({ fileName, location: { start, end }, replacement }) {
  const lines = readFileSync(fileName, "utf8")
    .split("\n")
    .slice(start.line - 1, end.line);
  const last = lines.length - 1;
  const text = lines.map((line, i) =>
    line.slice(i === 0 ? start.column - 1 : 0, i === last ? end.column - 1 : undefined),
  );
  return {
    file: relative(root, fileName),
    row: start.line,
    line: compact(lines[0]),
    mutant: `${compact(text.join(" "))} → ${compact(replacement)}`,
  };
}
