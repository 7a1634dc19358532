// The upgrades of charts that a repository's history has: a chart as it was before each change of its version.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { basename, dirname, join, posix } from "node:path";
import { parse } from "yaml";

const SKIPPED = /(?:^|\/)(?:vendor|testdata|tests?|hack|ci|e2e|examples?|fixtures)\//u;
const MOST = 256 * 1024 * 1024;

export function git(root, ...args) {
  const { status, stdout } = spawnSync("git", ["-C", root, ...args], { encoding: "utf8", maxBuffer: MOST });
  return status === 0 ? stdout : undefined;
}

/** The charts of a repository's newest revision that lie in no other chart, by their folders. */
export function chartPaths(root) {
  const files = (git(root, "ls-tree", "-r", "--name-only", "HEAD") ?? "").split("\n");
  const folders = files
    .filter((file) => /(?:^|\/)Chart\.yaml$/u.test(file) && !SKIPPED.test(file))
    .map((file) => dirname(file));
  return folders.filter(
    (folder) => !folders.some((outer) => outer !== folder && folder.startsWith(outer === "." ? "" : `${outer}/`)),
  );
}

/** What a chart says of itself at a revision. */
export function chartOf(root, revision, path) {
  const text = git(root, "show", `${revision}:${posix.join(path, "Chart.yaml")}`);
  try {
    return text === undefined ? undefined : (parse(text, { logLevel: "silent" }) ?? undefined);
  } catch {
    return undefined;
  }
}

/** For each of some charts its upgrades, newest first: { from, to, versions }, which are revisions of the repository. */
export function upgradesOf(root, paths, most, commits) {
  const log =
    git(
      root,
      "log",
      `--max-count=${commits}`,
      "--first-parent",
      "--format=%x00%H",
      "--name-only",
      "--",
      ...paths.map((path) => posix.join(path, "Chart.yaml")),
    ) ?? "";
  const wanted = new Map(paths.map((path) => [posix.join(path, "Chart.yaml"), { path, last: "HEAD", upgrades: [] }]));
  for (const entry of log.split("\0").slice(1)) {
    const [commit, ...files] = entry.split("\n").filter((line) => line !== "");
    for (const file of files) {
      const chart = wanted.get(file);
      if (chart === undefined || chart.upgrades.length >= most) continue;
      const before = chartOf(root, `${commit}^`, chart.path);
      const after = chartOf(root, commit, chart.path);
      if (before === undefined || after === undefined || before.version === after.version) continue;
      chart.upgrades.push({
        from: `${commit}^`,
        to: chart.last,
        versions: [before, after].map(({ version, appVersion = "" }) => ({
          version: String(version),
          appVersion: String(appVersion),
        })),
      });
      chart.last = `${commit}^`;
    }
  }
  return [...wanted.values()].filter(({ upgrades }) => upgrades.length > 0);
}

/** A folder of a repository at a revision, in a folder of its own; undefined where it was not there. */
export function exported(root, revision, path, into) {
  const commit = git(root, "rev-parse", revision)?.trim();
  if (commit === undefined) return undefined;
  const base = join(into, `${basename(dirname(root))}+${basename(root)}`.replaceAll(".", ""), commit.slice(0, 12));
  const folder = join(base, path);
  if (existsSync(join(folder, "Chart.yaml"))) return folder;
  mkdirSync(base, { recursive: true });
  const { status, stdout } = spawnSync("git", ["-C", root, "archive", commit, path === "." ? "." : path], {
    maxBuffer: MOST,
  });
  if (status !== 0) return undefined;
  const unpacked = spawnSync("tar", ["-x", "-C", base], { input: stdout });
  return unpacked.status === 0 && existsSync(join(folder, "Chart.yaml")) ? folder : undefined;
}

export function forget(into) {
  rmSync(into, { recursive: true, force: true });
}
