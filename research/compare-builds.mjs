// Compares the typed data of all reports of two builds of rollstamp: over every fixture, and over clones of public
// repositories with their latest commits. Words (messages, remedies, verdicts) may differ; nothing else may.
//
//   node research/compare-builds.mjs OLD/dist/rollstamp.cjs NEW/dist/rollstamp.cjs [--ids FILE] [--commits N] [--only TEXT] [CLONE...]
//
// OLD and NEW are checkouts that were built. FILE has a line for each renamed finding id: `old new`. --only takes the
// runs whose command line has TEXT. kustomize and helm must be on the PATH for clones.
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { basename, dirname, join } from "node:path";
import { isDeepStrictEqual, parseArgs } from "node:util";
import fg from "fast-glob";
import { parseAllDocuments } from "yaml";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    ids: { type: "string" },
    commits: { type: "string", default: "8" },
    only: { type: "string", default: "" },
    show: { type: "string", default: "3" },
  },
});
const [oldBuild, newBuild, ...clones] = positionals;
if (newBuild === undefined) {
  console.error("usage: node research/compare-builds.mjs OLD NEW [--ids FILE] [--commits N] [--only TEXT] [CLONE...]");
  process.exit(2);
}
const renamed = new Map(
  values.ids === undefined
    ? []
    : readFileSync(values.ids, "utf8")
        .split("\n")
        .filter((line) => line.includes(" "))
        .map((line) => line.split(" ")),
);
/** Fields that hold sentences. */
const WORDS = new Set(["message", "remedy", "text", "title", "because", "next", "exceeded", "reason", "rule"]);

let compared = 0;
let different = 0;
const all = [...fixtureRuns(), ...(await cloneRuns())];
await inParallel(
  all.filter(({ args, stdin, cwd }) => [cwd, ...args, stdin].join(" ").includes(values.only)),
  compare,
);
console.log(`${compared} reports compared, ${different} differ`);
process.exitCode = different === 0 ? 0 : 1;

/** The function, lint, graph and digest over each fixture; plans between neighbours of one folder. */
function fixtureRuns() {
  const inputs = fg.sync("fixtures/**/{input,base,head}.{yaml,json}").sort();
  return inputs.flatMap((file, i) => {
    const config = fg.sync(join(dirname(file), "config.yaml"));
    const configured = config.flatMap((path) => ["--config", path]);
    const next = inputs[i + 1] ?? file;
    return [
      { args: ["fn", ...configured], stdin: file, isStream: true },
      { args: ["lint", "-o", "json", ...configured, file] },
      { args: ["graph", "-o", "json", ...configured, file] },
      { args: ["digest", "-o", "json", ...configured, file] },
      { args: ["stamp", "--stdout", ...configured, file], isStream: true },
      { args: ["plan", "--all", "-o", "json", ...configured, file, next] },
    ];
  });
}

/** The applications of each clone, reports over them, and plans of its latest commits. */
async function cloneRuns() {
  const runs = [];
  for (const clone of clones) {
    const { stdout } = await run(
      "git",
      ["log", "--first-parent", "--format=%H", "-n", String(Number(values.commits) + 1)],
      { cwd: clone },
    );
    const commits = stdout.trim().split("\n");
    runs.push(
      { args: ["apps", "-o", "json"], cwd: clone },
      { args: ["lint", "--apps", "-o", "json"], cwd: clone },
      { args: ["graph", "--apps", "-o", "json"], cwd: clone },
      { args: ["lint", "--scope", "file", "-o", "json", "."], cwd: clone },
      ...commits
        .slice(1)
        .map((commit, i) => ({ args: ["plan", "--git", `${commit}..${commits[i]}`, "-o", "json"], cwd: clone })),
    );
  }
  return runs;
}

async function compare(job) {
  const [before, after] = [await resultOf(oldBuild, job), await resultOf(newBuild, job)];
  compared += 1;
  if (isDeepStrictEqual(before, after)) return;
  different += 1;
  const name = `${job.cwd === undefined ? "" : `${basename(job.cwd)}: `}rollstamp ${job.args.join(" ")}`;
  console.log(`differs: ${name}${job.stdin === undefined ? "" : ` < ${job.stdin}`}`);
  const lines = [];
  differences(before, after, "", lines);
  for (const line of lines.slice(0, Number(values.show))) console.log(`  ${line}`);
  if (lines.length > Number(values.show)) console.log(`  and ${lines.length - Number(values.show)} more`);
}

async function resultOf(build, { args, stdin, cwd, isStream = false }) {
  const { status, stdout } = await run(process.execPath, [build, ...args], {
    cwd: cwd ?? process.cwd(),
    input: stdin === undefined ? "" : readFileSync(stdin),
  });
  return { status, report: isStream ? streamData(stdout) : jsonData(stdout) };
}

/** A report without its words, finding ids as the new build has them. */
function jsonData(text) {
  try {
    return withoutWords(JSON.parse(text));
  } catch {
    return text === "" ? "" : "not JSON";
  }
}

/** A stamped stream, whole; of a ResourceList the results are compared as data. */
function streamData(text) {
  const start = text.lastIndexOf("\nresults:");
  if (start < 0) return text;
  const results = parseAllDocuments(text.slice(start + 1))[0]?.toJS();
  return { text: text.slice(0, start), results: withoutWords(results) };
}

function withoutWords(value) {
  if (Array.isArray(value)) return value.map(withoutWords);
  if (typeof value === "string") return renamed.get(value) ?? value;
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !WORDS.has(key))
      .map(([key, inner]) => [key, withoutWords(inner)]),
  );
}

function differences(a, b, path, lines) {
  if (isDeepStrictEqual(a, b) || lines.length > 50) return;
  const isTree = (value) => typeof value === "object" && value !== null;
  if (!isTree(a) || !isTree(b)) {
    lines.push(`${path}: ${JSON.stringify(a)?.slice(0, 160)} → ${JSON.stringify(b)?.slice(0, 160)}`);
    return;
  }
  for (const key of new Set([...Object.keys(a), ...Object.keys(b)]))
    differences(a[key], b[key], `${path}/${key}`, lines);
}

function run(command, args, { cwd, input = "" }) {
  return new Promise((resolve) => {
    const child = execFile(command, args, { cwd, maxBuffer: 1 << 30, encoding: "utf8" }, (error, stdout, stderr) =>
      resolve({ status: error === null ? 0 : (error.code ?? -1), stdout, stderr }),
    );
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);
  });
}

async function inParallel(jobs, work) {
  const queue = [...jobs];
  await Promise.all(
    Array.from({ length: availableParallelism() }, async () => {
      for (let job = queue.shift(); job !== undefined; job = queue.shift()) await work(job);
    }),
  );
}
