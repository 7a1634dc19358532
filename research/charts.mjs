// Charts through Helm as a post-renderer and through kpt as a function, as a table: chart × host.
//
//   node research/charts.mjs [--out FILE] [--list FILE] [--state FOLDER] [--only TEXT]... [--seconds N] FOLDER...
//
// Every chart below the clones in each FOLDER is rendered, with its dependencies from any of them, and held against what
// the host prints without rollstamp (research/charts/try.mjs). The exit status is 1 where anything is wrong.
//
// --list takes those of a list, in its order, with its values: research/most-used-charts.yaml.
// --state keeps each chart's result, for this build of rollstamp: a run that was stopped goes on where it was.
// --only takes the charts whose path has that text, in the order of the texts. After --seconds no other chart is begun:
// the table says how many were not. --keep keeps what the hosts printed. --program is what runs in place of dist/rollstamp.cjs.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { basename, join, relative, resolve } from "node:path";
import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";
import { parse } from "yaml";
import { hostsOf } from "./charts/hosts.mjs";
import { installed, ownFolder } from "./charts/own-run.mjs";
import { chartAt, chartFolder, chartsBelow, finder } from "./charts/staging.mjs";
import { cellOf, tableOf } from "./charts/table.mjs";
import { tryChart } from "./charts/try.mjs";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: "string" },
    list: { type: "string" },
    state: { type: "string" },
    keep: { type: "string" },
    only: { type: "string", multiple: true, default: [""] },
    seconds: { type: "string" },
    json: { type: "boolean", default: false },
    program: { type: "string", default: join(import.meta.dirname, "..", "dist", "rollstamp.cjs") },
    helm3: { type: "string" },
    helm4: { type: "string" },
    kpt: { type: "string" },
    parallel: { type: "string", default: String(availableParallelism()) },
  },
});
if (positionals.length === 0) {
  console.error(
    "usage: node research/charts.mjs [--out FILE | --json] [--list FILE] [--state FOLDER] [--keep FOLDER] [--only TEXT]... [--seconds N]\n" +
      "         [--program FILE] [--helm3 FILE] [--helm4 FILE] [--kpt FILE] [--parallel N] FOLDER...",
  );
  process.exit(2);
}

const programs = {
  helm3: options.helm3 ?? installed("helm3"),
  helm4: options.helm4 ?? installed("helm4"),
  kpt: options.kpt ?? installed("kpt"),
};
const program = resolve(options.program);
const work = ownFolder("charts");

// A folder of clones, or one itself.
function clonesIn(folder) {
  if (existsSync(join(folder, ".git")) || existsSync(join(folder, "Chart.yaml"))) return [folder];
  const folders = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return folders.map(({ name }) => join(folder, name)).sort();
}
const roots = [...new Set(positionals.flatMap((path) => clonesIn(resolve(path))))];
const known = roots.flatMap((root) => chartsBelow(root).map((folder) => chartAt(folder, root)));

/** The charts of a list: where they are, or why they are not here. */
function listed(file) {
  return parse(readFileSync(file, "utf8")).charts.map(({ name, count, left, repository, path, values }) => {
    if (left !== undefined) return { name, count, left };
    const root = roots.find((folder) => basename(folder) === repository.replace("/", "+"));
    if (root === undefined || !existsSync(join(root, path)))
      return { name, count, repository, left: "it is in none of the folders" };
    return { ...chartAt(chartFolder(join(root, path), work), root), at: path, name, count, values };
  });
}
const list = options.list === undefined ? undefined : listed(options.list);
const candidates = list?.filter(({ left }) => left === undefined) ?? known;
const wanted = options.only
  .flatMap((text) => candidates.filter(({ folder }) => folder.includes(text)))
  .filter((chart, i, all) => chart.type !== "library" && all.indexOf(chart) === i);

const hosts = hostsOf(programs, program, work);
const isScript = /\.[cm]?js$/u.test(program);
const rollstamp = isScript ? [process.execPath, [program]] : [program, []];
const readers = installed("go-readers");
const surroundings = { find: finder(known), helm: programs.helm3, hosts, rollstamp, readers, work, keep: options.keep };

// A result holds for a build of rollstamp, and for what compares.
const build = createHash("sha256").update(readFileSync(program));
for (const name of readdirSync(join(import.meta.dirname, "charts")).sort())
  build.update(readFileSync(join(import.meta.dirname, "charts", name)));
const digest = build.digest("hex").slice(0, 12);

const until = options.seconds === undefined ? Infinity : Date.now() + Number(options.seconds) * 1000;

/** Undefined if the time is over. */
async function resultOf(chart) {
  const name = `${basename(chart.root)}+${chart.at ?? relative(chart.root, chart.folder)}`.replaceAll("/", "+");
  const path = options.state === undefined ? undefined : join(options.state, digest, name);
  if (path !== undefined && existsSync(path)) return JSON.parse(readFileSync(path, "utf8"));
  if (Date.now() > until) return undefined;
  const result = await tryChart(chart, surroundings);
  if (path !== undefined) {
    mkdirSync(join(options.state, digest), { recursive: true });
    writeFileSync(path, JSON.stringify(result));
  }
  return result;
}

const shown = ({ left, verdicts = {} }) =>
  left ??
  Object.entries(verdicts)
    .map(([host, each]) => `${host}: ${cellOf(each)}`)
    .join(", ");
const done = [];
const waiting = [...wanted.keys()];
async function worker() {
  for (let index; (index = waiting.shift()) !== undefined;) {
    const { root, folder, name, version, count } = wanted[index];
    const result = await resultOf(wanted[index]);
    if (result === undefined) continue;
    const repository = basename(root).replace("+", "/");
    done[index] = { name, version, repository, count, result };
    console.error(
      `${Object.keys(done).length}/${wanted.length} ${repository}: ${relative(root, folder)}: ${shown(result)}`,
    );
  }
}
await Promise.all(Array.from({ length: Number(options.parallel) }, worker));
const rows = Object.values(done);

const git = (root, ...args) => spawnSync("git", ["-C", root, ...args], { encoding: "utf8" }).stdout.trim();
const versionOf = (command, ...args) => spawnSync(command, args, { encoding: "utf8" }).stdout.trim().split("\n")[0];

if (options.json) process.stdout.write(`${JSON.stringify(rows, undefined, 1)}\n`);
else {
  const text = tableOf({
    rows,
    absent: list?.filter(({ left }) => left !== undefined),
    notReached: wanted.length - rows.length,
    hosts: hosts.map(({ name }) => name),
    programs: {
      "Helm 3": versionOf(programs.helm3, "version", "--short"),
      "Helm 4": versionOf(programs.helm4, "version", "--short"),
      kpt: /kptdev\/kpt (\S+)/u.exec(
        readFileSync(join(import.meta.dirname, "../scripts/hosts/kpt/go.mod"), "utf8"),
      )?.[1],
    },
    version: JSON.parse(readFileSync(join(import.meta.dirname, "..", "package.json"), "utf8")).version,
    revision: git(join(import.meta.dirname, ".."), "log", "-1", "--format=%h"),
    date: new Date().toISOString().slice(0, 10),
    corpus: roots
      .filter((root) => (list ?? known).some((chart) => chart.root === root))
      .map((root) => ({
        name: basename(root).replace("+", "/"),
        commit: git(root, "log", "-1", "--format=%h"),
        of: git(root, "log", "-1", "--format=%cs"),
      })),
  });
  if (options.out === undefined) process.stdout.write(text);
  else writeFileSync(options.out, text);
}
process.exitCode = rows.some(({ result }) => Object.values(result.verdicts ?? {}).some(({ wrong }) => wrong)) ? 1 : 0;
