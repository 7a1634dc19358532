import { repositoryFile } from "./application-folder.ts";
import { stageChart } from "../applications/render/stage/stage-chart.ts";
import { CHART, fetchDependencies, leaveOutDependencies, packLocalDependencies } from "./stage-dependencies.ts";
import { helmArguments, type HelmInputs } from "../applications/tools/helm-arguments.ts";
import { booleanParameter, listParameter, mapParameter, textParameter } from "../applications/tools/parameters.ts";
import { RollstampError } from "../base/errors.ts";
import { CHART_FILE } from "../base/hosts/helm.ts";
import type { ApplicationToRender, RenderedApplication } from "../platform/ports/applications.ts";
import { failed, inOwnFolder, start, type Rendering } from "./render-application.ts";

/** Runs `helm template` like Argo CD, over a copy of the chart. */
export function renderChart(chart: ApplicationToRender, setJson: readonly string[]): Promise<RenderedApplication> {
  return inOwnFolder(chart, (rendering) => template(rendering, setJson));
}

async function template(rendering: Rendering, setJson: readonly string[]): Promise<RenderedApplication> {
  const { application, given, stage } = rendering;
  const files = stagedFiles(rendering);
  const args = helmArguments({ ...files, setJson });
  const { folder } = application;
  const schemas = booleanParameter(given, "skip-schema-validation")
    ? "leftOut"
    : rendering.withOwnSchemasOnly === true
      ? "ownOnly"
      : "held";
  stageChart(stage, { folder, to: CHART, shown: "", schemas });
  if (rendering.ownValues !== undefined) stage.put(`${CHART}/values.yaml`, rendering.ownValues);
  await packLocalDependencies(rendering, schemas);
  const missing = await fetchDependencies(rendering, schemas);
  const leftOut = leaveOutDependencies(rendering, missing, files.texts);
  const run = await start(rendering, "helm", args, {
    workingFolder: CHART,
    input: textParameter(given, "helm-values"),
  });
  if (run.failure === undefined) return { text: run.stdout, by: "helm template", leftOut };
  if (leftOut.length > 0 && NEEDS_DEPENDENCY.test(run.stderr))
    return { text: "", by: "helm template", leftOut, isCut: true };
  if (!MISSING_DEPENDENCY.test(run.stderr)) throw failed(rendering, "helm template", run);
  throw new RollstampError("input", "the chart has dependencies that are not in its folder 'charts'", {
    place: { file: CHART_FILE },
    remedy: "Run 'helm dependency build' and commit the folder: nothing is fetched here.",
  });
}

/** The message of Helm for a dependency that is not in `charts` (pkg/action, CheckDependencies). */
const MISSING_DEPENDENCY = /but missing in charts\/ directory/u;

/** The messages of Go templates without the helpers or the values of a dependency (text/template, exec.go). */
const NEEDS_DEPENDENCY = /no template "[^"]*" associated with template|nil pointer evaluating/u;

/**
 * Stages the files that parameters name under safe names, because helm parses the name of a file as CSV, as a URL, or as the
 * end of an assignment.
 */
function stagedFiles(rendering: Rendering): Omit<HelmInputs, "setJson"> & { readonly texts: readonly string[] } {
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
  const set = [...mapParameter(given, "helm-parameters"), ...mapParameter(given, "helm-string-parameters")];
  const setFiles = mapParameter(given, "helm-file-parameters").map(([path, name], index): readonly [string, string] => {
    const file = repositoryFile(application, name, "helm-file-parameters");
    if (file === undefined) throw notThere("helm-file-parameters", name);
    const to = `file-parameters/${index}`;
    set.push([path, stage.copy(file, to, name).toString("latin1")]);
    return [path, `../${to}`];
  });
  const texts = valuesTexts.map((text, index) => {
    stage.put(`values-files/text-${index}.yaml`, text);
    return `../values-files/text-${index}.yaml`;
  });
  // By the first name of each path: enough to tell whose values they are.
  const setTexts = set.map(([path, value]) => JSON.stringify({ [path.split(/[.[]/u)[0] ?? ""]: [path, value] }));
  return {
    given,
    environment,
    valuesFiles: [...valuesFiles, ...texts],
    setFiles,
    texts: [...valuesTexts, ...setTexts],
  };
}

function notThere(parameter: string, path: string): RollstampError {
  return new RollstampError("usage", `the plugin parameter '${parameter}' names '${path}', which does not exist`, {
    remedy: "Paths are from the application's folder, or from the repository's root with a leading slash.",
  });
}
