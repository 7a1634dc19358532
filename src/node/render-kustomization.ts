import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { BUILD_OPTIONS_VARIABLE, readBuildOptions, type BuildOptions } from "../applications/tools/build-options.ts";
import { withPlainDigests } from "../applications/kustomize/own-functions.ts";
import { fetchedOrProblem } from "../applications/render/fetched-charts.ts";
import { chartKey } from "../applications/tools/helm-pull.ts";
import { saysNothing } from "../applications/kustomize/inflated-charts.ts";
import { failureOf } from "../base/alike.ts";
import { RollstampError } from "../base/errors.ts";
import { HELM_GENERATED } from "../base/hosts/krm.ts";
import { KUSTOMIZATION_FILES } from "../base/hosts/kustomize.ts";
import { isInside } from "../base/inside.ts";
import { REMOTE_BASES_VARIABLE as REMOTE } from "../base/outside.ts";
import type {
  ApplicationToRender,
  ChartAddress,
  FetchChart,
  RenderedApplication,
} from "../platform/ports/applications.ts";
import { failed, inOwnFolder, start, type ProgramRun, type Rendering } from "./render-application.ts";
import { openStage } from "./stage.ts";
import type { ChartToInflate } from "../applications/render/stage/stage-inflated-chart.ts";
import type { Stage } from "../platform/ports/stage.ts";
import {
  stageKustomization,
  stageTogether,
  type StagedKustomization,
} from "../applications/render/stage/stage-kustomization.ts";
import type { FetchedChart, KustomizationToStage } from "../applications/render/stage/staging.ts";
import { thisProgram } from "./processes.ts";

/** Runs `kustomize build` over a copy, with the build options in the environment. */
export async function renderKustomization(kustomization: ApplicationToRender): Promise<RenderedApplication> {
  return (await buildTogether(kustomization)) ?? inOwnFolder(kustomization, build);
}

/**
 * Builds a kustomization in a stage that it shares with others of its tree. Undefined if that is impossible or fails: error
 * messages need a separate stage.
 */
async function buildTogether(given: ApplicationToRender): Promise<RenderedApplication | undefined> {
  const { application, environment, edit, generate, isLeftOut, together } = given;
  const options = readBuildOptions(environment[BUILD_OPTIONS_VARIABLE] ?? "");
  const isAsWritten = generate === undefined && isLeftOut === undefined;
  const isOffline = !options.plugins && !options.unrestricted && environment[REMOTE] !== "true";
  if (together === undefined || !isAsWritten || !isOffline) return undefined;
  const { stage, staged, home } = openStage(together);
  const toStage: KustomizationToStage = {
    application,
    stage,
    allowRemote: false,
    unrestricted: false,
    withCharts: options.charts,
    plugins: "none",
    ownConfig: (config) => config,
    edit,
    generate,
    isLeftOut,
    leavesOut: false,
    fetched: new Map(),
    schemas: "held",
    skipsPatches: false,
    keepsSchema: true,
  };
  const found = stageTogether(toStage, staged);
  if (found === undefined) return undefined;
  makeFolder(stage, found.workingFolder);
  const over = { application, environment, home, stage: { folder: stage.folder, size: () => found.size } };
  const run = await start(over, "kustomize", ["build", ".", ...options.passed], { workingFolder: found.workingFolder });
  return run.failure === undefined ? { text: run.stdout, by: "kustomize build" } : undefined;
}

/** Builds a kustomization. If it fails because something can't be fetched, it is built without that. */
async function build(
  given: Rendering,
  allowRemote: boolean = given.environment[REMOTE] === "true",
): Promise<RenderedApplication> {
  try {
    return await buildOnce(given, { allowRemote });
  } catch (cause) {
    if (!allowRemote || given.leavesOut !== true || !(cause instanceof RollstampError) || cause.code !== "system")
      throw cause;
    const problem = failureOf(cause).message;
    const rest = await build({ ...given, stage: given.anotherStage() }, false).catch(() => undefined);
    if (rest?.leftOut === undefined || rest.leftOut.length === 0) throw cause;
    return { ...rest, leftOut: rest.leftOut.map((part) => ({ ...part, problem })) };
  }
}

async function buildOnce(
  given: Rendering,
  {
    allowRemote,
    skipsPatches = false,
    keepsSchema = false,
  }: Pick<KustomizationToStage, "allowRemote"> & Partial<Pick<KustomizationToStage, "skipsPatches" | "keepsSchema">>,
): Promise<RenderedApplication> {
  const options = readBuildOptions(given.environment[BUILD_OPTIONS_VARIABLE] ?? "");
  const { passed, unrestricted, charts: withCharts } = options;
  if (options.plugins && allowRemote) throw noRemoteBeside("--enable-alpha-plugins");
  let fetched: ReadonlyMap<string, FetchedChart> = new Map();
  const staged = (stage: Stage, plugins: KustomizationToStage["plugins"]): StagedKustomization =>
    stageKustomization({
      application: given.application,
      stage,
      allowRemote,
      unrestricted,
      withCharts,
      plugins,
      ownConfig: given.isOnlyCompared === true ? withPlainDigests : (config) => config,
      edit: given.edit,
      generate: given.generate,
      isLeftOut: given.isLeftOut,
      leavesOut: given.leavesOut === true,
      fetched,
      schemas: given.withOwnSchemasOnly === true ? "ownOnly" : "held",
      skipsPatches,
      keepsSchema,
    });
  const plugins = options.plugins ? "owners" : "none";
  let { stage } = given;
  let first = staged(stage, plugins);
  if (given.fetchChart !== undefined && first.wanted.length > 0) {
    fetched = await allFetched(first.wanted, given.fetchChart);
    stage = given.anotherStage();
    first = staged(stage, plugins);
  }
  const isOwn = !options.plugins && first.ownPlugins.size > 0;
  if (isOwn && allowRemote) throw noRemoteBeside("a rollstamp function in a kustomization");
  // Stage it again, so that rollstamp writes everything that tells kustomize which programs to start.
  const rendering = isOwn ? { ...given, stage: given.anotherStage() } : { ...given, stage };
  const { workingFolder, charts, ownPlugins, leftOut } = isOwn ? staged(rendering.stage, "rollstamps") : first;
  makeFolder(rendering.stage, workingFolder);
  for (const chart of charts) await inflate(rendering, chart, options);
  const run = await start(
    isOwn ? withPlugins(rendering, pluginFolder(rendering, ownPlugins)) : rendering,
    "kustomize",
    ["build", ".", ...passed, ...(isOwn ? ["--enable-alpha-plugins=true"] : [])],
    {
      workingFolder,
      fetches: allowRemote,
      // A folder of plugins; without it, kustomize looks in its home folder, which is empty.
      also: options.plugins || isOwn ? [PLUGIN_HOME] : [],
      // With plugins, kustomize also runs functions in containers, with any image that a repository names.
      before: options.plugins || isOwn ? withoutContainers(rendering) : undefined,
    },
  );
  if (run.failure === undefined)
    return {
      text: run.stdout,
      by: "kustomize build",
      ...(leftOut.length > 0 ? { leftOut } : {}),
    };
  // kustomize fails for a patch of an object that is not there.
  if (leftOut.length > 0 && !skipsPatches)
    return buildOnce({ ...given, stage: given.anotherStage() }, { allowRemote, skipsPatches: true });
  // An error, and what a version without this field builds, do not depend on us.
  if (first.hasEmptySchema)
    return buildOnce({ ...given, stage: given.anotherStage() }, { allowRemote, skipsPatches, keepsSchema: true });
  if (leftOut.length > 0 && NEEDS_OBJECT.test(run.stderr))
    return { text: "", by: "kustomize build", leftOut, isCut: true };
  throw restricted(rendering, run) ?? failed(rendering, "kustomize build", run);
}

/** One after the other, because a kustomization may name any number of them. */
async function allFetched(
  charts: readonly ChartAddress[],
  fetchChart: FetchChart,
): Promise<ReadonlyMap<string, FetchedChart>> {
  const fetched = new Map<string, FetchedChart>();
  for (const chart of charts) fetched.set(chartKey(chart), await fetchedOrProblem(() => fetchChart(chart)));
  return fetched;
}

/**
 * The messages of kustomize about a patch, replacement, variable or generator for an object that is not there
 * (api/resmap/reswrangler.go, api/internal/accumulator, api/filters/replacement).
 */
const NEEDS_OBJECT =
  /no matches for Id|nothing selected by|does not exist; cannot merge or replace|cannot be mapped to a field/u;

/**
 * The error for a file that kustomize refuses, because it is outside of the folder of its kustomization. The message of
 * kustomize is hard to read.
 */
function restricted({ stage }: Rendering, { stderr }: ProgramRun): RollstampError | undefined {
  const [, file = "", folder = ""] = /security; file '([^'\n]+)' is not in or below '([^'\n]+)'/u.exec(stderr) ?? [];
  if (!isInside(stage.folder, file) || !isInside(stage.folder, folder)) return undefined;
  const shown = `'${relative(stage.folder, file)}'`;
  return new RollstampError(
    "system",
    `kustomize refuses a file outside of the folder whose kustomization names it: ${shown}`,
    {
      place: { file: relative(stage.folder, folder) || "." },
      remedy: `${BUILD_OPTIONS_VARIABLE}='--load-restrictor LoadRestrictionsNone' in the environment (with Argo CD, in that of the sidecar) allows files of the whole repository, like Flux.`,
      missing: shown,
    },
  );
}

/** If the folder has no kustomization, it is not staged yet, and kustomize has to report that. */
function makeFolder({ folder }: Pick<Stage, "folder">, at: string): void {
  mkdirSync(join(folder, at), { recursive: true, mode: 0o700 });
}

const PLUGIN_HOME = "KUSTOMIZE_PLUGIN_HOME";

function withPlugins(rendering: Rendering, folder: string): Rendering {
  return { ...rendering, environment: { ...rendering.environment, [PLUGIN_HOME]: folder } };
}

function noRemoteBeside(what: string): RollstampError {
  return new RollstampError("config", `${REMOTE} can't be used together with ${what}`, {
    remedy: "Fetched files can't be checked before the build, and they tell kustomize which programs to start.",
  });
}

/** A folder of plugins that contains only this program. */
function pluginFolder({ home }: Rendering, paths: ReadonlySet<string>): string {
  const folder = join(home, "plugins");
  const words = thisProgram().map((word) => `'${word.replaceAll("'", "'\\''")}'`);
  for (const path of paths) {
    const program = join(folder, path);
    mkdirSync(dirname(program), { recursive: true, mode: 0o700 });
    // Only the first argument, the configuration file. The others come from its content.
    writeFileSync(program, `#!/bin/sh\nexec ${words.join(" ")} "$1"\n`, { mode: 0o700 });
  }
  return folder;
}

/** A folder with a `docker` program that does nothing, so that kustomize starts no containers. */
function withoutContainers({ home }: Rendering): string {
  const folder = join(home, "bin");
  mkdirSync(folder, { mode: 0o700 });
  writeFileSync(join(folder, "docker"), "#!/bin/sh\necho 'rollstamp runs no containers' >&2\nexit 1\n", {
    mode: 0o700,
  });
  return folder;
}

const MARK = JSON.stringify({
  apiVersion: "builtin",
  kind: "AnnotationsTransformer",
  metadata: { name: "rollstamp-helm-generated" },
  annotations: { [HELM_GENERATED]: "true" },
  fieldSpecs: [{ path: "metadata/annotations", create: true }],
});

/** The rendering of a chart, in the kustomization that replaces it. */
const INFLATED_CHART = "chart.yaml";

/** Renders a chart into the folder that the staged kustomization has for it. */
async function inflate(
  rendering: Rendering,
  { workingFolder, args, chart, result }: ChartToInflate,
  options: BuildOptions,
): Promise<void> {
  // Build options take precedence over the fields of the chart.
  const kubeVersion = options.kubeVersion || chart.kubeVersion;
  const apiVersions = options.apiVersions.length > 0 ? options.apiVersions : chart.apiVersions;
  const run = await start(
    rendering,
    "helm",
    [
      ...args,
      ...apiVersions.map((version) => `--api-versions=${version}`),
      ...(kubeVersion === "" ? [] : [`--kube-version=${kubeVersion}`]),
    ],
    { workingFolder },
  );
  if (run.failure !== undefined) throw failed(rendering, `helm template of the chart '${chart.name}'`, run);
  const isEmpty = saysNothing(run.stdout);
  if (!isEmpty) rendering.stage.put(`${result}/${INFLATED_CHART}`, run.stdout);
  rendering.stage.put(
    `${result}/${KUSTOMIZATION_FILES[0]}`,
    JSON.stringify({ resources: isEmpty ? [] : [INFLATED_CHART], transformers: [MARK] }),
  );
}
