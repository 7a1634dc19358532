import { chartsOfRendering, fetchedOrProblem, type FetchedCharts } from "./fetched-charts.ts";
import { join } from "node:path";
import { shownChart } from "../tools/helm-pull.ts";
import { RollstampError } from "../../base/errors.ts";
import type { OutsidePart } from "../../base/outside.ts";
import type {
  ApplicationFolder,
  ApplicationToRender,
  FetchChart,
  LeftOut,
  RenderedApplication,
} from "../../platform/ports/applications.ts";
import type { Environment } from "../../platform/ports/environment.ts";
import type { Io } from "../../platform/ports/io.ts";
import { holdsNothing } from "../../yaml/read/items.ts";
import { readTree } from "../../yaml/read/tree.ts";
import { documentValues, merged, valuesText } from "./merged-values.ts";
import type { Values } from "./set-values.ts";
import type { HelmStep, StepFile } from "./step.ts";
import { dataDigest } from "./affected.ts";

export interface RenderedRelease {
  readonly text: string;
  /** Whether the same files always give the same output: fetched charts have an exact version or a digest. */
  readonly isFixed: boolean;
  /** What it was rendered without. */
  readonly leftOut: readonly LeftOut[];
  /** It can't be rendered without these parts. */
  readonly isCut?: true;
}

/** Renders a chart of the repository, or one that is fetched. Throws a RollstampError. */
export async function renderedRelease(
  io: Io,
  step: HelmStep,
  root: string,
  environment: Environment,
  charts: FetchedCharts,
): Promise<RenderedRelease> {
  const { limits } = io.context;
  const { fetchChart, areFixed } = chartsOfRendering(charts);
  const repository = { folder: root, root, limits };
  const work = (chart: ApplicationFolder): Promise<RenderedChart> =>
    rendered(io, step, { chart, repository }, environment, fetchChart);
  const { chart } = step;
  switch (chart.in) {
    case "repository":
      return { ...(await work({ folder: join(root, chart.folder), root, limits })), isFixed: areFixed() };
    case "packed":
      return { ...(await io.applications.withChart(join(root, chart.file), limits, work)), isFixed: areFixed() };
    case "helm": {
      const archive = fetchChart === undefined ? undefined : await fetchedOrProblem(() => fetchChart(chart));
      if (Buffer.isBuffer(archive))
        return { ...(await io.applications.withArchive(archive, chart.name, limits, work)), isFixed: areFixed() };
      const part: OutsidePart = { is: "chart", name: shownChart(chart), ...archive };
      return { text: "", isFixed: areFixed(), leftOut: [{ ...part, id: releaseId(io, step, repository) }] };
    }
  }
}

/** Equal if the chart would be rendered with the same values. */
function releaseId(
  io: Io,
  { chart, given, values, defaults = [], postRender }: HelmStep,
  root: ApplicationFolder,
): string {
  const textOf = (file: StepFile): string =>
    file.in === "repository" ? (io.applications.fileText(root, file.path) ?? "") : "";
  const texts = values.map((one) => (one.is === "text" ? one.text : textOf(one)));
  return dataDigest([
    chart,
    [...given],
    values,
    texts,
    defaults,
    defaults.map(textOf),
    postRender.map((files) => [...files]),
  ]);
}

interface Folders {
  readonly chart: ApplicationFolder;
  readonly repository: ApplicationFolder;
}

type RenderedChart = Pick<RenderedRelease, "text" | "leftOut" | "isCut">;

async function rendered(
  io: Io,
  { given, values, defaults, postRender }: HelmStep,
  folders: Folders,
  environment: Environment,
  fetchChart: FetchChart | undefined,
): Promise<RenderedChart> {
  const textOf = (file: StepFile): string | undefined => valuesFile(io, folders, file);
  const files = [...values.flatMap((one) => (one.is === "file" ? [one] : [])), ...(defaults ?? [])];
  const unset = files.find(
    (file) => !file.optional && hasEmptyPart(file.path) && textOf({ ...file, optional: true }) === undefined,
  );
  if (unset !== undefined) return { text: "", leftOut: [{ is: "data", name: unset.path, id: "" }], isCut: true };
  const application: ApplicationToRender = {
    application: folders.chart,
    given,
    environment,
    valuesTexts: values.flatMap((one) => (one.is === "text" ? one.text : (textOf(one) ?? []))),
    ownValues: defaults === undefined ? undefined : mergedFiles(io, defaults, textOf),
    withOwnSchemasOnly: true,
    fetchChart,
    leavesOut: true,
  };
  const { text: printed, leftOut = [], isCut } = await printedBy(() => io.applications.renderChart(application, []));
  let text = printed;
  for (const step of postRender) {
    // kustomize fails without objects.
    if (holdsNothing(readTree(text, "helm template", io.context.limits))) break;
    text = await io.applications.postRender(application, text, step);
  }
  return { text, leftOut, ...(isCut === true ? { isCut } : {}) };
}

/**
 * Whether the name of a file was made from a value that the repository does not set, such as `values-.yaml` from
 * `values-{{ .Values.environment }}.yaml` in the chart that renders the Application.
 */
function hasEmptyPart(path: string): boolean {
  return path.split("/").some((name) => /^$|^[-_]|[-_]{2}|[-_.]$/u.test(name.replace(/\.(?:ya?ml|json)$/u, "")));
}

// The message of Helm about the kubeVersion of a chart (pkg/action/action.go). Helm defaults to 1.20 if it was built without
// the flags of a release.
const OTHER_KUBERNETES = /incompatible with Kubernetes v/u;

async function printedBy(render: () => Promise<RenderedApplication>): Promise<RenderedApplication> {
  try {
    return await render();
  } catch (cause) {
    // oxlint-disable-next-line messages/unread -- these are Helm's words, which has no code for it
    if (!(cause instanceof RollstampError) || !OTHER_KUBERNETES.test(cause.message)) throw cause;
    throw new RollstampError(cause.code, cause.message, {
      remedy: "Set the version of the cluster, such as KUBE_VERSION=1.34.0 in the environment.",
    });
  }
}

/** The text of a values file; undefined for an optional file that is missing. */
function valuesFile(io: Io, { chart, repository }: Folders, file: StepFile): string | undefined {
  const [folder, path] =
    file.in === "repository"
      ? [repository, file.path]
      : [{ ...chart, root: chart.folder }, file.path.replace(/^\/+/u, "")];
  const text = io.applications.fileText(folder, path);
  if (text !== undefined || file.optional) return text;
  const where = file.in === "repository" ? "the repository" : "the chart";
  throw new RollstampError("input", `its values file ${file.path} is not in ${where}`);
}

/** Merges `valuesFiles` like source-controller: the result replaces the values.yaml of the chart. */
function mergedFiles(io: Io, files: readonly StepFile[], textOf: (file: StepFile) => string | undefined): string {
  let all: Values = new Map();
  for (const file of files) {
    const text = textOf(file);
    if (text !== undefined) all = merged(all, documentValues(text, file.path, io.context.limits));
  }
  return valuesText(all);
}
