// What each command examines in repositories, as a table: command × repository.
//
//   node scripts/examined.mjs FOLDER...                 each folder of FOLDER is a repository
//   node scripts/examined.mjs --out docs/examined.md FOLDER...
//
// Commands run as they are, without renderings: the table shows what of a repository they look at by themselves, and
// that they say so. `plan` compares a repository with itself: nothing may roll.
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
  console.error("usage: node scripts/examined.mjs [--out FILE] [--program FILE] FOLDER...");
  process.exit(2);
}
const program = resolve(options.program);

const repositories = positionals
  .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
  .filter((folder) => statSync(folder).isDirectory())
  .sort();

/** Each command, and how its JSON is had: one that prints none has an empty report. */
const COMMANDS = [
  { name: "lint", args: (folder) => ["lint", "-o", "json", folder] },
  { name: "graph", args: (folder) => ["graph", "-o", "json", folder] },
  { name: "digest", args: (folder) => ["digest", "-o", "json", folder] },
  { name: "plan", args: (folder) => ["plan", "-o", "json", folder, folder] },
  { name: "stamp --check", args: (folder) => ["stamp", "--check", folder] },
  { name: "stamp --check --scope file", args: (folder) => ["stamp", "--check", "--scope", "file", folder] },
];

// No configuration of a person, and no limit but our own.
const environment = { PATH: process.env.PATH, HOME: mkdtempSync(join(tmpdir(), "rollstamp-examined-")) };

function run(args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    cwd: args.at(-1),
    encoding: "utf8",
    env: environment,
    maxBuffer: 1 << 30,
  });
  // What the program says of itself begins with its name: anything else is a crash, and no statement.
  if (status === null || (stderr !== "" && !stderr.startsWith("rollstamp: ")))
    throw new Error(`rollstamp ${args.join(" ")}: ${stderr}`);
  return { status, stdout, stderr };
}

function counted(n, word) {
  return `${n} ${word}${n === 1 ? "" : "s"}`;
}

/** What a report says in a few words. */
function words({ status, stdout, stderr }, isCheck, folder) {
  if (isCheck) {
    if (status !== 2) return `${status}: ${counted(stdout.split("\n").length - 1, "file")} would change`;
  } else if (stdout !== "") {
    const { examined, findings = [], results, sources, summary } = JSON.parse(stdout);
    const seen = `${status}: ${counted(examined.workloads, "workload")} among ${counted(examined.objects, "object")}`;
    if (results !== undefined) return `${seen}, ${counted(results.length, "finding")}`;
    if (summary !== undefined) {
      const unsure = findings.filter(({ id }) => id === "unsure-source").length;
      return `${seen}, ${summary.rolls} roll${unsure === 0 ? "" : `, ${counted(unsure, "reference")} unsure`}`;
    }
    const there = sources.filter(({ coverage }) => coverage !== "missing");
    return `${seen}, ${counted(there.length, "source")}`;
  }
  return `${status}: ${reason(stderr).replaceAll(`${resolve(folder)}/`, "")}`;
}

const REASONS = [
  [/nothing was examined/u, "nothing was examined"],
  [/stands twice/u, "an object stands twice"],
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

What each command examines in ${rows.length} public repositories, without any rendering: its exit status, and what it says. Made on
${date} with version ${version} by

\`\`\`sh
npm run build && node scripts/examined.mjs --out docs/examined.md FOLDER
\`\`\`

over a folder of clones. All commands run as they come; the last column is what \`stamp\` takes where an object stands twice.
\`plan\` compares the repository with itself: nothing may roll, and its objects are those of both sides. Status 2 beside "nothing
was examined" is what a gate needs: the workloads are behind the kustomizations, charts and releases of the second column, and
the message says what looks at them. Examples, tests and several environments side by side hold one object many times: commands
that read look at their folders apart ([files](files.md#what-sees-what)), and \`stamp\`, which writes, names both places with
status 2. Status 1 of \`lint\`, \`graph\`, \`digest\` and \`plan\` is a file that looks like a manifest and can't be read, and of
\`lint\` an API that is no longer served. An object's kind counts as a workload where its pods are known (docs/workloads.md), so
operators' kinds are among them.

${table}`;
if (options.out === undefined) process.stdout.write(text);
else writeFileSync(options.out, text);
