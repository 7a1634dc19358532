import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BUILD_OPTIONS_VARIABLE, readBuildOptions, type BuildOptions } from "../cmp/build-options.ts";
import { saysNothing } from "../cmp/kustomize-charts.ts";
import { RollstampError } from "../ground/errors.ts";
import { HELM_GENERATED } from "../ground/hosts/krm.ts";
import { KUSTOMIZATION_FILES } from "../ground/hosts/kustomize.ts";
import type { ApplicationToRender, RenderedApplication } from "../io/applications.ts";
import { failed, inOwnFolder, start, type Rendering } from "./render-application.ts";
import type { ChartToInflate } from "./staged-inflation.ts";
import { stageKustomization } from "./staged-kustomization.ts";

/** What the sidecar's owner sets to let kustomize fetch. */
const REMOTE = "ROLLSTAMP_ALLOW_REMOTE_BASES";

/** `kustomize build` over a copy, with the options that the sidecar's owner gives. */
export function renderKustomization(kustomization: ApplicationToRender): Promise<RenderedApplication> {
  return inOwnFolder(kustomization, build);
}

async function build(rendering: Rendering): Promise<RenderedApplication> {
  const { application, stage, environment } = rendering;
  const options = readBuildOptions(environment[BUILD_OPTIONS_VARIABLE] ?? "");
  const { passed, unrestricted, charts: withCharts, plugins } = options;
  const allowRemote = environment[REMOTE] === "true";
  if (plugins && allowRemote) {
    throw new RollstampError("config", `${REMOTE} can't go together with --enable-alpha-plugins`, {
      remedy: "What is fetched can't be looked at before, and it says which programs kustomize starts.",
    });
  }
  const { at, charts } = stageKustomization({
    application,
    stage,
    allowRemote,
    unrestricted,
    withCharts,
    withPlugins: plugins,
    edit: rendering.edit,
  });
  // Nothing is there where the kustomization is a link to nothing: kustomize is to say so.
  mkdirSync(join(stage.folder, at), { recursive: true, mode: 0o700 });
  for (const chart of charts) await inflate(rendering, chart, options);
  const run = await start(rendering, "kustomize", ["build", ".", ...passed], {
    at,
    fetches: allowRemote,
    // A folder of plugins that the owner has mounted; without it kustomize looks in its home, which is empty.
    also: plugins ? ["KUSTOMIZE_PLUGIN_HOME"] : [],
    // With plugins kustomize also runs functions that are containers, whichever image a repository names.
    before: plugins ? withoutContainers(rendering) : undefined,
  });
  if (run.failure !== undefined) throw failed(rendering, "kustomize build", run);
  return { text: run.stdout, by: "kustomize build" };
}

/** A folder in which the program that kustomize starts containers by does nothing. */
function withoutContainers({ home }: Rendering): string {
  const folder = join(home, "bin");
  mkdirSync(folder, { mode: 0o700 });
  writeFileSync(join(folder, "docker"), "#!/bin/sh\necho 'the plugin runs no containers' >&2\nexit 1\n", {
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
  if (!isEmpty) rendering.stage.put(`${result}/chart.yaml`, run.stdout);
  rendering.stage.put(
    `${result}/${KUSTOMIZATION_FILES[0]}`,
    JSON.stringify({ resources: isEmpty ? [] : ["chart.yaml"], transformers: [MARK] }),
  );
}
