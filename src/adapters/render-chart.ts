import { existsSync, mkdirSync, readdirSync, realpathSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { applicationText, namesIn, repositoryFile } from "./application-folder.ts";
import { rawBytesInside } from "./repository-files.ts";
import { repacked, stageChart } from "./staged-chart.ts";
import { localDependencies, type LocalDependency } from "../cmp/chart-dependencies.ts";
import { givenValues, type ValueParameter } from "../cmp/chart-values.ts";
import { helmArguments, type HelmInputs } from "../cmp/helm-arguments.ts";
import { booleanParameter, listParameter, mapParameter, textParameter } from "../cmp/parameters.ts";
import { RollstampError } from "../ground/errors.ts";
import { CHART_FILE, DEPENDENCY_FILES, LARGEST_CHART } from "../ground/hosts/helm.ts";
import { isInside } from "../ground/inside.ts";
import type { ApplicationToRender, RenderedApplication } from "../io/applications.ts";
import { failed, inOwnFolder, start, type Rendering } from "./render-application.ts";

/** Where the chart is staged, from the stage's folder. */
const CHART = "chart";

/** `helm template` as Argo CD calls it, over a copy of the chart; dependencies come from its folder `charts`. */
export function renderChart(
  chart: ApplicationToRender,
  values: readonly ValueParameter[],
): Promise<RenderedApplication> {
  return inOwnFolder(chart, (rendering) => template(rendering, values));
}

async function template(rendering: Rendering, values: readonly ValueParameter[]): Promise<RenderedApplication> {
  const { application, given, stage } = rendering;
  const files = stagedFiles(rendering);
  const args = helmArguments({ ...files, setJson: givenValues(values, given, application.limits) });
  const { folder, root } = application;
  const withSchemas = !booleanParameter(given, "skip-schema-validation");
  stageChart(stage, { folder, root, to: CHART, shown: "", withSchemas });
  await packLocalDependencies(rendering, withSchemas);
  const run = await start(rendering, "helm", args, { at: CHART, input: textParameter(given, "helm-values") });
  if (run.failure === undefined) return { text: run.stdout, by: "helm template" };
  if (!MISSING_DEPENDENCY.test(run.stderr)) throw failed(rendering, "helm template", run);
  throw new RollstampError("input", "the chart has dependencies that are not in its folder 'charts'", {
    place: { file: CHART_FILE },
    remedy: "Run 'helm dependency build' and commit the folder: nothing is fetched here.",
  });
}

/** Helm's words for a dependency that is not in `charts` (pkg/action, CheckDependencies). */
const MISSING_DEPENDENCY = /but missing in charts\/ directory/u;

/**
 * The files that parameters name, staged beside the chart under names of our own: helm takes the name of a file
 * for a line of CSV, for a URL, for the end of an assignment.
 */
function stagedFiles(rendering: Rendering): Omit<HelmInputs, "setJson"> {
  const { application, given, environment, stage, valuesTexts = [] } = rendering;
  const ignoreMissing = booleanParameter(given, "ignore-missing-values-files");
  const copied = (file: string, name: string, path: string): string => {
    stage.copy(file, name, path);
    return `../${name}`;
  };
  const valuesFiles = listParameter(given, "values-files").flatMap((path, index) => {
    const file = repositoryFile(application, path, "values-files");
    if (file !== undefined) return copied(file, `values-files/${index}.yaml`, path);
    if (!ignoreMissing) throw notThere("values-files", path);
    return [];
  });
  const setFiles = mapParameter(given, "helm-file-parameters").map(([path, name], index): readonly [string, string] => {
    const file = repositoryFile(application, name, "helm-file-parameters");
    if (file === undefined) throw notThere("helm-file-parameters", name);
    return [path, copied(file, `file-parameters/${index}`, name)];
  });
  const texts = valuesTexts.map((text, index) => {
    stage.put(`values-files/text-${index}.yaml`, text);
    return `../values-files/text-${index}.yaml`;
  });
  return { given, environment, valuesFiles: [...valuesFiles, ...texts], setFiles };
}

function notThere(parameter: string, path: string): RollstampError {
  return new RollstampError("usage", `the plugin parameter '${parameter}' names '${path}', which is not there`, {
    remedy: "Paths are from the application's folder, or from the repository's root with a leading slash.",
  });
}

/**
 * Puts charts of the same repository into the staged `charts`, as `helm dependency build` does it for Argo CD:
 * helm itself packs them and looks at their versions, but from copies, and by a Chart.yaml of our own, which names
 * nothing else. What the chart's own files say to helm of other places is never acted on.
 */
async function packLocalDependencies(rendering: Rendering, withSchemas: boolean): Promise<void> {
  const { application, stage } = rendering;
  const dependencies = dependenciesOf(rendering).filter(({ name }) => !isVendored(rendering, name));
  if (dependencies.length === 0) return;
  const named = dependencies.map((dependency, index) => {
    const { name, version, repository } = dependency;
    const folder = localChart(rendering, dependency);
    const to = `dependencies/${index}`;
    mkdirSync(join(stage.folder, to), { recursive: true, mode: 0o700 });
    if (folder !== undefined) {
      stageChart(stage, { folder, root: application.root, to, shown: `${repository}/`, withSchemas });
    }
    return { name, version, repository: `file://../${to}` };
  });
  stage.put(
    `packed/${CHART_FILE}`,
    JSON.stringify({ apiVersion: "v2", name: "dependencies", version: "0.0.0", dependencies: named }),
  );
  const run = await start(rendering, "helm", ["dependency", "update", ".", "--skip-refresh"], { at: "packed" });
  if (run.failure !== undefined) throw failed(rendering, "helm dependency build", run);
  const packed = join(stage.folder, "packed", "charts");
  if (!existsSync(packed)) {
    throw new RollstampError("system", "helm dependency update ended well and has packed no chart", {
      remedy: "Is the helm on PATH a wrapper of another program's?",
    });
  }
  for (const name of readdirSync(packed)) {
    // What helm has packed under names that charts give is looked at as any other.
    const bytes = rawBytesInside(join(packed, name), { root: stage.folder, shown: name, most: LARGEST_CHART });
    stage.put(`${CHART}/charts/${name}`, repacked(bytes, { shown: `charts/${name}`, withSchemas, count: stage.count }));
  }
}

/** The folder of a chart beside this one, within what was sent; undefined where there is none. */
function localChart(
  { application: { folder, root } }: Rendering,
  { repository, folder: way }: LocalDependency,
): string | undefined {
  const at = resolve(folder, way);
  // Looked at before it is opened: whether a file is there is no more to be told than what it holds.
  if (!isInside(root, at) || (existsSync(at) && !isInside(root, realpathSync(at)))) {
    throw new RollstampError("input", `the dependency '${repository}' is outside the repository`, {
      place: { file: CHART_FILE },
      remedy: "Charts of the same repository are found by a path such as file://../common.",
    });
  }
  return existsSync(at) && statSync(at).isDirectory() ? at : undefined;
}

/** True for a dependency that is committed. */
function isVendored({ stage }: Rendering, name: string): boolean {
  const charts = join(stage.folder, CHART, "charts");
  if (!existsSync(charts)) return false;
  return readdirSync(charts).some(
    (entry) => entry === name || (entry.startsWith(`${name}-`) && entry.endsWith(".tgz")),
  );
}

/** The dependencies that are charts of the repository. Of any other helm says itself that they are missing. */
function dependenciesOf({ application }: Rendering): readonly LocalDependency[] {
  const names = namesIn(application.folder);
  const files = DEPENDENCY_FILES.filter((file) => names.includes(file));
  return files.flatMap((file) => localDependencies(applicationText(application, file), file, application.limits));
}
