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
  { name: "lint", args: (folder) => ["lint", "-o", "json", "--scope", "file", folder] },
  { name: "graph", args: (folder) => ["graph", "-o", "json", "--scope", "file", folder] },
  { name: "plan", args: (folder) => ["plan", "-o", "json", folder, folder] },
  { name: "stamp --check", args: (folder) => ["stamp", "--check", "--scope", "file", folder] },
  { name: "stamp --check, one scope", args: (folder) => ["stamp", "--check", folder] },
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

/** What a report says in a few words. */
function words({ status, stdout, stderr }, isCheck, folder) {
  if (isCheck) {
    const files = stdout.split("\n").length - 1;
    if (status !== 2) return `${status}: ${files} ${files === 1 ? "file" : "files"} would change`;
  } else if (stdout !== "") {
    const { examined, results, summary } = JSON.parse(stdout);
    const more =
      results === undefined
        ? summary === undefined
          ? ""
          : `, ${summary.rolls} roll`
        : `, ${results.length} ${results.length === 1 ? "finding" : "findings"}`;
    return `${status}: ${examined.workloads} of ${examined.objects} objects are workloads${more}`;
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

over a folder of clones. \`lint\`, \`graph\` and the first \`stamp --check\` run with \`--scope file\`, as examples and tests in such
repositories hold one object many times; the last \`stamp --check\` runs as it comes. \`plan\` compares the repository with
itself: nothing may roll, and its objects are those of both sides. Status 2 beside "nothing was examined" is what a gate needs: the workloads are behind the
kustomizations, charts and releases of the second column, and the message says what looks at them. Status 2 beside "an object
stands twice" names both places: what a plan or a check is given is one scope, as what is applied together holds an object
once. Such repositories hold many; a plan of one is made of its folder. An object's kind counts as a workload where its
pods are known (docs/workloads.md), so operators' kinds are among them.

${table}`;
if (options.out === undefined) process.stdout.write(text);
else writeFileSync(options.out, text);
