// Renders the charts and kustomizations of repositories: what docs/precision.md is measured over.
//
//   node scripts/renderings.mjs FOLDER OUT        each folder of FOLDER is a clone of a repository, with its history
//   node scripts/renderings.mjs --most 20 --days 180 FOLDER OUT
//
// OUT/<repository>/<path>/ gets head.yaml, for a chart again.yaml, the same once more, and base.yaml, as it was rendered
// --days before. At most --most charts and --most kustomizations that no other one includes are taken of each repository, spread
// evenly over its paths; charts find their dependencies by name in any of the repositories. What is in OUT already stays. Nothing is fetched: what needs the network is left out, and
// counted.
import { spawnSync } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { readYaml, stage, testValues } from "./charts/staging.mjs";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    most: { type: "string", default: "60" },
    days: { type: "string", default: "120" },
    skip: { type: "string", default: "0" },
  },
});
const [from, out] = positionals.map((path) => resolve(path));
if (from === undefined || out === undefined) {
  console.error("usage: node scripts/renderings.mjs [--most N] [--days N] FOLDER OUT");
  process.exit(2);
}
const hosts = join(import.meta.dirname, "hosts");
const program = (name) => spawnSync(join(hosts, `${name}.sh`), ["--where"], { encoding: "utf8" }).stdout.trim();
const [kustomize, helm] = [program("kustomize"), program("helm3")];
const scratch = mkdtempSync(join(tmpdir(), "rollstamp-renderings-"));
// No git, and a proxy where nobody listens: what is remote fails at once.
const environment = {
  PATH: "/nonexistent",
  HOME: scratch,
  HTTPS_PROXY: "http://127.0.0.1:9",
  HTTP_PROXY: "http://127.0.0.1:9",
};
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));

const SKIPPED = new Set([".git", "node_modules", "vendor", "testdata", "test", "tests", "hack", "ci"]);

/** The folders below one that hold a file of a name, in the order of their paths. */
function foldersWith(folder, names) {
  const entries = readdirSync(folder, { withFileTypes: true });
  const here = entries.some((entry) => entry.isFile() && names.includes(entry.name)) ? [folder] : [];
  const below = entries
    .filter((entry) => entry.isDirectory() && !SKIPPED.has(entry.name))
    .flatMap((entry) => foldersWith(join(folder, entry.name), names));
  return [...here, ...below].sort();
}

function spread(all, most) {
  if (all.length <= most) return all;
  return Array.from({ length: most }, (_, i) => all[Math.floor((i * all.length) / most)]);
}

function run(command, args, cwd) {
  const { status, stdout } = spawnSync(command, args, {
    cwd,
    encoding: "utf8",
    env: environment,
    maxBuffer: 1 << 28,
    timeout: 60_000,
  });
  return status === 0 && stdout.trim() !== "" ? stdout : undefined;
}

function renderChart(chart, charts) {
  const folder = mkdtempSync(join(scratch, "chart-"));
  const to = join(folder, "chart");
  stage(chart, ({ name }) => charts.get(name), to);
  // Some charts need values to be rendered at all: those of their own tests do.
  const values = testValues(to).slice(0, 1);
  const args = (files) => ["template", "web", to, "--namespace", "shop", ...files.flatMap((file) => ["-f", file])];
  const files = run(helm, args([])) === undefined ? values : [];
  const made = { head: run(helm, args(files)), again: run(helm, args(files)) };
  rmSync(folder, { recursive: true, force: true });
  return made;
}

function renderKustomization(folder) {
  return { head: run(kustomize, ["build", "--load-restrictor", "LoadRestrictionsNone", folder]) };
}

/** The folder of a repository as it was some days before its last commit; undefined where it has no such commit. */
function earlier(repository) {
  const git = (...args) => spawnSync("git", ["-C", repository, ...args], { encoding: "utf8", maxBuffer: 1 << 30 });
  const last = Number(git("log", "-1", "--format=%ct").stdout);
  const before = git("rev-list", "-1", `--before=${last - Number(options.days) * 86_400}`, "HEAD").stdout.trim();
  if (before === "") return undefined;
  const to = mkdtempSync(join(scratch, "base-"));
  const archive = join(to, "all.tar");
  if (git("archive", "--format=tar", "-o", archive, before).status !== 0) return undefined;
  spawnSync("tar", ["-xf", archive, "-C", to]);
  rmSync(archive, { force: true });
  return to;
}

const CHART = ["Chart.yaml"];
const KUSTOMIZATION = ["kustomization.yaml", "kustomization.yml", "Kustomization"];
const repositories = readdirSync(from)
  .filter((name) => lstatSync(join(from, name)).isDirectory())
  .sort();
const chartsIn = (folders) =>
  new Map(
    folders
      .flatMap((folder) => foldersWith(folder, CHART))
      .toReversed()
      .map((folder) => [readYaml(join(folder, "Chart.yaml")).name, folder]),
  );
const allCharts = chartsIn(repositories.map((name) => join(from, name)));
const counts = { rendered: 0, left: 0, bases: 0 };

/** The folders of the kustomizations that no other one of the list includes: those that somebody applies. */
function outermost(folders) {
  const included = new Set();
  for (const folder of folders) {
    for (const file of KUSTOMIZATION) {
      const { resources, bases, components } = readYaml(join(folder, file));
      for (const path of [resources, bases, components].flatMap((list) => (Array.isArray(list) ? list : []))) {
        if (typeof path === "string") included.add(resolve(folder, path));
      }
    }
  }
  return folders.filter((folder) => !included.has(folder));
}

function write(folder, made) {
  for (const [side, text] of Object.entries(made)) {
    if (text === undefined) continue;
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${side}.yaml`), text);
  }
}

for (const name of repositories) {
  const repository = join(from, name);
  const isKind = (folder, kind) => KUSTOMIZATION.some((file) => readYaml(join(folder, file)).kind === kind);
  const kustomizations = outermost(foldersWith(repository, KUSTOMIZATION)).filter(
    (folder) => !isKind(folder, "Component"),
  );
  const charts = foldersWith(repository, CHART).filter(
    (folder) => readYaml(join(folder, "Chart.yaml")).type !== "library",
  );
  const pathOf = (folder) => join(out, name, folder.slice(repository.length + 1).replaceAll("/", "+") || "root");
  const old = earlier(repository);
  const oldCharts = old === undefined ? new Map() : new Map([...allCharts, ...chartsIn([old])]);
  const all = [
    ...spread(kustomizations, Number(options.most)).map((folder) => ({ folder, render: renderKustomization })),
    ...spread(charts, Number(options.most)).map((folder) => ({ folder, render: renderChart })),
  ];
  for (const { folder, render } of all) {
    const path = folder.slice(repository.length + 1);
    if (existsSync(join(pathOf(folder), "head.yaml"))) {
      counts.rendered++;
      continue;
    }
    const made = render(folder, allCharts);
    if (made.head === undefined) {
      counts.left++;
      continue;
    }
    counts.rendered++;
    const before = old === undefined ? "" : join(old, path);
    const base = before !== "" && existsSync(before) ? render(before, oldCharts).head : undefined;
    if (base !== undefined && base !== made.head) counts.bases++;
    write(pathOf(folder), { ...made, base: base === made.head ? undefined : base });
  }
  if (old !== undefined) rmSync(old, { recursive: true, force: true });
  console.error(`${name}: ${all.length} tried; so far ${JSON.stringify(counts)}`);
}
