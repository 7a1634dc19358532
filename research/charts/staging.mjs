// Charts of checkouts, made ready to be rendered without a network: a copy with its dependencies in `charts`, which are
// other charts of the same checkouts.
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { spawnSync } from "node:child_process";
import { basename, join, resolve } from "node:path";
import { parse, stringify } from "yaml";

const DEEPEST = 4;
/** What nobody installs: fixtures, and what other projects wrote. */
const SKIPPED = new Set([".git", "node_modules", "vendor", "testdata", "test", "tests", "hack", "ci"]);

/** A YAML file's content; an empty mapping where there is none that can be read. */
export function readYaml(path) {
  try {
    return parse(readFileSync(path, "utf8")) ?? {};
  } catch {
    return {};
  }
}

/** The folders below one that are a chart and lie in no other chart, in the order of their paths. */
export function chartsBelow(folder) {
  const entries = readdirSync(folder, { withFileTypes: true });
  if (entries.some(({ name }) => name === "Chart.yaml")) return [folder];
  return entries
    .filter((entry) => entry.isDirectory() && !SKIPPED.has(entry.name))
    .flatMap(({ name }) => chartsBelow(join(folder, name)))
    .sort();
}

/**
 * How a dependency is found among charts: by its name, and of several the one of the version and of the repository that
 * are asked for, as far as there is one. `charts` are { folder, root, name, version, type }.
 */
export function finder(charts) {
  return ({ name, version = "", repository = "" }, from) => {
    if (repository.startsWith("file://")) {
      const folder = resolve(from, repository.slice("file://".length));
      return existsSync(join(folder, "Chart.yaml")) ? folder : undefined;
    }
    const fits = (chart) => {
      const owner = basename(chart.root).split("+")[0];
      return (
        (chart.version === version ? 4 : 0) +
        (repository.includes(owner) ? 2 : 0) +
        (majorOf(chart.version) === majorOf(version) ? 1 : 0)
      );
    };
    const found = charts.filter((chart) => chart.name === name).sort((a, b) => fits(b) - fits(a));
    return found[0]?.folder;
  };
}

const majorOf = (version) => /\d+/u.exec(version)?.[0];

/** A chart's folder; a package is unpacked into one that is made for it. */
export function chartFolder(path, scratch) {
  if (!path.endsWith(".tgz")) return path;
  const into = mkdtempSync(join(scratch, "package-"));
  const { status, stderr } = spawnSync("tar", ["-xzf", path, "-C", into], { encoding: "utf8" });
  if (status !== 0) throw new Error(`${path}: ${stderr}`);
  return join(into, readdirSync(into)[0]);
}

/** What is known of a chart below a root without rendering it. */
export function chartAt(folder, root) {
  const { name = basename(folder), version = "", type = "application" } = readYaml(join(folder, "Chart.yaml"));
  return { folder, root, name: String(name), version: String(version), type };
}

/**
 * Copies a chart with its dependencies beside it, as `helm dependency build` would put them there, and gives the names of
 * those that were not found. A dependency that was found is asked for in the version that was.
 */
export function stage(chart, find, to, { depth = 0, values } = {}) {
  cpSync(chart, to, { recursive: true, dereference: true, filter: (path) => !isLinkToFolder(path) });
  rmSync(join(to, "Chart.lock"), { force: true });
  const missing = [];
  for (const file of ["Chart.yaml", "requirements.yaml"]) {
    const path = join(to, file);
    const content = readYaml(path);
    const dependencies = Array.isArray(content.dependencies) ? content.dependencies : [];
    if (dependencies.length === 0 || depth > DEEPEST) continue;
    const defaults = readYaml(join(to, "values.yaml"));
    const absent = new Set();
    for (const dependency of dependencies) {
      const target = join(to, "charts", dependency.name);
      if (!existsSync(target)) {
        if (hasPacked(to, dependency.name)) continue;
        const known = find(dependency, chart);
        if (known === undefined) {
          // Helm wants it in place even where values have it off: nothing of it is rendered then.
          if (isOff(dependency, values, defaults)) absent.add(dependency);
          else missing.push(dependency.name);
          continue;
        }
        mkdirSync(join(to, "charts"), { recursive: true });
        missing.push(...stage(known, find, target, { depth: depth + 1 }));
      }
      dependency.version = readYaml(join(target, "Chart.yaml")).version ?? dependency.version;
    }
    content.dependencies = dependencies.filter((dependency) => !absent.has(dependency));
    writeFileSync(path, stringify(content));
  }
  return missing;
}

/** Whether values turn a dependency off, those that are given or else the chart's: the first of its conditions counts. */
function isOff({ condition = "" }, ...values) {
  const said = condition
    .split(",")
    .flatMap((path) =>
      values.map((all) =>
        path
          .trim()
          .split(".")
          .reduce((value, key) => value?.[key], all),
      ),
    )
    .find((value) => typeof value === "boolean");
  return said === false;
}

function hasPacked(chart, name) {
  const folder = join(chart, "charts");
  return existsSync(folder) && readdirSync(folder).some((file) => file.startsWith(`${name}-`) && file.endsWith(".tgz"));
}

/** Links to files are followed, as Helm does; links to folders may lead round in circles, and dead ones nowhere. */
function isLinkToFolder(path) {
  if (!lstatSync(path).isSymbolicLink()) return false;
  return !existsSync(path) || !statSync(path).isFile();
}

/** The values files of a chart's own tests, in the order of their names. */
export function testValues(chart) {
  const folder = join(chart, "ci");
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => /\.ya?ml$/u.test(name))
    .sort()
    .map((name) => join(folder, name));
}
