import { join } from "node:path";
import { isFixedChart } from "../tools/helm-pull.ts";
import { RollstampError } from "../../base/errors.ts";
import type { ApplicationFolder, FetchChart } from "../../platform/ports/applications.ts";
import type { Environment } from "../../platform/ports/environment.ts";
import type { Io } from "../../platform/ports/io.ts";
import { holdsNothing } from "../../yaml/read/items.ts";
import { readTree } from "../../yaml/read/tree.ts";
import { documentValues, merged, valuesText } from "./merged-values.ts";
import type { Values } from "./set-values.ts";
import type { HelmStep, StepFile } from "./step.ts";
import { TO_FETCH, type FetchedCharts } from "./fetched-charts.ts";

/** The rendering of a chart. */
export interface RenderedRelease {
  readonly text: string;
  /** Whether the same files always give the same output: fetched charts have an exact version or a digest. */
  readonly isFixed: boolean;
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
  let isFixed = true;
  const { fetch } = charts;
  const fetchChart: FetchChart | undefined =
    fetch === undefined
      ? undefined
      : (chart) => {
          isFixed &&= isFixedChart(chart);
          return fetch(chart);
        };
  const work = (chart: ApplicationFolder): Promise<string> =>
    rendered(io, step, { chart, repository: { folder: root, root, limits } }, environment, fetchChart);
  const { chart } = step;
  switch (chart.in) {
    case "repository":
      return { text: await work({ folder: join(root, chart.folder), root, limits }), isFixed };
    case "packed":
      return { text: await io.applications.withChart(join(root, chart.file), limits, work), isFixed };
    case "helm": {
      if (fetchChart === undefined) throw charts.refused(chart);
      const archive = await fetchChart(chart);
      return { text: await io.applications.withArchive(archive, chart.name, limits, work), isFixed };
    }
  }
}

interface Folders {
  readonly chart: ApplicationFolder;
  readonly repository: ApplicationFolder;
}

async function rendered(
  io: Io,
  { given, values, defaults, postRender }: HelmStep,
  folders: Folders,
  environment: Environment,
  fetchChart: FetchChart | undefined,
): Promise<string> {
  const textOf = (file: StepFile): string | undefined => valuesFile(io, folders, file);
  const application = {
    application: folders.chart,
    given,
    environment,
    valuesTexts: values.flatMap((one) => (one.is === "text" ? one.text : (textOf(one) ?? []))),
    ownValues: defaults === undefined ? undefined : mergedFiles(io, defaults, textOf),
    withOwnSchemasOnly: true,
    fetchChart,
    ...(fetchChart === undefined ? { toFetch: TO_FETCH } : {}),
  };
  let text = await printedBy(() => io.applications.renderChart(application, []));
  for (const files of postRender) {
    // kustomize fails without objects.
    if (holdsNothing(readTree(text, "helm template", io.context.limits))) break;
    text = await io.applications.postRender(application, text, files);
  }
  return text;
}

// The message of Helm about the kubeVersion of a chart (pkg/action/action.go). Helm defaults to 1.20 if it was built without
// the flags of a release.
const OTHER_KUBERNETES = /incompatible with Kubernetes v/u;

async function printedBy(render: () => Promise<{ readonly text: string }>): Promise<string> {
  try {
    return (await render()).text;
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
