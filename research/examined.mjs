// What each command examines in public repositories, as a table.
//
//   node research/examined.mjs FOLDER...                 each folder of FOLDER is a repository
//   node research/examined.mjs --out FILE FOLDER...
//
// Commands run without renderings. `plan` compares a repository with itself: nothing may roll.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { out: { type: "string" }, program: { type: "string", default: "dist/rollstamp.cjs" } },
});
if (positionals.length === 0) {
  console.error("usage: node research/examined.mjs [--out FILE] [--program FILE] FOLDER...");
  process.exit(2);
}
const program = resolve(options.program);

const repositories = positionals
  .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
  .filter((folder) => statSync(folder).isDirectory())
  .sort();

/** The commands, with their arguments. */
const COMMANDS = [
  { name: "lint", args: (folder) => ["lint", "-o", "json", folder] },
  { name: "graph", args: (folder) => ["graph", "-o", "json", folder] },
  { name: "digest", args: (folder) => ["digest", "-o", "json", folder] },
  { name: "plan", args: (folder) => ["plan", "-o", "json", folder, folder] },
  { name: "stamp --check", args: (folder) => ["stamp", "--check", folder] },
  { name: "stamp --check --scope file", args: (folder) => ["stamp", "--check", "--scope", "file", folder] },
];

// Without the configuration of the person who runs it.
const environment = { PATH: process.env.PATH, HOME: mkdtempSync(join(tmpdir(), "rollstamp-examined-")) };

function run(args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    cwd: args.at(-1),
    encoding: "utf8",
    env: environment,
    maxBuffer: 1 << 30,
  });
  // Messages begin with the program's name: anything else is a crash.
  if (status === null || (stderr !== "" && !stderr.startsWith("rollstamp: ")))
    throw new Error(`rollstamp ${args.join(" ")}: ${stderr}`);
  return { status, stdout, stderr };
}

function counted(n, word) {
  return `${n} ${word}${n === 1 ? "" : "s"}`;
}

/** A report in a few words. */
function words({ status, stdout, stderr }, isCheck, folder) {
  if (isCheck) {
    if (status !== 2) return `${status}: ${counted(stdout.split("\n").length - 1, "file")} would change`;
  } else if (stdout !== "") {
    const { examined, findings = [], results, sources, summary } = JSON.parse(stdout);
    const seen = `${status}: ${counted(examined.workloads, "workload")} among ${counted(examined.objects, "object")}`;
    if (results !== undefined) return `${seen}, ${counted(results.length, "finding")}`;
    if (summary !== undefined) {
      const unsure = findings.filter(({ id }) => id === "ambiguous-source").length;
      return `${seen}, ${summary.rolls} roll${unsure === 0 ? "" : `, ${counted(unsure, "reference")} unsure`}`;
    }
    const there = sources.filter(({ coverage }) => coverage !== "missing");
    return `${seen}, ${counted(there.length, "source")}`;
  }
  return `${status}: ${reason(stderr).replaceAll(`${resolve(folder)}/`, "")}`;
}

const REASONS = [
  [/nothing was examined/u, "nothing was examined"],
  [/is duplicated/u, "a duplicate object"],
  [/there are no Kubernetes manifests/u, "no manifests"],
];

function reason(stderr) {
  return REASONS.find(([pattern]) => pattern.test(stderr))?.[1] ?? /^rollstamp: error: (.*)$/mu.exec(stderr)?.[1] ?? "";
}

function notExamined({ stdout }) {
  if (stdout === "") return "no report";
  const counts = new Map();
  for (const { kind } of JSON.parse(stdout).notExamined) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts].map(([kind, count]) => `${count} ${kind}`).join(", ") || "nothing";
}

const rows = repositories.map((folder) => {
  const runs = COMMANDS.map(({ name, args }) => ({ name, run: run(args(resolve(folder))) }));
  const [{ run: linted }] = runs;
  console.error(basename(folder));
  return [
    basename(folder).replace("+", "/"),
    notExamined(linted),
    ...runs.map(({ name, run: ran }) => words(ran, name.startsWith("stamp"), folder)),
  ];
});
rmSync(environment.HOME, { recursive: true, force: true });

const { version } = JSON.parse(readFileSync("package.json", "utf8"));
const date = new Date().toISOString().slice(0, 10);
const heads = ["repository", "not examined", ...COMMANDS.map(({ name }) => name)];
const line = (cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |\n`;
const table = line(heads) + line(heads.map(() => "---")) + rows.map(line).join("");
const text = `# What is examined in public repositories

What each command examines in ${rows.length} public repositories without rendering: exit status and counts. Measured
${date} with version ${version}.

${table}`;
if (options.out === undefined) process.stdout.write(text);
else writeFileSync(options.out, text);
