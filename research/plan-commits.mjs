// Compares `rollstamp plan --git C^..C` with what kustomize and helm render, over commits of public repositories.
//
//   node research/plan-commits.mjs [--commits N] [--skip N] [--out FILE] [--state FILE] [--only COMMIT] CLONE...
//
// For each commit every kustomization, chart, Application and folder of plain manifests whose files differ is rendered at both
// revisions, as a reviewer with `diff` would, and the pod templates, deletions, lost sources, replicas and Services are
// compared with the plan (commits/judge.mjs). A row is one commit and one workload for which they differ. Nothing is
// fetched. --state keeps the results by commit and build, so that a run that was stopped goes on; kustomize and helm are on
// the PATH.
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { renderer } from "./commits/by-hand.mjs";
import { differences, effects } from "./commits/judge.mjs";
import { roots } from "./commits/roots.mjs";
import { checkedOut, git } from "./commits/tree.mjs";

const { values: options, positionals: clones } = parseArgs({
  allowPositionals: true,
  options: {
    commits: { type: "string", default: "40" },
    among: { type: "string", default: "400" },
    only: { type: "string" },
    out: { type: "string" },
    state: { type: "string" },
    program: { type: "string", default: "dist/rollstamp.cjs" },
  },
});
if (clones.length === 0) {
  console.error(
    "usage: node research/plan-commits.mjs [--commits N] [--among N] [--only COMMIT] [--out FILE] [--state FILE] CLONE...",
  );
  process.exit(2);
}
const program = resolve(options.program);
const build = createHash("sha256")
  .update(readFileSync(join(program, "..", "commands.cjs")))
  .digest("hex")
  .slice(0, 12);
const onPath = (name) => execFileSync("which", [name], { encoding: "utf8" }).trim();
const scratch = mkdtempSync(join(tmpdir(), "rollstamp-commits-"));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));
const known = new Map(
  options.state !== undefined && existsSync(options.state)
    ? readFileSync(options.state, "utf8")
        .split("\n")
        .filter(Boolean)
        .map(JSON.parse)
        .map((row) => [`${row.build} ${row.commit}`, row])
    : [],
);

/** Files that can change what is applied. */
const MANIFESTS = [
  "*.yaml",
  "*.yml",
  "*.json",
  "*.tpl",
  "*.env",
  "*.properties",
  "*.toml",
  "*.conf",
  ":(exclude).github",
];

/** Commits with manifests, spread evenly over the last ones. */
function commitsOf(clone) {
  if (options.only !== undefined) return [git(clone, ["rev-parse", options.only]).trim()];
  const log = [
    "log",
    "--first-parent",
    "--min-parents=1",
    "--format=%H",
    "-n",
    options.among,
    "HEAD",
    "--",
    ...MANIFESTS,
  ];
  const all = git(clone, log).split("\n").filter(Boolean);
  const most = Math.min(Number(options.commits), all.length);
  return Array.from({ length: most }, (_, i) => all[Math.floor((i * all.length) / most)]);
}

function planOf(clone, commit) {
  const started = performance.now();
  const ran = spawnSync(process.execPath, [program, "plan", "--git", `${commit}^..${commit}`, "-o", "json"], {
    cwd: clone,
    encoding: "utf8",
    maxBuffer: 1 << 30,
    env: { PATH: process.env.PATH, HOME: scratch },
  });
  const seconds = (performance.now() - started) / 1000;
  if (!ran.stdout.startsWith("{")) return { seconds, error: `${ran.status}: ${ran.stderr.trim()}`, status: ran.status };
  return { seconds, status: ran.status, plan: JSON.parse(ran.stdout), stderr: ran.stderr };
}

function judged(clone, commit, render) {
  const sides = ["base", "head"].map((side) =>
    checkedOut(clone, side === "base" ? `${commit}^` : commit, join(scratch, basename(clone), side, "tree")),
  );
  const [base, head] = sides.map(roots);
  const { plan, error, seconds, status, stderr } = planOf(clone, commit);
  const row = {
    clone: basename(clone),
    commit,
    build,
    seconds,
    status,
    error,
    level: plan?.verdict?.level,
    text: plan?.verdict?.text,
  };
  const title = git(clone, ["log", "-1", "--format=%s", commit]).trim();
  if (plan === undefined)
    return { ...row, title, differences: [{ about: "no plan", id: "", reported: error, seen: "" }], hand: {} };
  const hand = { rendered: 0, failed: 0, rolls: 0, effects: 0 };
  const found = [];
  for (const pair of paired(base, head)) {
    const { folder, was, is } = pair;
    if (was?.key === is?.key) continue;
    const [before, after] = [was && render(sides[0], was, base.plain), is && render(sides[1], is, head.plain)];
    const isMissing = before?.missing !== after?.missing;
    const failed = isMissing
      ? { error: "what is not fetched changes, or its values" }
      : [before, after].find((one) => one?.error !== undefined);
    const applications = (plan.applications ?? []).filter(
      ({ path }) => path === folder || (is ?? was).kind === "files",
    );
    if (failed !== undefined) {
      hand.failed++;
      if (plan.verdict?.level === "ok")
        found.push({ about: "safe, not rendered", id: folder, reported: plan.verdict.text, seen: failed.error });
      continue;
    }
    hand.rendered++;
    const seen = effects(before?.objects ?? [], after?.objects ?? []);
    hand.effects += seen.length;
    hand.rolls += seen.filter(({ effect }) => effect === "template").length;
    const names = new Set(applications.map(({ name }) => name));
    const isPlain = (is ?? was).kind === "files" || (is ?? was).kind === "plain";
    const planned = plan.workloads.filter(({ application }) =>
      application === undefined ? isPlain : names.has(application),
    );
    const broken = applications.find(({ status: state }) => state === "Failed");
    if (broken !== undefined && !isPlain) {
      found.push({
        about: "failed",
        id: folder,
        reported: broken.message,
        seen: `renders by hand, ${seen.length} effects`,
      });
      continue;
    }
    // Plain files are in the applications of several folders: only what is missing counts there.
    const all = differences({ seen, planned: isPlain ? plan.workloads : planned, plan });
    for (const difference of all)
      if (!isPlain || !difference.about.startsWith("false"))
        found.push({ ...difference, folder, kind: (is ?? was).kind });
  }
  found.push(...unrendered(base, head, plan));
  return { ...row, title, rolls: plan.summary.rolls, stderr: stderr?.slice(0, 500), hand, differences: found };
}

/** The roots of both revisions, by what they are. */
function paired(base, head) {
  const key = ({ kind, folder, helm }) => `${kind} ${folder} ${helm?.release ?? ""} ${helm?.files ?? ""}`;
  const [old, now] = [base, head].map(({ roots: all }) => new Map(all.map((one) => [key(one), one])));
  return [...new Set([...old.keys(), ...now.keys()])].sort().map((one) => {
    const [was, is] = [old.get(one), now.get(one)];
    return { folder: (is ?? was).folder, was, is };
  });
}

/** Releases and sources of charts whose definition changes: a plan that renders them not must say so. */
function unrendered(base, head, plan) {
  const specs = ({ objects }) => {
    const all = new Map();
    for (const { path, value } of objects) {
      const isChart =
        value.kind === "Application"
          ? JSON.stringify(value.spec ?? {}).includes('"chart"')
          : value.kind !== "Kustomization";
      if (isChart) all.set(`${path} ${value.kind}/${value.metadata?.name}`, rendered(value));
    }
    return all;
  };
  const [old, now] = [specs(base), specs(head)];
  return [...now]
    .filter(([id, spec]) => old.has(id) && old.get(id) !== spec)
    .flatMap(([id]) => {
      const isSaid = JSON.stringify([plan.findings, plan.workloads, plan.applications, plan.unread ?? []]).includes(
        id.split("/").at(-1),
      );
      if (plan.verdict?.level === "ok")
        return [{ about: "safe, not rendered", id, reported: plan.verdict.text, seen: "its spec changes" }];
      return isSaid ? [] : [{ about: "missed", id, reported: "nothing", seen: "its spec changes" }];
    });
}

/** The fields of a release or source that decide what is rendered. */
function rendered({ kind, spec = {} }) {
  const names =
    kind === "Application"
      ? ["source", "sources", "destination"]
      : kind === "HelmRelease"
        ? ["chart", "chartRef", "values", "valuesFrom", "postRenderers", "targetNamespace", "releaseName"]
        : ["url", "ref", "chart", "version", "sourceRef", "valuesFiles"];
  return JSON.stringify(names.map((name) => spec[name]));
}

const rows = [];
for (const clone of clones.map((path) => resolve(path))) {
  const render = renderer({ kustomize: onPath("kustomize"), helm: onPath("helm"), home: join(scratch, "home") });
  for (const commit of commitsOf(clone)) {
    const done = known.get(`${build} ${commit}`);
    let row = done;
    if (row === undefined) {
      try {
        row = judged(clone, commit, render);
      } catch (cause) {
        console.error(`${basename(clone)} ${commit.slice(0, 7)}: ${cause.message}`);
        continue;
      }
      if (options.state !== undefined) appendFileSync(options.state, `${JSON.stringify(row)}\n`);
    }
    rows.push(row);
    console.error(
      `${row.clone} ${commit.slice(0, 7)} ${row.seconds.toFixed(1)} s ${row.level ?? row.status}: ${JSON.stringify(row.hand)}, ${row.differences.length} differ`,
    );
  }
  rmSync(join(scratch, basename(clone)), { recursive: true, force: true });
}

const cell = (text) =>
  String(text ?? "")
    .replaceAll("|", "\\|")
    .replaceAll("\n", " ")
    .slice(0, 160);
const line = (cells) => `| ${cells.map(cell).join(" | ")} |\n`;
const sum = (all, of) => all.reduce((total, one) => total + (of(one) ?? 0), 0);
const summary = [...new Set(rows.map(({ clone }) => clone))].map((clone) => {
  const mine = rows.filter((row) => row.clone === clone);
  const about = (name) => sum(mine, (row) => row.differences.filter((one) => one.about === name).length);
  const levels = (...names) => mine.filter(({ level }) => names.includes(level)).length;
  return line([
    clone.replace("+", "/"),
    mine.length,
    `${levels("ok")}, ${levels("attention")}, ${levels("danger", "refused")}`,
    sum(mine, (row) => row.hand?.rolls),
    about("false roll") + about("false deletion") + about("false creation"),
    about("missed"),
    about("safe"),
    about("safe, not rendered"),
    about("failed") + about("no plan"),
  ]);
});
const heads = [
  "repository",
  "commits",
  "ok, attention, danger",
  "templates changed by hand",
  "reported, not true",
  "missed",
  "unsafe, called safe",
  "not rendered, called safe",
  "failed",
];
const table = [
  line(heads),
  line(heads.map(() => "---")),
  ...summary,
  "\n",
  line(["commit", "what", "object", "reported", "seen by hand"]),
  line(["---", "---", "---", "---", "---"]),
  ...rows.flatMap((row) =>
    row.differences.map((one) =>
      line([
        `${row.clone.replace("+", "/")}@${row.commit.slice(0, 7)}`,
        one.about,
        `${one.folder ?? ""} ${one.id}`,
        one.reported,
        one.seen,
      ]),
    ),
  ),
].join("");
if (options.out === undefined) process.stdout.write(table);
else writeFileSync(options.out, table);
