import { HMAC_KEY_VARIABLE } from "../ground/keys.ts";
import { resolve } from "node:path";
import type { ApplicationFolder } from "../io/applications.ts";
import type { Io } from "../io/io.ts";
import type { ProgramRun } from "../io/programs.ts";
import { givenValues, type ValueParameter } from "../cmp/chart-values.ts";
import { helmArguments } from "../cmp/helm-arguments.ts";
import { reasonOf } from "../cmp/messages.ts";
import {
  booleanParameter,
  listParameter,
  mapParameter,
  textParameter,
  type GivenParameters,
} from "../cmp/parameters.ts";
import { isInside } from "../ground/inside.ts";
import { RollstampError } from "../ground/errors.ts";
import { CHART_FILE } from "../ground/hosts/helm.ts";
import { holdsNothing, readManifests, type Manifests } from "../manifest/items.ts";
import { entriesOf, get, getString, itemsOf } from "../manifest/node.ts";
import { NONE, readTree } from "../manifest/tree.ts";

/** What a renderer is given. */
export interface Rendering {
  readonly io: Io;
  readonly application: ApplicationFolder;
  readonly given: GivenParameters;
  /** A folder that only its owner can read, made when it is asked for. */
  readonly ownFolder: () => string;
}

/** `kustomize build`, with the options that the sidecar's owner gives: an Application can't. */
export async function renderKustomization(rendering: Rendering): Promise<readonly Manifests[]> {
  const options = rendering.io.environment["ROLLSTAMP_KUSTOMIZE_BUILD_OPTIONS"] ?? "";
  const args = ["build", ".", ...options.split(/\s+/u).filter((option) => option !== "")];
  const run = await start(rendering, "kustomize", args);
  if (run.failure !== undefined) throw failed(rendering, "kustomize build", run);
  return [rendered(rendering, run.stdout, "kustomize build")];
}

/** `helm template` as Argo CD calls it; dependencies come from the chart's own folder `charts`. */
export async function renderChart(
  rendering: Rendering,
  values: readonly ValueParameter[],
): Promise<readonly Manifests[]> {
  const files = helmFiles(rendering);
  rendering.io.applications.refuseLinksOut(rendering.application);
  const args = helmArguments({ ...files, setJson: givenValues(values, rendering.given, rendering.application.limits) });
  const template = (): Promise<ProgramRun> =>
    start(rendering, "helm", args, {
      input: textParameter(rendering.given, "helm-values"),
      variables: helmHome(NO_HOME),
    });
  let run = await template();
  if (run.failure !== undefined && MISSING_DEPENDENCY.test(run.stderr)) {
    await buildLocalDependencies(rendering);
    run = await template();
  }
  if (run.failure !== undefined) throw failed(rendering, "helm template", run);
  return [rendered(rendering, run.stdout, "helm template")];
}

/** What a program gets beside its arguments. */
interface StartOptions {
  readonly input?: string | undefined;
  readonly variables?: Readonly<Record<string, string>>;
}

function start(
  { io, application }: Rendering,
  program: string,
  args: readonly string[],
  { input, variables = {} }: StartOptions = {},
): Promise<ProgramRun> {
  // The key of our digests is nobody else's.
  const { [HMAC_KEY_VARIABLE]: _, ...passed } = io.environment;
  return io.programs.run(program, args, {
    cwd: application.folder,
    limits: application.limits,
    environment: { ...passed, ...variables },
    input,
    prints: `${program} ${args[0] ?? ""}`,
  });
}

/** Where helm keeps what it fetched, and looks for plugins and repositories. */
function helmHome(folder: string): Readonly<Record<string, string>> {
  return { HELM_CACHE_HOME: folder, HELM_CONFIG_HOME: folder, HELM_DATA_HOME: folder };
}

// helm template writes nothing there, and is to find nobody's plugins.
const NO_HOME = "/nonexistent";

function failed({ application }: Rendering, command: string, { failure, stderr }: ProgramRun): RollstampError {
  const reason = reasonOf(stderr, [application.folder, application.root]);
  return new RollstampError(
    "system",
    `${command} ended with ${failure}: ${reason || "it said nothing on standard error"}`,
  );
}

function rendered({ application }: Rendering, stdout: string, file: string): Manifests {
  const tree = readTree(stdout, file, application.limits);
  if (holdsNothing(tree)) {
    throw new RollstampError("input", `${file} printed no Kubernetes object`, {
      remedy: "An empty result is refused: Argo CD would delete everything that the application has.",
    });
  }
  const manifests = readManifests(tree);
  if (manifests.form === "stream") return manifests;
  throw new RollstampError("input", `${file} printed a ResourceList`, {
    remedy: "Argo CD would deploy it with the annotations of its host: let the build print manifests.",
  });
}

function helmFiles({ io, application, given }: Rendering): Omit<Parameters<typeof helmArguments>[0], "setJson"> {
  const ignoreMissing = booleanParameter(given, "ignore-missing-values-files");
  const valuesFiles = listParameter(given, "values-files").flatMap((path) => {
    const file = io.applications.repositoryFile(application, path, "values-files");
    if (file === undefined && !ignoreMissing) throw notThere("values-files", path);
    return file ?? [];
  });
  const setFiles = mapParameter(given, "helm-file-parameters").map(([path, name]): readonly [string, string] => {
    const file = io.applications.repositoryFile(application, name, "helm-file-parameters");
    if (file === undefined) throw notThere("helm-file-parameters", name);
    return [path, file];
  });
  return { given, environment: io.environment, valuesFiles, setFiles };
}

function notThere(parameter: string, path: string): RollstampError {
  return new RollstampError("usage", `the plugin parameter '${parameter}' names '${path}', which is not there`, {
    remedy: "Paths are from the application's folder, or from the repository's root with a leading slash.",
  });
}

/** Helm's words for a dependency that is not in `charts` (pkg/action, CheckDependencies). */
const MISSING_DEPENDENCY = /but missing in charts\/ directory/u;

/** Puts charts of the same repository into `charts`, as Argo CD does; others would need a network. */
async function buildLocalDependencies(rendering: Rendering): Promise<void> {
  const remote = dependencyRepositories(rendering).filter((repository) => !repository.startsWith("file://"));
  if (remote.length > 0) {
    throw new RollstampError("input", `the chart has dependencies that are not in its folder 'charts'`, {
      place: { file: CHART_FILE },
      remedy: "Run 'helm dependency build' and commit the folder: the plugin uses no network.",
    });
  }
  for (const repository of dependencyRepositories(rendering)) localChart(rendering, repository);
  const run = await start(rendering, "helm", ["dependency", "build", ".", "--skip-refresh"], {
    variables: helmHome(rendering.ownFolder()),
  });
  if (run.failure !== undefined) throw failed(rendering, "helm dependency build", run);
}

/** A chart beside this one: within what was sent, and with no link that leads out of it. */
function localChart({ io, application }: Rendering, repository: string): void {
  const { folder, root } = application;
  const at = resolve(folder, repository.slice("file://".length));
  const real = io.files.realPath(at);
  if (!isInside(root, at) || (real !== undefined && !isInside(root, real))) {
    throw new RollstampError("input", `the dependency '${repository}' is outside the repository`, {
      place: { file: CHART_FILE },
      remedy: "Charts of the same repository are found by a path such as file://../common.",
    });
  }
  if (real !== undefined) io.applications.refuseLinksOut({ ...application, folder: at });
}

function dependencyRepositories({ io, application }: Rendering): string[] {
  const tree = readTree(io.applications.applicationText(application, CHART_FILE), CHART_FILE, application.limits);
  const root = tree.documents[0] ?? NONE;
  if (entriesOf(tree, root).length === 0) return [];
  return itemsOf(tree, get(tree, root, "dependencies")).map((item) => getString(tree, item, "repository") ?? "");
}
