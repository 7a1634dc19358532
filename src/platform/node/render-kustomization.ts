import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { BUILD_OPTIONS_VARIABLE, readBuildOptions, type BuildOptions } from "../../applications/tools/build-options.ts";
import { withPlainDigests } from "../../applications/tools/own-functions.ts";
import { saysNothing } from "../../applications/kustomize/inflated-charts.ts";
import { RollstampError } from "../../base/errors.ts";
import { HELM_GENERATED } from "../../base/hosts/krm.ts";
import { KUSTOMIZATION_FILES } from "../../base/hosts/kustomize.ts";
import { isInside } from "../../base/inside.ts";
import type { ApplicationToRender, RenderedApplication } from "../ports/applications.ts";
import { INFLATED_CHART, withOrigins } from "../../applications/render/stage/origin-paths.ts";
import { failed, inOwnFolder, start, type ProgramRun, type Rendering } from "./render-application.ts";
import { openStage } from "./stage.ts";
import type { ChartToInflate } from "../../applications/render/stage/stage-inflated-chart.ts";
import type { Stage } from "../ports/stage.ts";
import {
  stageKustomization,
  stageTogether,
  type StagedKustomization,
} from "../../applications/render/stage/stage-kustomization.ts";
import type { KustomizationToStage } from "../../applications/render/stage/kustomization-folder.ts";
import { thisProgram } from "./processes.ts";

/** What the sidecar's owner sets to let kustomize fetch. */
const REMOTE = "ROLLSTAMP_ALLOW_REMOTE_BASES";

/** `kustomize build` over a copy, with the options that the sidecar's owner gives. */
export async function renderKustomization(kustomization: ApplicationToRender): Promise<RenderedApplication> {
  return (await buildTogether(kustomization)) ?? inOwnFolder(kustomization, build);
}

/**
 * The same over a copy in which others of the tree stand, too; undefined where that can't be, and where it fails: what
 * kustomize says then is told of by what stands in a copy of its own.
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
  };
  const found = stageTogether(toStage, staged);
  if (found === undefined) return undefined;
  makeFolder(stage, found.at);
  const over = { application, environment, home, stage: { folder: stage.folder, size: () => found.size } };
  const run = await start(over, "kustomize", ["build", ".", ...options.passed], { at: found.at });
  return run.failure === undefined ? { text: run.stdout, by: "kustomize build" } : undefined;
}

async function build(given: Rendering): Promise<RenderedApplication> {
  const options = readBuildOptions(given.environment[BUILD_OPTIONS_VARIABLE] ?? "");
  const { passed, unrestricted, charts: withCharts } = options;
  const allowRemote = given.environment[REMOTE] === "true";
  if (options.plugins && allowRemote) throw noRemoteBeside("--enable-alpha-plugins");
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
    });
  const first = staged(given.stage, options.plugins ? "owners" : "none");
  const isOwn = !options.plugins && first.ownPlugins.size > 0;
  if (isOwn && allowRemote) throw noRemoteBeside("a function of rollstamp's in a kustomization");
  // Once more: all that says which programs kustomize starts is written by us then.
  const rendering = isOwn ? { ...given, stage: given.anotherStage() } : given;
  const { at, charts, ownPlugins, origins } = isOwn ? staged(rendering.stage, "rollstamps") : first;
  makeFolder(rendering.stage, at);
  for (const chart of charts) await inflate(rendering, chart, options);
  const run = await start(
    isOwn ? withPlugins(rendering, pluginFolder(rendering, ownPlugins)) : rendering,
    "kustomize",
    ["build", ".", ...passed, ...(isOwn ? ["--enable-alpha-plugins=true"] : [])],
    {
      at,
      fetches: allowRemote,
      // A folder of plugins that the owner has mounted; without it kustomize looks in its home, which is empty.
      also: options.plugins || isOwn ? [PLUGIN_HOME] : [],
      // With plugins kustomize also runs functions that are containers, whichever image a repository names.
      before: options.plugins || isOwn ? withoutContainers(rendering) : undefined,
    },
  );
  if (run.failure !== undefined) throw restricted(rendering, run) ?? failed(rendering, "kustomize build", run);
  return { text: withOrigins(run.stdout, origins), by: "kustomize build" };
}

/**
 * The error of a file that kustomize doesn't read, as it is above the kustomization that names it. Its own words tell that
 * in the middle, in quotes within quotes, and end with a folder that is none.
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
      remedy: `${BUILD_OPTIONS_VARIABLE}='--load-restrictor LoadRestrictionsNone' in the environment, under Argo CD in the sidecar's, lets it read files of the whole repository, as Flux does.`,
      missing: shown,
    },
  );
}

/** Nothing is there where the folder has no kustomization, or a link to nothing: kustomize is to say so. */
function makeFolder({ folder }: Pick<Stage, "folder">, at: string): void {
  mkdirSync(join(folder, at), { recursive: true, mode: 0o700 });
}

const PLUGIN_HOME = "KUSTOMIZE_PLUGIN_HOME";

function withPlugins(rendering: Rendering, folder: string): Rendering {
  return { ...rendering, environment: { ...rendering.environment, [PLUGIN_HOME]: folder } };
}

function noRemoteBeside(what: string): RollstampError {
  return new RollstampError("config", `${REMOTE} can't go together with ${what}`, {
    remedy: "What is fetched can't be looked at before, and it says which programs kustomize starts.",
  });
}

/** A folder of plugins in which nothing is but this program. */
function pluginFolder({ home }: Rendering, paths: ReadonlySet<string>): string {
  const folder = join(home, "plugins");
  const words = thisProgram().map((word) => `'${word.replaceAll("'", "'\\''")}'`);
  for (const path of paths) {
    const at = join(folder, path);
    mkdirSync(dirname(at), { recursive: true, mode: 0o700 });
    // The first argument is the file of its configuration; others are what that says.
    writeFileSync(at, `#!/bin/sh\nexec ${words.join(" ")} "$1"\n`, { mode: 0o700 });
  }
  return folder;
}

/** A folder in which the program that kustomize starts containers by does nothing. */
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

/** Puts what a chart renders to into the place that the kustomization has for it. */
async function inflate(
  rendering: Rendering,
  { at, args, chart, result }: ChartToInflate,
  options: BuildOptions,
): Promise<void> {
  // The owner's go over the chart's.
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
    { at },
  );
  if (run.failure !== undefined) throw failed(rendering, `helm template of the chart '${chart.name}'`, run);
  const isEmpty = saysNothing(run.stdout);
  if (!isEmpty) rendering.stage.put(`${result}/${INFLATED_CHART}`, run.stdout);
  rendering.stage.put(
    `${result}/${KUSTOMIZATION_FILES[0]}`,
    JSON.stringify({ resources: isEmpty ? [] : [INFLATED_CHART], transformers: [MARK] }),
  );
}
