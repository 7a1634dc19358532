// Compares `rollstamp plan --git C^..C` with what kustomize and helm render, over commits of public repositories.
//
//   node research/plan-commits.mjs [--commits N] [--among N] [--out FILE] [--state FILE] [--only COMMIT] CLONE...
//
// For each commit every kustomization, chart, Application and folder of plain manifests whose files differ is rendered at both
// revisions, as a reviewer with `diff` would, and the pod templates, creations, deletions, lost sources, contents, replicas and
// Services are compared with the plan (commits/judge.mjs). The table has a row for each commit, and one for each object for
// which they differ. Nothing is fetched. --state keeps the results by commit and build, so that a run that was stopped goes on; kustomize and helm are on
// the PATH. --known prints the table of the state.
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { renderer } from "./commits/by-hand.mjs";
import { COUNTED, counts, differences, effects, isSame } from "./commits/judge.mjs";
import { filesOf, roots } from "./commits/roots.mjs";
import { checkedOut, git } from "./commits/tree.mjs";

const { values: options, positionals: clones } = parseArgs({
  allowPositionals: true,
  options: {
    commits: { type: "string", default: "40" },
    among: { type: "string", default: "400" },
    only: { type: "string" },
    out: { type: "string" },
    state: { type: "string" },
    known: { type: "boolean", default: false },
    program: { type: "string", default: "dist/rollstamp.cjs" },
  },
});
if (clones.length === 0 && !options.known) {
  console.error(
    "usage: node research/plan-commits.mjs [--commits N] [--among N] [--only COMMIT] [--out FILE] [--state FILE] CLONE...",
  );
  process.exit(2);
}
const program = resolve(options.program);
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
/** Identifies what made a result: rollstamp, and these scripts. */
const build = [
  join(program, "..", "commands.cjs"),
  here("plan-commits.mjs"),
  ...["by-hand", "judge", "roots"].map((name) => here(`commits/${name}.mjs`)),
]
  .reduce((hash, path) => hash.update(readFileSync(path)), createHash("sha256"))
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
  ":(exclude)vendor",
  ":(exclude)**/testdata",
];

/** Of these, the files whose names say nothing of what reads them. */
const READ_BY_PEOPLE = ["*.yaml", "*.yml", "*.json", "*.env", "*.gotmpl", ":(exclude).github"];

/** Commits with manifests, spread evenly over the last ones: three times as many as wanted. */
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
  const most = Number(options.commits);
  const spread = [0, 1, 2].flatMap((third) =>
    Array.from({ length: most }, (_, i) => all[Math.floor(((i + third / 3) * all.length) / most)]),
  );
  return [...new Set(spread)];
}

/** Whether anything of a commit could be compared: files of tools and tests alone do not count. */
const isCompared = ({ hand, differences: found }) =>
  hand.compared > 0 || hand.unread > 0 || hand.failed > 0 || found.length > 0;

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
  const { plan, error, seconds, status, stderr } = planOf(clone, commit);
  // Also what the other revision has, and what the plan takes for an application: a rendering of a chart can lead to it.
  const applied = (plan?.applications ?? []).filter((one) => one.status === "Changed").map(({ path }) => path);
  const first = sides.map((side) => roots(side));
  const folders = first.map(
    ({ roots: all }) =>
      new Set([...all.filter(({ kind }) => kind === "kustomize").map(({ folder }) => folder), ...applied]),
  );
  const [base, head] = sides.map((side, at) => roots(side, folders[1 - at]));
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
  const pairs = paired(base, head).filter(({ was, is }) => was?.key !== is?.key);
  // A file that a kustomization reads in one of the revisions is no plain file of the other.
  const plainOf = (at) => {
    const other = [base, head][1 - at];
    const isPlain = new Set(other.plain);
    return [base, head][at].plain.filter((path) => isPlain.has(path) || !sides[1 - at].ids.has(path));
  };
  const rendered = ({ was, is }) => [was && render(sides[0], was, plainOf(0)), is && render(sides[1], is, plainOf(1))];
  if (plan === undefined) {
    const isRight = isEmpty(pairs.map(rendered));
    const wrong = isRight ? [] : [{ about: "no plan", id: "", reported: error, seen: "" }];
    return { ...row, title, differences: wrong, hand: { compared: 0, failed: 0 } };
  }
  const hand = { unread: plan.unread.length, rendered: 0, compared: 0, failed: 0, rolls: 0, effects: 0, orphans: 0 };
  const numbers = { true: COUNTED.map(() => 0), reported: COUNTED.map(() => 0) };
  const found = [];
  for (const pair of pairs) {
    const { folder, was, is } = pair;
    const [before, after] = rendered(pair);
    const isMissing = before?.missing !== after?.missing;
    const failed = isMissing
      ? { error: "what is not fetched changes, or its values" }
      : [before, after].find((one) => one?.error !== undefined);
    const all = plan.applications ?? [];
    const isFiles = (is ?? was).kind === "files";
    const ofFolder = all.filter(({ path, kind }) => (isFiles ? kind === "Files" : path === (folder || ".")));
    // Flux takes in a kustomization below the path of a Kustomization without one.
    const isPart = !isFiles && ofFolder.length === 0;
    const applications = isPart ? all.filter(({ path }) => path === "." || folder.startsWith(`${path}/`)) : ofFolder;
    const isOrphan = applications.length > 0 && applications.every(({ orphan }) => orphan === true);
    if (isOrphan) {
      hand.orphans++;
      if (folder !== "" && head.isNamed(folder))
        found.push({ about: "orphan", id: folder, reported: "nothing leads to it", seen: "a file names its path" });
    }
    if (failed !== undefined) {
      hand.failed++;
      if (plan.verdict?.level === "ok" && !isOrphan)
        found.push({ about: "safe, not rendered", id: folder, reported: plan.verdict.text, seen: failed.error });
      continue;
    }
    hand.rendered++;
    const objects = [before, after].map((one) => JSON.stringify(one?.objects ?? []));
    if ((is ?? was).kind !== "files" || objects[0] !== objects[1]) hand.compared++;
    const seen = effects(before?.objects ?? [], after?.objects ?? []);
    hand.effects += seen.length;
    hand.rolls += seen.filter(({ effect }) => effect === "template").length;
    const names = new Set(applications.map(({ name }) => name));
    const isPlain = (is ?? was).kind === "files" || (is ?? was).kind === "plain";
    const planned = plan.workloads.filter(({ application }) =>
      application === undefined ? isPlain : names.has(application),
    );
    const broken = applications.find(({ status: state }) => state === "Failed");
    const isBroken = isFiles && plan.findings.some(({ id }) => id === "unreadable-manifest");
    if (isBroken || isUnrendered(applications, plan) || /plugin|Jsonnet/u.test(broken?.message ?? "")) {
      // What rolls is unknown, and the plan says so: the API server refuses one side, or Argo CD runs a plugin.
      hand.failed++;
      continue;
    }
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
    const sources = new Set((after?.objects ?? []).map(({ kind, name }) => `${kind}/${name}`));
    const isByPlace = (is ?? was).isByPlace === true;
    const judging = { seen, planned: isPlain ? plan.workloads : planned, plan, isOrphan, isByPlace, sources };
    const differing = differences(judging);
    if (!isOrphan) {
      const counted = counts({
        seen,
        planned: planned.filter((one) => !isPart || seen.some(({ object }) => isSame(one, object))),
      });
      for (const side of ["true", "reported"]) numbers[side] = numbers[side].map((sum, at) => sum + counted[side][at]);
    }
    for (const difference of differing)
      if (!(isPlain || isPart) || !difference.about.startsWith("false"))
        found.push({ ...difference, folder, kind: (is ?? was).kind });
  }
  found.push(...unrendered(base, head, plan), ...unread(clone, commit, { sides, base, head, plan }));
  return { ...row, title, rolls: plan.summary.rolls, stderr: stderr?.slice(0, 500), hand, numbers, differences: found };
}

/** Whether the plan says of the applications of a root that it could not render them. */
function isUnrendered(applications, { findings, verdict }) {
  const names = new Set(applications.map(({ name }) => name));
  return (
    verdict?.level !== "ok" &&
    findings.some(
      ({ id, application, message }) => id === "RS024" && names.has(application) && /BASE cannot/u.test(message),
    )
  );
}

/** Whether one of the revisions has no objects: a plan that refuses to say anything is right. */
const isEmpty = (renderings) =>
  [0, 1].some((at) => renderings.every((both) => both[at]?.error === undefined && !(both[at]?.objects.length > 0)));

/** The roots of both revisions, by what they are. */
function paired(base, head) {
  const key = ({ kind, folder, helm }) => `${kind} ${folder} ${helm?.release ?? ""} ${helm?.files ?? ""}`;
  const [old, now] = [base, head].map(({ roots: all }) => new Map(all.map((one) => [key(one), one])));
  return [...new Set([...old.keys(), ...now.keys()])].sort().map((one) => {
    const [was, is] = [old.get(one), now.get(one)];
    return { folder: (is ?? was).folder, was, is };
  });
}

/** Changed files of a plan that is called safe, which no root reads and the plan does not list: someone has to look. */
function unread(clone, commit, { sides, base, head, plan }) {
  if (plan.verdict?.level !== "ok") return [];
  const read = [base, head].map(({ roots: all }, at) => filesOf(sides[at], all));
  const changed = git(clone, ["diff", "--name-only", "-z", `${commit}^`, commit, "--", ...READ_BY_PEOPLE]);
  return changed
    .split("\0")
    .filter((path) => path !== "" && !read.some((files) => files.has(path)) && !plan.unread.includes(path))
    .map((path) => ({ about: "safe, not read", id: path, reported: plan.verdict.text, seen: "it changes" }));
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
      if (isChart) all.set(`${path} ${value.kind}/${value.metadata?.name}`, rendering(value));
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
function rendering({ kind, spec = {} }) {
  const names =
    kind === "Application"
      ? ["source", "sources", "destination"]
      : kind === "HelmRelease"
        ? ["chart", "chartRef", "values", "valuesFrom", "postRenderers", "targetNamespace", "releaseName"]
        : ["url", "ref", "chart", "version", "sourceRef", "valuesFiles"];
  return JSON.stringify(names.map((name) => spec[name]));
}

/** `--known` prints what the state has, and judges nothing. */
const rows = options.known ? [...known.values()].filter((row) => row.build === build && isCompared(row)) : [];
for (const clone of clones.map((path) => resolve(path))) {
  const render = renderer({ kustomize: onPath("kustomize"), helm: onPath("helm"), home: join(scratch, "home") });
  let compared = 0;
  for (const commit of commitsOf(clone)) {
    if (compared >= Number(options.commits)) break;
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
    if (!isCompared(row)) continue;
    compared++;
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
    .replaceAll("\n", " ");
const line = (cells) => `| ${cells.map(cell).join(" | ")} |\n`;
const table = (heads, lines) => [line(heads), line(heads.map(() => "---")), ...lines].join("");
const sum = (all, of) => all.reduce((total, one) => total + (of(one) ?? 0), 0);
const short = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

rows.sort((a, b) => (a.clone < b.clone ? -1 : a.clone > b.clone ? 1 : 0));
const repositories = [...new Set(rows.map(({ clone }) => clone))];
const about = (all, ...names) =>
  sum(all, ({ differences: found }) => found.filter((one) => names.includes(one.about)).length);
const perRepository = repositories.map((clone) => {
  const mine = rows.filter((row) => row.clone === clone);
  const levels = (...names) => mine.filter(({ level }) => names.includes(level)).length;
  return line([
    clone.replace("+", "/"),
    mine.length,
    `${levels("ok")}, ${levels("attention")}, ${levels("danger", "refused")}`,
    sum(mine, (row) => row.numbers?.true[0]),
    about(mine, "false roll", "false deletion", "false creation", "false stale"),
    about(mine, "missed"),
    about(mine, "safe"),
    about(mine, "safe, not rendered", "safe, not read"),
    about(mine, "failed", "no plan", "orphan"),
  ]);
});

/** Why the numbers of a commit are not those of all that it touches. */
function noteOf({ hand, differences: found, level }) {
  return [
    ...new Set(found.map((one) => one.about)),
    ...(hand.failed > 0 ? [`${hand.failed} of ${hand.failed + hand.rendered} not rendered`] : []),
    ...(hand.unread > 0 ? [`${hand.unread} unread`] : []),
    ...(hand.orphans > 0 ? [`${hand.orphans} orphan`] : []),
    ...(level === undefined ? ["nothing found"] : []),
  ].join("; ");
}
const numbersOf = ({ numbers }, side) => (numbers === undefined ? "" : numbers[side].join(" "));
const perCommit = rows.map((row) =>
  line([
    `${row.clone.replace("+", "/")}@${row.commit.slice(0, 10)}`,
    short(row.text ?? "no verdict", 90),
    numbersOf(row, "reported"),
    numbersOf(row, "true"),
    row.differences.length === 0 ? "yes" : "no",
    noteOf(row),
  ]),
);
const perDifference = rows.flatMap((row) =>
  row.differences.map((one) =>
    line([
      `${row.clone.replace("+", "/")}@${row.commit.slice(0, 10)}`,
      one.about,
      `${one.folder ?? ""} ${one.id}`.trim(),
      short(String(one.reported ?? ""), 160),
      short(String(one.seen ?? ""), 160),
    ]),
  ),
);
const text = [
  `# Plans of commits\n\nMade by plan-commits.mjs. The numbers are workloads: ${COUNTED.join(", ")}.\n\n`,
  table(
    [
      "repository",
      "commits",
      "ok, attention, danger",
      "templates changed",
      "reported, not true",
      "missed",
      "unsafe, called safe",
      "not seen, called safe",
      "failed",
    ],
    perRepository,
  ),
  "\n",
  table(["commit", "verdict", "reported", "true", "agree", "note"], perCommit),
  ...(perDifference.length === 0
    ? []
    : ["\n", table(["commit", "what", "object", "reported", "seen by hand"], perDifference)]),
].join("");
if (options.out === undefined) process.stdout.write(text);
else writeFileSync(options.out, text);
