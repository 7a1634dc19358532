// The most used charts on a real control plane: each installed and upgraded by Helm 3 and by Helm 4, with rollstamp as the
// post-renderer. `npm run bench:installs -- FOLDER...`
//
//   node research/chart-installs.mjs [--out FILE | --json] [--state FOLDER] [--most N] [--only TEXT]... [--seconds N] FOLDER...
//
// Each FOLDER holds clones, or bare repositories, with their history. The charts are those of research/most-used-charts.yaml,
// the first N that can be had; each is upgraded from the version before to the one of the list. Each Helm has an API server
// of its own, with the controllers; kwok stands for the kubelets. What is looked at is in research/charts/install.mjs. The exit
// status is 1 where anything is wrong.
//
// --state keeps each chart's result for this build: a run that was stopped goes on where it was. After --seconds no other
// chart is begun.
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join, posix } from "node:path";
import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";
import { pathToFileURL } from "node:url";
import { parse } from "yaml";
import { repositoriesBelow } from "./charts/corpus.mjs";
import { tryRelease } from "./charts/install.mjs";
import { installsTable } from "./charts/installs-table.mjs";
import { installed, ownFolder } from "./charts/own-run.mjs";
import { releasesOf } from "./charts/releases.mjs";
import { chartOf, chartPaths, forget, git } from "./charts/upgrades.mjs";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: "string" },
    json: { type: "boolean", default: false },
    state: { type: "string" },
    most: { type: "string", default: "100" },
    only: { type: "string", multiple: true, default: [""] },
    seconds: { type: "string" },
  },
});
if (positionals.length === 0) {
  console.error(
    "usage: node research/chart-installs.mjs [--out FILE | --json] [--state FOLDER] [--most N] [--only TEXT]... [--seconds N] FOLDER...",
  );
  process.exit(2);
}

const root = join(import.meta.dirname, "..");
const program = join(root, "dist", "rollstamp.cjs");
const built = join(root, process.env.ROLLSTAMP_BUILD ?? ".build", "test", "e2e", "cluster.js");
const { startCluster } = await import(pathToFileURL(built).href);

const work = ownFolder("installs");

const repositories = repositoriesBelow(positionals);
const list = parse(readFileSync(join(import.meta.dirname, "most-used-charts.yaml"), "utf8"));

/** The list as charts that can be had, each with its repository's folder, and the others with why not. */
function charts() {
  const rows = list.charts.map((chart) => {
    if (chart.left !== undefined) return chart;
    const found = repositories.get(chart.repository);
    const { commit } = list.repositories[chart.repository];
    if (found === undefined) return { ...chart, left: "its repository is in none of the folders" };
    if (git(found.repository, "cat-file", "-e", `${commit}^{commit}`) === undefined)
      return { ...chart, left: `its repository has no commit ${commit.slice(0, 8)}` };
    return { ...chart, of: chart.repository, repository: found.repository, commit };
  });
  return rows.filter(({ name }) => options.only.some((text) => name.includes(text)));
}

// The charts by which dependencies are found. Most are called as their folders are; of some the folder says nothing.
const all = [...repositories].flatMap(([name, { repository }]) =>
  chartPaths(repository).map((path) => {
    const folder = posix.basename(path === "." ? name : path);
    const isNamed = path !== "." && !/^(?:charts?|helm|deploy|latest|src)$/u.test(folder);
    return { name, repository, path, of: isNamed ? folder : (chartOf(repository, "HEAD", path)?.name ?? folder) };
  }),
);

// A result holds for a build of rollstamp, and for what tries.
const build = createHash("sha256").update(readFileSync(program));
for (const name of ["install", "live", "releases", "walker"])
  build.update(readFileSync(join(import.meta.dirname, "charts", `${name}.mjs`)));
const digest = build.digest("hex").slice(0, 12);

/** Each Helm with a control plane of its own: two charts' objects, or one's by both, would meet. */
async function startHosts() {
  const hosts = [];
  for (const [name, script] of [
    ["Helm 3", "helm3"],
    ["Helm 4", "helm4"],
  ]) {
    const folder = join(work, script);
    mkdirSync(join(folder, "plugins", "rollstamp"), { recursive: true });
    const cluster = await startCluster({ nodes: 1, webhooks: false, podStartMilliseconds: 50 });
    const homes = Object.fromEntries(
      ["DATA", "CONFIG", "CACHE"].map((kind) => [`HELM_${kind}_HOME`, join(folder, kind)]),
    );
    let postRenderer = "rollstamp";
    if (name === "Helm 3") {
      postRenderer = join(folder, "rollstamp");
      writeFileSync(postRenderer, `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`, { mode: 0o755 });
    } else {
      cpSync(
        join(root, "functions", "helm-postrenderer", "plugin.yaml"),
        join(folder, "plugins", "rollstamp", "plugin.yaml"),
      );
      cpSync(program, join(folder, "plugins", "rollstamp", "rollstamp.cjs"));
      const same = join(folder, "plugins", "same");
      mkdirSync(same);
      const what = "apiVersion: v1\ntype: postrenderer/v1\nname: same\nversion: 0.1.0\nruntime: subprocess\n";
      writeFileSync(join(same, "plugin.yaml"), `${what}runtimeConfig: { platformCommand: [{ command: cat }] }\n`);
    }
    const plugins = name === "Helm 4" ? join(folder, "plugins") : join(folder, "none");
    const env = { ...homes, HELM_PLUGINS: plugins, KUBECONFIG: cluster.kubeconfig };
    hosts.push({ name, helm: installed(script), env, postRenderer, cluster, program, folder });
  }
  return hosts;
}

const until = options.seconds === undefined ? Infinity : Date.now() + Number(options.seconds) * 1000;
let hosts;

async function tryChart(chart) {
  const into = mkdtempSync(join(work, "chart-"));
  try {
    hosts ??= await startHosts();
    const release = await releasesOf(chart, all, into, hosts[0].helm);
    if (release.left !== undefined) return release;
    const tried = await Promise.all(
      hosts.map(async (host) => {
        try {
          return [host.name, await tryRelease(release, chart.name, host)];
        } catch (cause) {
          return [host.name, { wrong: [`${cause.name}: ${cause.message}`.slice(0, 400)] }];
        }
      }),
    );
    return {
      versions: release.sides.map(({ version }) => version),
      values: release.values,
      byCommit: release.byCommit,
      hosts: Object.fromEntries(tried),
    };
  } finally {
    forget(into);
  }
}

const shown = ({ left, versions, hosts: by = {} }) =>
  left ??
  `${versions.join(" → ")}: ${Object.entries(by)
    .map(
      ([name, { left: why, refused, wrong = [], stamps, rolled, workloads }]) =>
        `${name}: ${[...wrong, why, refused].find((text) => text !== undefined) ?? `${workloads} workloads, ${rolled} rolled, ${stamps} stamps`}`,
    )
    .join("; ")}`;

const isHad = ({ hosts: by }) =>
  by !== undefined && Object.values(by).every(({ left, refused }) => left === undefined && refused === undefined);
const rows = [];
for (const chart of charts()) {
  if (rows.filter(({ result }) => isHad(result)).length >= Number(options.most)) break;
  const name = { name: chart.name, of: chart.of ?? chart.repository, count: chart.count };
  if (chart.left !== undefined) {
    rows.push({ ...name, result: { left: chart.left } });
    continue;
  }
  const kept =
    options.state === undefined
      ? undefined
      : join(options.state, digest, `${chart.of.replace("/", "+")}+${chart.name}`);
  let result;
  if (kept !== undefined && existsSync(kept)) result = JSON.parse(readFileSync(kept, "utf8"));
  else if (Date.now() > until) continue;
  else {
    result = await tryChart(chart);
    if (kept !== undefined) {
      mkdirSync(join(options.state, digest), { recursive: true });
      writeFileSync(kept, JSON.stringify(result));
    }
  }
  rows.push({ ...name, result });
  console.error(`${rows.length} ${chart.of}: ${basename(chart.name)} ${shown(result)}`);
}
await Promise.all((hosts ?? []).map(({ cluster }) => cluster.stop()));

const { text, isWrong } = installsTable(rows, {
  date: new Date().toISOString().slice(0, 10),
  most: Number(options.most),
  revision: (git(root, "log", "-1", "--format=%h") ?? "").trim(),
  helms: ["helm3", "helm4"].map((name) =>
    spawnSync(installed(name), ["version", "--short"], { encoding: "utf8" }).stdout.trim(),
  ),
});
if (options.json) process.stdout.write(`${JSON.stringify(rows, undefined, 1)}\n`);
else if (options.out === undefined) process.stdout.write(text);
else writeFileSync(options.out, text);
process.exitCode = isWrong ? 1 : 0;
