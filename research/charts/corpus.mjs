// Folders of clones, or of bare repositories, as what charts and their dependencies are taken from.
import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join, posix, resolve } from "node:path";
import { finder } from "./staging.mjs";
import { chartOf, exported, git } from "./upgrades.mjs";

const isRepository = (folder) =>
  existsSync(join(folder, ".git")) || (existsSync(join(folder, "HEAD")) && existsSync(join(folder, "objects")));

function repositoriesIn(folder) {
  if (isRepository(folder)) return [folder];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(folder, name))
    .flatMap((path) => (isRepository(path) ? [path] : isRepository(join(path, "repo")) ? [join(path, "repo")] : []));
}

const nameOf = (repository) =>
  basename(basename(repository) === "repo" ? dirname(repository) : repository).replace("+", "/");

/**
 * The repositories below some folders, by their names. A clone without history has no upgrades: where one is in two
 * folders, the one with more counts.
 */
export function repositoriesBelow(folders) {
  const byName = new Map();
  for (const repository of folders.flatMap((path) => repositoriesIn(resolve(path)))) {
    const commits = Number(git(repository, "rev-list", "--count", "--max-count=50", "HEAD") ?? 0);
    const known = byName.get(nameOf(repository));
    if (commits > 1 && (known === undefined || known.commits < commits))
      byName.set(nameOf(repository), { repository, commits });
  }
  return byName;
}

/**
 * How the dependencies of a chart are found: as its repository has them at the same revision, else as any repository has
 * them today. `all` are charts as { name, repository, path, of }: the repository's name and folder, the chart's folder and
 * its name.
 */
export function dependenciesAt({ repository, path }, revision, into, all) {
  return (dependency, from) => {
    const { name, repository: where = "" } = dependency;
    if (where.startsWith("file://"))
      return (
        finder([])(dependency, from) ??
        exported(repository, revision, posix.join(path, where.slice("file://".length)), into)
      );
    for (const sibling of [
      posix.join(posix.dirname(path), name),
      ...all.filter((chart) => chart.repository === repository && chart.of === name).map((chart) => chart.path),
    ]) {
      const folder =
        chartOf(repository, revision, sibling)?.name === name
          ? exported(repository, revision, sibling, into)
          : undefined;
      if (folder !== undefined) return folder;
    }
    const chart =
      all.find((each) => each.of === name && where.includes(each.name.split("/")[0])) ??
      all.find((each) => each.of === name);
    return chart === undefined ? undefined : exported(chart.repository, "HEAD", chart.path, into);
  };
}
