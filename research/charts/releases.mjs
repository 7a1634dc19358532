// A chart of the list as two folders: as it was before its last change of version, and as the list has it.
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { basename, join, posix } from "node:path";
import { dependenciesAt } from "./corpus.mjs";
import { run, templateArgs } from "./hosts.mjs";
import { chartFolder, readYaml, stage, testValues } from "./staging.mjs";
import { chartOf, exported, git } from "./upgrades.mjs";

/** How many changes of a chart whose version stands still in its repository are one upgrade. */
const CHANGES = 10;
/** One that has as many behind the last change of its version is one of those. */
const MOST_CHANGES = 40;

/** The revision that comes before the list's: { from, to, byCommit }. */
function revisionsOf({ repository, path, commit }) {
  const commitsOf = (...files) =>
    (git(repository, "log", "--max-count=3000", "--format=%H", commit, "--", ...files) ?? "").split("\n").slice(0, -1);

  const changes = commitsOf(...["templates", "values.yaml"].map((file) => posix.join(path, file)));
  const now = chartOf(repository, commit, path)?.version;
  for (const change of commitsOf(posix.join(path, "Chart.yaml"))) {
    const before = chartOf(repository, `${change}^`, path)?.version;
    if (before === undefined) break;
    if (before === now) continue;
    const since = git(repository, "rev-list", "--count", `${change}..${commit}`, "--", posix.join(path, "templates"));
    if (Number(since ?? 0) > MOST_CHANGES) break;
    return { from: `${change}^`, to: commit, byCommit: false };
  }
  // Some write the version when they release: then what the chart was some changes ago.
  const oldest = changes.slice(0, CHANGES).findLast((change) => chartOf(repository, `${change}^`, path) !== undefined);
  return oldest === undefined ? undefined : { from: `${oldest}^`, to: commit, byCommit: true };
}

/** The package of the release before, where a repository holds packages. */
function packagesOf({ repository, path, commit }, into) {
  const name = basename(path).replace(/-\d.*$/u, "");
  const isRelease = new RegExp(`^${name}-v?\\d+\\.\\d+\\.\\d+\\.tgz$`, "u");
  const folder = posix.dirname(path) === "." ? [] : [`${posix.dirname(path)}/`];
  const order = new Intl.Collator("en", { numeric: true }).compare;
  const packed = (git(repository, "ls-tree", "--name-only", commit, ...folder) ?? "").split("\n");
  const releases = packed.filter((file) => isRelease.test(basename(file))).sort(order);
  const before = releases.findLast((file) => order(file, path) < 0);
  if (before === undefined) return undefined;
  return [before, path].map((file) => {
    const { stdout } = spawnSync("git", ["-C", repository, "show", `${commit}:${file}`], { maxBuffer: 1 << 28 });
    const archive = join(mkdtempSync(join(into, "packed-")), basename(file));
    writeFileSync(archive, stdout);
    return { folder: chartFolder(archive, into), revision: commit };
  });
}

function foldersOf(chart, into) {
  if (chart.path.endsWith(".tgz")) {
    const sides = packagesOf(chart, into);
    return sides === undefined ? undefined : { sides, byCommit: false };
  }
  const revisions = revisionsOf(chart);
  if (revisions === undefined) return undefined;
  const sides = [revisions.from, revisions.to].map((revision) => ({
    folder: exported(chart.repository, revision, chart.path, into),
    revision,
  }));
  return sides.some(({ folder }) => folder === undefined) ? undefined : { sides, byCommit: revisions.byCommit };
}

const errorOf = (stderr) =>
  stderr
    .split("\n")
    .find((line) => /error/iu.test(line))
    ?.trim() ?? stderr.trim().split("\n").at(-1);

/** The files of the values that the list gives, for one of the two. */
function listedFiles({ values }, folder, scratch) {
  return [values].flat().map((each, i) => {
    if (typeof each === "string") return join(folder, each);
    const file = join(scratch, `values-${i}.yaml`);
    writeFileSync(file, JSON.stringify(each));
    return file;
  });
}

/** What both render with: the values of the list, else the chart's own, else those of a file in its folder `ci`. */
async function valuesFor(chart, staged, scratch, helm) {
  const listed = chart.values === undefined ? [] : [(folder) => listedFiles(chart, folder, scratch)];
  const ofTests = testValues(staged[1]).map((file) => () => [file]);
  let why;
  for (const values of [...listed, () => [], ...ofTests.slice(0, 8)]) {
    const runs = [];
    for (const folder of staged)
      runs.push(
        await run(helm, templateArgs(folder, values(folder)), { env: { KUBECONFIG: join(scratch, "no-cluster") } }),
      );
    const failed = runs.find(({ status, stdout }) => status !== 0 || stdout.trim() === "");
    if (failed === undefined) {
      const kind = listed.includes(values)
        ? "values of the list"
        : (values(staged[1]).map((file) => basename(file))[0] ?? "");
      return { kind, files: staged.map(values) };
    }
    why ??= failed.status === 0 ? "renders nothing" : errorOf(failed.stderr);
  }
  return { why };
}

/** { left } where there are no two, or Helm doesn't render them; else { sides: [{ folder, files, version }], values, byCommit }. */
export async function releasesOf(chart, all, into, helm) {
  const found = foldersOf(chart, into);
  if (found === undefined) return { left: "its repository has it in one revision only" };
  const missing = new Set();
  const staged = found.sides.map(({ folder, revision }, i) => {
    const to = join(into, `staged-${i}`, "chart");
    mkdirSync(join(into, `staged-${i}`));
    const find = dependenciesAt(chart, revision, into, all);
    for (const name of stage(folder, find, to, { values: chart.values })) missing.add(name);
    return to;
  });
  const values = await valuesFor(chart, staged, into, helm);
  if (values.why !== undefined)
    return { left: missing.size > 0 ? `without ${[...missing].join(", ")}: ${values.why}` : values.why };
  const sides = staged.map((folder, i) => {
    const version = String(readYaml(join(folder, "Chart.yaml")).version ?? "");
    const commit = (git(chart.repository, "rev-parse", "--short=8", found.sides[i].revision) ?? "").trim();
    return { folder, files: values.files[i], version: found.byCommit ? `${version} (${commit})` : version };
  });
  return { sides, values: values.kind, byCommit: found.byCommit };
}
