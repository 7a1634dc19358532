// What real upgrades of public charts roll, with rollstamp and without: `npm run bench:charts -- FOLDER...`.
//
//   node research/chart-upgrades.mjs [--out FILE] [--state FOLDER] [--only TEXT]... [--seconds N] [--upgrades N] [--charts N] FOLDER...
//
// Each FOLDER holds clones, or bare repositories, with their history. Of each chart the last upgrades are rendered by Helm,
// before and after, with the same values, and stamped with `checksums: Remove` and `versionLabels: Remove`. An independent
// walker (research/charts/walker.mjs) says which workloads have other pods behind it. The exit status is 1 where a needed
// rollout is lost, or more differs than was meant.
//
// --state keeps what Helm rendered of each upgrade: a run that was stopped goes on where it was, and another build of rollstamp
// needs no Helm. It holds what charts make of passwords. --charts is how many charts of a repository are taken at most. After
// --seconds nothing else is rendered: what is kept counts.
import { writeFileSync } from "node:fs";
import { join, posix } from "node:path";
import { spawnSync } from "node:child_process";
import { isDeepStrictEqual, parseArgs } from "node:util";
import { parse } from "yaml";
import { repositoriesBelow } from "./charts/corpus.mjs";
import { installed, ownFolder } from "./charts/own-run.mjs";
import { renderer } from "./charts/renderings.mjs";
import { upgradesTable } from "./charts/upgrades-table.mjs";
import { chartPaths, git, upgradesOf } from "./charts/upgrades.mjs";
import {
  contentOf,
  differences,
  functional,
  objectsOf,
  other,
  seenBy,
  sourcesOf,
  workloadsOf,
} from "./charts/walker.mjs";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: "string" },
    state: { type: "string" },
    only: { type: "string", multiple: true, default: [""] },
    seconds: { type: "string" },
    upgrades: { type: "string", default: "2" },
    charts: { type: "string", default: "1000" },
    commits: { type: "string", default: "6000" },
    helm: { type: "string" },
    json: { type: "boolean", default: false },
  },
});
if (positionals.length === 0) {
  console.error(
    "usage: node research/chart-upgrades.mjs [--out FILE] [--state FOLDER] [--only TEXT]... [--seconds N] [--upgrades N] [--charts N] [--helm FILE] FOLDER...",
  );
  process.exit(2);
}

const root = join(import.meta.dirname, "..");
const library = join(root, "dist", "index.js");
const { stamp } = await import(library);
/** A workload has one entry, and that leaves nothing. */
const MOST_ROUNDS = 3;
const SPEC = { checksums: "Remove", versionLabels: "Remove" };

const helm = options.helm ?? installed("helm3");
const work = ownFolder("upgrades");

const byName = repositoriesBelow(positionals);

const until = options.seconds === undefined ? Infinity : Date.now() + Number(options.seconds) * 1000;

const all = [];
for (const [name, { repository }] of [...byName].sort(([a], [b]) => (a < b ? -1 : 1))) {
  for (const path of chartPaths(repository))
    all.push({ name, repository, path, of: posix.basename(path === "." ? name : path) });
}
const wanted = all.filter(({ name, path }) => options.only.some((text) => `${name}/${path}`.includes(text)));
// One of each repository, then the next of each: a run that is stopped has seen them all.
const turns = new Map();
for (const chart of wanted) turns.set(chart.name, [...(turns.get(chart.name) ?? []), chart]);
const queue = [];
for (let i = 0; i < Number(options.charts) && [...turns.values()].some((charts) => i < charts.length); i++)
  for (const charts of turns.values()) if (charts[i] !== undefined) queue.push(charts[i]);
const helmVersion = spawnSync(helm, ["version", "--short"], { encoding: "utf8" }).stdout.trim();
const isOver = () => Date.now() > until;
const render = renderer({ helm, version: helmVersion, charts: all, work, kept: options.state, isOver });
const histories = new Map();
const historyOf = ({ name, repository, path }) => {
  if (!histories.has(name)) {
    const paths = queue.filter((chart) => chart.name === name).map((chart) => chart.path);
    histories.set(
      name,
      new Map(
        upgradesOf(repository, paths, Number(options.upgrades), options.commits).map((each) => [
          each.path,
          each.upgrades,
        ]),
      ),
    );
  }
  return histories.get(name).get(path) ?? [];
};

function compared({ texts, digested }, versions) {
  const plain = texts.map((text) => view(objectsOf(text)));
  if (plain.some(({ objects }) => objects.some(({ object }) => typeof object.kind !== "string")))
    return { left: "it renders what is no object" };
  if (plain[0].workloads.size === 0) return { left: "it has no workload" };
  const stamped = texts.map((text) => stamp(text, SPEC));
  const ours = stamped.map(({ text }) => view(objectsOf(text)));
  const wrong = [0, 1].map((i) => other(plain[i].objects, ours[i].objects)).find((part) => part !== undefined);
  const entries = readyEntries(texts[0]);
  const withEntries =
    entries.length === 0
      ? undefined
      : texts.slice(0, 2).map((text) => view(objectsOf(stamp(text, { ...SPEC, overrides: entries }).text)));
  const shown = versions.flatMap(({ version, appVersion }) => [version, appVersion]).filter((text) => text.length > 2);
  const rows = [];
  for (const [id, { object: before, source }] of plain[0].workloads) {
    const after = plain[1].workloads.get(id)?.object;
    if (after === undefined) continue;
    const templateOf = (side) => side.workloads.get(id)?.object.spec.template;
    const isRandom =
      !isDeepStrictEqual(templateOf(plain[0]), templateOf(plain[2])) ||
      !isDeepStrictEqual(
        contentOf(templateOf(plain[0]), plain[0].sources),
        contentOf(templateOf(plain[0]), plain[2].sources),
      );
    const rolled = !isDeepStrictEqual(before.spec.template, after.spec.template);
    const rolls = !isDeepStrictEqual(templateOf(ours[0]), templateOf(ours[1]));
    const followed =
      withEntries === undefined ? rolls : !isDeepStrictEqual(templateOf(withEntries[0]), templateOf(withEntries[1]));
    const isSame = isDeepStrictEqual(functional(templateOf(plain[0]), shown), functional(templateOf(plain[1]), shown));
    const needed =
      !isSame ||
      !isDeepStrictEqual(
        contentOf(templateOf(plain[0]), plain[0].sources),
        contentOf(templateOf(plain[1]), plain[1].sources),
      );
    if (!rolled && !rolls && !needed && !isRandom) continue;
    rows.push({
      id,
      ...(isRandom ? { random: stilled(texts, plain, id, [templateOf(plain[0]), templateOf(plain[2])]) } : {}),
      rolled,
      rolls,
      followed,
      needed,
      by: rolled && !needed ? differences(before.spec.template, after.spec.template) : [],
      ...(rolls && !needed ? { still: differences(templateOf(ours[0]), templateOf(ours[1])) } : {}),
      ...(!needed && rolled && !rolls ? { unseen: unseenBy(plain, id, digested[source] ?? [], before, after) } : {}),
    });
  }
  return {
    workloads: plain[0].workloads.size,
    rows,
    ...(wrong === undefined ? {} : { wrong }),
    told: stamped[1].results.filter(({ tags }) => tags?.rule?.startsWith("chart-")).length,
  };
}

function view(objects) {
  return { objects, workloads: workloadsOf(objects), sources: sourcesOf(objects) };
}

/** The entries of `overrides` that rollstamp gives for a rendering, and then for what these leave. */
function readyEntries(text) {
  const overrides = [];
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const found = stamp(text, { ...SPEC, overrides })
      .results.filter(({ tags }) => tags?.rule === "chart-checksum")
      .flatMap(({ message }) => parse(/'overrides: (\[.*?\])'\. If /su.exec(message)?.[1] ?? "[]"));
    if (found.length === 0) break;
    overrides.push(...found);
  }
  return overrides;
}

/** Whether RS013's remedy, followed for one workload, stops it: its random sources left out, its random annotations named. */
function stilled(texts, plain, id, [a, b]) {
  const [kind, full] = id.split(" ");
  const name = full.split("/").at(-1);
  const paths = differences(a, b);
  if (paths.some((path) => !path.startsWith("annotations["))) return { paths };
  const names = [...seenBy(a.spec).keys()].filter(
    (source) => !isDeepStrictEqual(plain[0].sources.get(source)?.entries, plain[2].sources.get(source)?.entries),
  );
  const spec = {
    ...SPEC,
    checksumAnnotations: paths.map((path) => path.slice("annotations[".length, -1)),
    overrides: [
      {
        target: { kind, name },
        exclude: names.map((source) => source.replace(" ", "/").replace(/^\w+/u, (word) => word.toLowerCase())),
      },
    ],
  };
  const [first, second] = [texts[0], texts[2]].map(
    (text) => view(objectsOf(stamp(text, spec).text)).workloads.get(id).object.spec.template,
  );
  return { paths, names, stilled: isDeepStrictEqual(first, second) };
}

/** Sources of the templates that a workload's template names, that changed and that its pods don't see. */
function unseenBy(plain, id, files, before, after) {
  const seen = seenBy(after.spec.template.spec);
  const changed = differences(before.spec.template, after.spec.template).filter((path) => /checksum/iu.test(path));
  if (changed.length === 0) return [];
  return [...plain[1].sources]
    .filter(([name, { source: from }]) => files.includes(posix.basename(from)) && !seen.has(name))
    .filter(([name, { entries }]) => !isDeepStrictEqual(entries, plain[0].sources.get(name)?.entries))
    .map(([name]) => name);
}

const results = [];
for (const chart of queue) {
  for (const upgrade of historyOf(chart)) {
    const key = `${chart.name}/${chart.path}@${upgrade.versions[0].version}-${upgrade.versions[1].version}`.replaceAll(
      "/",
      "+",
    );
    const rendering = await render(chart, upgrade, key);
    if (rendering === undefined) continue;
    let result = rendering;
    if (rendering.left === undefined) {
      try {
        result = compared(rendering, upgrade.versions);
      } catch (cause) {
        result = { wrong: `${cause.name}: ${cause.message}`, workloads: 0, rows: [] };
      }
    }
    results.push({
      repository: chart.name,
      path: chart.path,
      versions: upgrade.versions.map(({ version }) => version),
      ...result,
    });
    const last = results.at(-1);
    console.error(
      `${results.length} ${chart.name}/${chart.path} ${last.versions.join(" → ")}: ${last.left ?? last.wrong ?? `${last.rows.filter((row) => row.rolled).length} of ${last.workloads} rolled, ${last.rows.filter((row) => row.rolled && !row.needed).length} avoidable, ${last.rows.filter((row) => row.rolls && !row.needed).length} still`}`,
    );
  }
}
const { text, isWrong } = upgradesTable(results, {
  date: new Date().toISOString().slice(0, 10),
  revision: git(root, "log", "-1", "--format=%h")?.trim() ?? "a build without a repository",
  helm: helmVersion,
  repositories: [...byName]
    .filter(([name]) => results.some(({ repository }) => repository === name))
    .map(([name, { repository }]) => ({
      name,
      commit: git(repository, "log", "-1", "--format=%h").trim(),
      of: git(repository, "log", "-1", "--format=%cs").trim(),
    })),
});
if (options.json) process.stdout.write(`${JSON.stringify(results, undefined, 1)}\n`);
else if (options.out === undefined) process.stdout.write(text);
else writeFileSync(options.out, text);
process.exitCode = isWrong ? 1 : 0;
