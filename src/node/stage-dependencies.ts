import { fetchedOrProblem } from "../applications/render/fetched-charts.ts";
import { existsSync, mkdirSync, readdirSync, realpathSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import {
  dependenciesIn,
  isTurnedOff,
  localDependencies,
  lockedVersions,
  remoteDependencies,
  valuesOfDependency,
  withoutDependencies,
  type ChartDependency,
  type LocalDependency,
} from "../applications/tools/chart-dependencies.ts";
import { dataDigest } from "../applications/render/affected.ts";
import { chartKey, shownChart } from "../applications/tools/helm-pull.ts";
import { RollstampError } from "../base/errors.ts";
import { groupedBy } from "../base/grouped.ts";
import {
  CHART_FILE,
  CHARTS_FOLDER,
  DEPENDENCY_FILES,
  isExactVersion,
  isVendoredAs,
  LARGEST_CHART,
  LOCK_FILES,
  TEMPLATES_FOLDER,
} from "../base/hosts/helm.ts";
import { isInside } from "../base/inside.ts";
import type { LeftOut } from "../platform/ports/applications.ts";
import { applicationText, namesIn } from "./application-folder.ts";
import { failed, start, type Rendering } from "./render-application.ts";
import { rawBytesInside } from "./repository-files.ts";
import { repacked, stageChart, type Schemas } from "../applications/render/stage/stage-chart.ts";

/** The folder of the chart, relative to the stage. */
export const CHART = "chart";

/**
 * Packs local charts into the staged folder `charts`, as Argo CD does with `helm dependency build`. helm itself packs
 * them and checks their versions, but from copies, with a Chart.yaml of our own that names nothing else. What the
 * chart's own files say about other places is never used.
 */
export async function packLocalDependencies(rendering: Rendering, schemas: Schemas): Promise<void> {
  const { stage } = rendering;
  // A chart with several aliases is packed once: helm finds it by name.
  const dependencies = [
    ...new Map(
      dependenciesOf(rendering)
        .filter(({ name }) => !isVendored(rendering, name))
        .map((dependency) => [chartKey(dependency), dependency] as const),
    ).values(),
  ];
  if (dependencies.length === 0) return;
  const named = dependencies.map((dependency, index) => {
    const { name, version, repository } = dependency;
    const folder = localChart(rendering, dependency);
    const to = `dependencies/${index}`;
    mkdirSync(join(stage.folder, to), { recursive: true, mode: 0o700 });
    if (folder !== undefined) {
      stageChart(stage, { folder, to, shown: `${repository}/`, schemas });
    }
    // helm refuses two dependencies of the same name, and several versions of a chart have the same name.
    return { name, alias: `d${index}`, version, repository: `file://../${to}` };
  });
  stage.put(
    `packed/${CHART_FILE}`,
    JSON.stringify({ apiVersion: "v2", name: "dependencies", version: "0.0.0", dependencies: named }),
  );
  const run = await start(rendering, "helm", ["dependency", "update", ".", "--skip-refresh"], {
    workingFolder: "packed",
  });
  if (run.failure !== undefined) throw failed(rendering, "helm dependency build", run);
  const packed = join(stage.folder, "packed", "charts");
  if (!existsSync(packed)) {
    throw new RollstampError("system", "helm dependency update succeeded but packed no chart", {
      remedy: "Check the helm on PATH: it may be a wrapper.",
    });
  }
  for (const name of readdirSync(packed)) {
    // The packed charts have names from the repository: they are checked like any other file.
    const bytes = rawBytesInside(join(packed, name), { root: stage.folder, shown: name, most: LARGEST_CHART });
    stage.put(`${CHART}/charts/${name}`, repacked(bytes, { shown: `charts/${name}`, schemas, count: stage.count }));
  }
}

/** The folder of a local chart, within the repository; undefined if it does not exist. */
function localChart(
  { application: { folder, root } }: Rendering,
  { repository, folder: way }: LocalDependency,
): string | undefined {
  const path = resolve(folder, way);
  // Checked before the file is opened: even its existence must not be revealed.
  if (!isInside(root, path) || (existsSync(path) && !isInside(root, realpathSync(path)))) {
    throw new RollstampError("input", `the dependency '${repository}' is outside the repository`, {
      place: { file: CHART_FILE },
      remedy: "Use a path such as file://../common for charts of the same repository.",
    });
  }
  return existsSync(path) && statSync(path).isDirectory() ? path : undefined;
}

/** Whether a dependency is committed. */
function isVendored({ stage }: Rendering, name: string): boolean {
  const charts = join(stage.folder, CHART, CHARTS_FOLDER);
  return existsSync(charts) && readdirSync(charts).some((entry) => isVendoredAs(entry, name));
}

function dependenciesOf({ application }: Rendering): readonly LocalDependency[] {
  return textsOf(application, DEPENDENCY_FILES).flatMap(({ text, file }) =>
    localDependencies(text, file, application.limits),
  );
}

/** A dependency that is not committed and was not fetched, and the problem if that was tried. */
export interface MissingDependency extends ChartDependency {
  readonly problem?: string;
}

/**
 * Fetches charts that are not committed, if that is allowed: in the versions of the lock file, as `helm dependency
 * build` does. Returns those that are missing if the rendering leaves them out; otherwise helm reports them.
 */
export async function fetchDependencies(rendering: Rendering, schemas: Schemas): Promise<readonly MissingDependency[]> {
  const { application, fetchChart, leavesOut, stage } = rendering;
  if (fetchChart === undefined && leavesOut !== true) return [];
  const { limits } = application;
  const locked = groupedBy(
    textsOf(application, LOCK_FILES).flatMap(({ text, file }) => lockedVersions(text, file, limits)),
    ([name]) => name,
  );
  const wanted = textsOf(application, DEPENDENCY_FILES)
    .flatMap(({ text, file }): readonly ChartDependency[] => remoteDependencies(text, file, limits))
    .filter(({ name }) => !isVendored(rendering, name));
  const pinned = wanted.map((dependency, index): ChartDependency => {
    const { name, version } = dependency;
    // The lock file has them in the order of the chart, one for each alias.
    const versions = (locked.get(name) ?? []).map(([, one]) => one);
    const before = wanted.slice(0, index).filter((other) => other.name === name).length;
    const known = versions[before] ?? versions[0];
    if (known !== undefined && isExactVersion(version) && known !== version) throw outOfSync(name, version, known);
    return { ...dependency, version: known ?? version };
  });
  if (fetchChart === undefined) return pinned;
  const missing: MissingDependency[] = [];
  const fetched = new Set<string>();
  for (const [index, chart] of pinned.entries()) {
    const { name } = chart;
    if (fetched.has(chartKey(chart))) continue;
    fetched.add(chartKey(chart));
    const archive = await (leavesOut === true ? fetchedOrProblem(() => fetchChart(chart)) : fetchChart(chart));
    if (!Buffer.isBuffer(archive)) {
      missing.push({ ...chart, ...archive });
      continue;
    }
    stage.put(
      `${CHART}/charts/fetched-${index}.tgz`,
      repacked(archive, { shown: `charts/${name}`, schemas, count: stage.count }),
    );
  }
  return missing;
}

/** Parameters with values that take precedence over those of the chart: any of them may turn a dependency on. */
const OTHER_VALUES: readonly string[] = [
  "values-files",
  "helm-values",
  "helm-parameters",
  "helm-string-parameters",
  "helm-file-parameters",
];

/**
 * Stages the chart without its missing dependencies, which helm would refuse. One that is turned off renders nothing, so
 * nothing is left out.
 */
export function leaveOutDependencies(
  rendering: Rendering,
  missing: readonly MissingDependency[],
  valuesTexts: readonly string[],
): readonly LeftOut[] {
  const { application, given, ownValues, stage } = rendering;
  const { limits } = application;
  if (missing.length === 0) return [];
  const settings = [...given].filter(([, { map }]) => map === undefined);
  const isWrapper = !namesIn(application.folder).includes(TEMPLATES_FOLDER);
  const all = textsOf(application, DEPENDENCY_FILES).flatMap(({ text, file }) => dependenciesIn(text, file, limits));
  const names = new Set(missing.map(({ name }) => name));
  const defaults =
    ownValues ??
    textsOf(application, ["values.yaml"])
      .map(({ text }) => text)
      .join("");
  for (const { file, text } of textsOf(application, DEPENDENCY_FILES))
    stage.put(`${CHART}/${file}`, withoutDependencies(text, file, names, limits));
  const texts = [defaults, ...valuesTexts];
  const hasOthers = OTHER_VALUES.some((name) => given.has(name));
  return missing.flatMap(({ problem, ...dependency }): readonly LeftOut[] => {
    if (!hasOthers && isTurnedOff(dependency, texts, limits)) return [];
    const { alias } = dependency;
    const others = isWrapper ? new Set(all.map((one) => one.alias).filter((other) => other !== alias)) : undefined;
    const values = valuesOfDependency(dependency, others, texts, limits);
    const id = dataDigest([dependency, settings, values]);
    return [{ is: "dependency", name: shownChart(dependency), ...(problem === undefined ? {} : { problem }), id }];
  });
}

/** `helm dependency build` refuses it, too. */
function outOfSync(name: string, version: string, locked: string): RollstampError {
  return new RollstampError("input", `the lock file has ${name} ${locked}, and the chart requires ${version}`, {
    place: { file: CHART_FILE },
    remedy: "Run 'helm dependency update' and commit the lock file.",
  });
}

function textsOf(
  application: Rendering["application"],
  files: readonly string[],
): readonly { readonly file: string; readonly text: string }[] {
  const names = namesIn(application.folder);
  return files
    .filter((file) => names.includes(file))
    .map((file) => ({ file, text: applicationText(application, file) }));
}
