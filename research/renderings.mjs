// Renders the charts, kustomizations and plain manifests of repositories: the input of precision.mjs.
//
//   node research/renderings.mjs FOLDER OUT        each folder of FOLDER is a clone of a repository, with its history
//   node research/renderings.mjs --most 20 --days 180 --jobs 4 FOLDER OUT
//
// OUT/<repository>/<path>/ gets head.yaml, for a chart again.yaml, the same once more, and base.yaml, as it was rendered
// --days before. At most --most charts, --most kustomizations that no other one includes and --most plain inputs are taken
// of each repository, spread evenly over its paths. A plain input is a folder of manifests that no chart and no
// kustomization holds, or one file of it where an object stands in two of them. What Flux' HelmReleases make is put behind
// them. Charts are found by name, version and owner in any of the repositories. OUT/renderings.json says which commits were
// rendered, and what was left. OUT is to be new. Nothing is fetched: what needs the network is left out, and counted.
import { execFile, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { parseAllDocuments, stringify } from "yaml";
import { chartAt, finder, readYaml, stage, testValues } from "./charts/staging.mjs";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    most: { type: "string", default: "16" },
    days: { type: "string", default: "180" },
    jobs: { type: "string", default: "2" },
  },
});
const [from, out] = positionals.map((path) => resolve(path));
if (from === undefined || out === undefined) {
  console.error("usage: node research/renderings.mjs [--most N] [--days N] [--jobs N] FOLDER OUT");
  process.exit(2);
}
if (existsSync(out) && readdirSync(out).length > 0) {
  console.error(`${out} is not empty: renderings of two runs are not to be mixed`);
  process.exit(2);
}
const MOST = Number(options.most);
const hosts = join(import.meta.dirname, "..", "scripts", "hosts");
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

// What nobody applies: fixtures, and what a program has embedded in it (Go's pkg and internal) and completes as it runs.
const SKIPPED = new Set(
  `.git node_modules vendor hack ci pkg internal
  testdata _testdata test_fixtures test tests e2e conformance`.split(/\s+/u),
);
const CHART = ["Chart.yaml"];
const KUSTOMIZATION = ["kustomization.yaml", "kustomization.yml", "Kustomization"];
const RUNS = /^kind: *["']?(?:Deployment|StatefulSet|DaemonSet|CronJob|Job|Pod|Rollout|HelmRelease)["']?\s*$/mu;
// Some charts' schemas name others on the network, and a Helm that is built from its sources knows no Kubernetes' version.
const TEMPLATE = ["template", "--skip-schema-validation", "--kube-version", "1.34.0"];
const MOST_BYTES = 4 << 20;

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

function run(command, args) {
  return new Promise((done) => {
    const limits = { encoding: "utf8", env: environment, maxBuffer: 1 << 28, timeout: 60_000 };
    execFile(command, args, limits, (error, stdout) =>
      done(error === null && stdout.trim() !== "" ? stdout : undefined),
    );
  });
}

/** Runs `use` with a chart that is ready to be rendered. */
async function withChart(chart, find, use) {
  const folder = mkdtempSync(join(scratch, "chart-"));
  try {
    stage(chart, find, join(folder, "chart"));
    return await use(join(folder, "chart"), folder);
  } catch {
    return undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function renderChart(chart, find, isBase) {
  const made = await withChart(chart, find, async (to) => {
    const args = (files) => [...TEMPLATE, "web", to, "--namespace", "shop", ...files.flatMap((file) => ["-f", file])];
    // Some charts need values to be rendered at all: those of their own tests do.
    let files = [];
    let head = await run(helm, args(files));
    if (head === undefined) {
      files = testValues(to).slice(0, 1);
      if (files.length > 0) head = await run(helm, args(files));
    }
    return { head, again: head === undefined || isBase ? undefined : await run(helm, args(files)) };
  });
  return made ?? {};
}

async function renderKustomization(folder, find) {
  return {
    head: await withReleases(
      await run(kustomize, ["build", "--load-restrictor", "LoadRestrictionsNone", folder]),
      find,
    ),
  };
}

/** What Flux would make of the HelmReleases of a rendering, behind it; without those whose chart is in no clone. */
async function withReleases(text, find) {
  if (text === undefined || !/^kind: HelmRelease$/mu.test(text)) return text;
  const documents = parseAllDocuments(text)
    .map((document) => document.toJS())
    .filter((one) => typeof one?.kind === "string");
  const made = [text];
  for (const release of documents.filter(({ kind }) => kind === "HelmRelease")) {
    const { metadata = {}, spec = {} } = release;
    const asked = spec.chart?.spec;
    const refs = documents.filter(({ kind }) => kind === spec.chartRef?.kind);
    const ref = refs.find((one) => one.metadata?.name === spec.chartRef.name);
    const name = asked?.chart ?? ref?.spec?.chart ?? basename(ref?.spec?.url ?? spec.chartRef?.name ?? "");
    const version = asked?.version ?? ref?.spec?.version ?? ref?.spec?.ref?.tag ?? "";
    const chart = find({ name, version: String(version), repository: ref?.spec?.url ?? "" }, from);
    if (chart === undefined) continue;
    const rendering = await withChart(chart, find, (to, folder) => {
      writeFileSync(join(folder, "values.yaml"), stringify(spec.values ?? {}));
      const namespace = spec.targetNamespace ?? metadata.namespace ?? "default";
      const args = [spec.releaseName ?? metadata.name, to, "-n", namespace, "-f", join(folder, "values.yaml")];
      return run(helm, [...TEMPLATE, ...args]);
    });
    if (rendering !== undefined) made.push(rendering.startsWith("---") ? rendering : `---\n${rendering}`);
  }
  return made.join(made[0].endsWith("\n") ? "" : "\n");
}

function manifestFiles(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.ya?ml$/u.test(entry.name))
    .map(({ name }) => join(folder, name))
    .filter((path) => statSync(path).size < MOST_BYTES)
    .sort();
}

/** The names of a file's objects, as most are written; undefined where it is none of manifests. */
function objectsOf(path) {
  const text = readFileSync(path, "utf8");
  // A template of Helm's, which has its actions outside of quotes; an ExternalSecret has its own within.
  if (/^[^#"'|\n]*\{\{/mu.test(text)) return undefined;
  const documents = text.split(/^---.*$/mu).filter((part) => /^[^\s#]/mu.test(part));
  if (documents.some((part) => !/^apiVersion:/mu.test(part) || !/^kind:/mu.test(part))) return undefined;
  const field = (part, pattern) => pattern.exec(part)?.[1] ?? "";
  return documents.map((part) =>
    [/^kind: *(\S+)/mu, /^ {2,4}namespace: *(\S+)/mu, /^ {2,4}name: *(\S+)/mu]
      .map((pattern) => field(part, pattern))
      .join("/"),
  );
}

/** The plain inputs of a repository: lists of files. */
function plainInputs(repository) {
  const inputs = [];
  const visit = (folder) => {
    const entries = readdirSync(folder, { withFileTypes: true });
    const names = new Set(entries.map(({ name }) => name));
    if ([...CHART, ...KUSTOMIZATION].some((name) => names.has(name))) return;
    const files = manifestFiles(folder)
      .map((path) => ({ path, objects: objectsOf(path) }))
      .filter(({ objects }) => objects !== undefined);
    const all = files.flatMap(({ objects }) => objects);
    const groups = new Set(all).size === all.length ? [files] : files.map((file) => [file]);
    for (const group of groups) {
      const paths = group.map(({ path }) => path);
      if (paths.some((path) => RUNS.test(readFileSync(path, "utf8"))))
        inputs.push({ at: groups.length === 1 ? folder : paths[0], files: paths });
    }
    for (const entry of entries) if (entry.isDirectory() && !SKIPPED.has(entry.name)) visit(join(folder, entry.name));
  };
  visit(repository);
  return inputs;
}

async function renderPlain(files, find) {
  const present = files.filter((path) => existsSync(path));
  if (present.length === 0) return {};
  const text = present.map((path) =>
    readFileSync(path, "utf8")
      .replace(/^\uFEFF/u, "")
      .replace(/\s*$/u, "\n"),
  );
  return { head: await withReleases(text.join("---\n"), find) };
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

const repositories = readdirSync(from)
  .filter((name) => statSync(join(from, name)).isDirectory())
  .sort();
const chartsIn = (folder, root) => foldersWith(folder, CHART).map((chart) => chartAt(chart, root));
const allCharts = repositories.flatMap((name) => chartsIn(join(from, name), join(from, name)));
const counts = { rendered: 0, left: 0, bases: 0 };
const report = [];

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

/** What is tried of a repository: where it is, and how it is rendered from a tree that has its root there. */
function triedOf(repository) {
  const isComponent = (folder) => KUSTOMIZATION.some((file) => readYaml(join(folder, file)).kind === "Component");
  const isLibrary = (folder) => readYaml(join(folder, "Chart.yaml")).type === "library";
  const within = (path, root) => join(root, path.slice(repository.length + 1));
  const kustomizations = outermost(foldersWith(repository, KUSTOMIZATION)).filter((folder) => !isComponent(folder));
  const charts = foldersWith(repository, CHART).filter((folder) => !isLibrary(folder));
  return [
    ...spread(kustomizations, MOST).map((at) => ({
      at,
      kind: "kustomization",
      render: (root, find) => renderKustomization(within(at, root), find),
    })),
    ...spread(charts, MOST).map((at) => ({
      at,
      kind: "chart",
      render: (root, find, isBase) => renderChart(within(at, root), find, isBase),
    })),
    ...spread(plainInputs(repository), MOST).map(({ at, files }) => ({
      at,
      kind: "plain",
      render: (root, find) =>
        renderPlain(
          files.map((file) => within(file, root)),
          find,
        ),
    })),
  ];
}

for (const name of repositories) {
  const repository = join(from, name);
  const tried = triedOf(repository);
  const old = tried.length === 0 ? undefined : earlier(repository);
  const find = finder(allCharts);
  const findOld =
    old === undefined
      ? find
      : finder([...chartsIn(old, repository), ...allCharts.filter(({ root }) => root !== repository)]);
  const entry = { name, commit: commitOf(repository), tried: tried.length, rendered: {} };
  const queue = [...tried];
  const work = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) await take(next);
  };
  const take = async ({ at, kind, render }) => {
    const path = at.slice(repository.length + 1);
    const made = await render(repository, find, false);
    if (made.head === undefined) {
      counts.left++;
      return;
    }
    counts.rendered++;
    entry.rendered[kind] = (entry.rendered[kind] ?? 0) + 1;
    const isOld = old !== undefined && existsSync(join(old, path));
    const base = isOld ? (await render(old, findOld, true)).head : undefined;
    if (base !== undefined && base !== made.head) counts.bases++;
    write(join(out, name, `${kind}+${path.replaceAll("/", "+") || "root"}`), {
      ...made,
      base: base === made.head ? undefined : base,
    });
  };
  await Promise.all(Array.from({ length: Number(options.jobs) }, work));
  if (old !== undefined) rmSync(old, { recursive: true, force: true });
  report.push(entry);
  console.error(`${name}: ${tried.length} tried; so far ${JSON.stringify(counts)}`);
}
writeFileSync(join(out, "renderings.json"), `${JSON.stringify({ options, counts, repositories: report }, null, 2)}\n`);

function commitOf(repository) {
  return spawnSync("git", ["-C", repository, "rev-parse", "HEAD"], { encoding: "utf8" }).stdout.trim();
}
