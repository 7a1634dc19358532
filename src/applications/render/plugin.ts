import { RollstampError } from "../../base/errors.ts";
import { onceFor } from "../../base/grouped.ts";
import { describeFinding } from "../../findings/catalogue/describe.ts";
import { atLeast, type Finding } from "../../findings/catalogue/finding.ts";
import { jsonText } from "../../findings/results/json-text.ts";
import type { ApplicationFolder, GivenParameters, RenderedApplication } from "../../platform/ports/applications.ts";
import type { Environment } from "../../platform/ports/environment.ts";
import type { Io } from "../../platform/ports/io.ts";
import { runConfigured } from "../../stamping/function/run.ts";
import { editedText } from "../../yaml/edit/checked.ts";
import { oneStream } from "../../yaml/edit/one-stream.ts";
import { holdsNothing, type Manifests, readManifests } from "../../yaml/read/items.ts";
import { readTree } from "../../yaml/read/tree.ts";
import type { PluginRender } from "../discover/application.ts";
import { argoVariables, withVariables } from "../discover/argo-variables.ts";
import { BUILD_OPTIONS_VARIABLE } from "../tools/build-options.ts";
import { givenValues, type ValueParameter, valueParameters } from "../tools/chart-values.ts";
import { withPlainDigests } from "../kustomize/own-functions.ts";
import { PARAMETERS } from "../tools/parameter-rows.ts";
import { booleanParameter, readParameters, refuseForeign } from "../tools/parameters.ts";
import { jsonnetFileOf, sourceTypeOf } from "../tools/source-type.ts";
import { pluginConfig } from "./plugin-config.ts";

/** The result of the plugin for an application. */
export interface Generated {
  readonly findings: readonly Finding[];
  /** The manifests with their stamps. */
  readonly text: () => string;
}

/** Renders and stamps an application with the parameters in the environment. */
export async function generated(io: Io, application: ApplicationFolder, isOnlyCompared = false): Promise<Generated> {
  const given = readParameters(io.environment);
  const { picked, file } = pluginConfig(io, application, given);
  const inputs = await render(io, application, given, file, isOnlyCompared);
  const config = isOnlyCompared ? withPlainDigests(picked.config) : picked.config;
  const { edits, findings } = runConfigured({ ...picked, config }, inputs, io.context);
  return { findings, text: () => oneStream(inputs.map(({ tree }) => editedText(tree, edits.get(tree) ?? []))) };
}

/** The manifests that the renderer of an application prints. */
async function render(
  io: Io,
  application: ApplicationFolder,
  given: GivenParameters,
  configFile: string | undefined,
  isOnlyCompared: boolean,
): Promise<readonly Manifests[]> {
  const names = io.applications.namesIn(application.folder);
  const type = sourceTypeOf(names);
  const values = type === "chart" ? chartValues(io, application, names) : [];
  refuseForeign(
    given,
    type,
    values.map(({ name }) => name),
  );
  if (type === "plain") return readPlain(io, application, names, given, configFile);
  const toRender = { application, given, environment: io.environment, isOnlyCompared };
  const printed =
    type === "chart"
      ? await io.applications.renderChart(toRender, givenValues(values, given, application.limits))
      : await io.applications.renderKustomization(toRender);
  return [renderedManifests(application, printed)];
}

function readPlain(
  io: Io,
  application: ApplicationFolder,
  names: readonly string[],
  given: GivenParameters,
  configFile: string | undefined,
): readonly Manifests[] {
  const jsonnet = jsonnetFileOf(names);
  if (jsonnet !== undefined) {
    throw new RollstampError(
      "input",
      "rollstamp does not render Jsonnet, so the objects of these files would be deleted",
      {
        place: { file: jsonnet },
        remedy: "Remove the plugin from this Application, so that Argo CD renders it.",
      },
    );
  }
  const except = new Set(configFile === undefined ? [] : [configFile]);
  const files = io.applications.plainManifests(application, {
    recurse: booleanParameter(given, "directory-recurse"),
    except,
  });
  if (files.length > 0) return files.map(({ manifests }) => manifests);
  throw new RollstampError("input", "the folder has no kustomization, chart or Kubernetes manifest", {
    remedy: "An empty result is refused: a sync could delete everything that the application has.",
  });
}

const VALUES_FILE = "values.yaml";

/** The top-level values of a chart, without those that have the name of a parameter of the plugin. */
export function chartValues(
  io: Io,
  application: ApplicationFolder,
  names: readonly string[],
): readonly ValueParameter[] {
  if (!names.includes(VALUES_FILE)) return [];
  const ours = new Set<string>(PARAMETERS.map(({ name }) => name));
  const text = io.applications.applicationText(application, VALUES_FILE);
  return valueParameters(text, VALUES_FILE, application.limits).filter(({ name }) => !ours.has(name));
}

/** The manifests that a program printed. Throws a RollstampError for output that would delete or break an application. */
function renderedManifests({ limits }: ApplicationFolder, { text, by }: RenderedApplication): Manifests {
  const tree = readTree(text, by, limits);
  if (holdsNothing(tree)) {
    throw new RollstampError("input", `${by} printed no Kubernetes object`, {
      remedy: "An empty result is refused: a sync could delete everything that the application has.",
    });
  }
  const manifests = readManifests(tree);
  if (manifests.form === "stream") return manifests;
  throw new RollstampError("input", `${by} printed a ResourceList`, {
    remedy: "Argo CD would deploy it with the annotations of its host: let the build print manifests.",
  });
}

/** The output of our plugin for an Application, with stamps. Its digests are plain, even if they should be keyed. */
export async function pluginText(
  io: Io,
  plugin: PluginRender,
  application: ApplicationFolder,
  commit: string,
): Promise<string> {
  const environment = pluginEnvironment(io.environment, plugin, commit);
  const { findings, text } = await generated({ ...io, environment }, application, true);
  const wrong = findings.find((finding) => atLeast(finding, "error"));
  if (wrong === undefined) return text();
  const { id, message, remedy } = describeFinding(wrong);
  throw new RollstampError("input", `${message} (${id})`, { remedy });
}

/** The environment that Argo CD gives to a plugin (reposerver/repository, getPluginEnvs). */
export function pluginEnvironment(
  base: Environment,
  { env, parameters, environment }: PluginRender,
  commit: string,
): Environment {
  const variables = argoVariables(environment, commit);
  return {
    ...renderEnvironment(base, ["--enable-helm"]),
    ...variables,
    ...Object.fromEntries(env.map(({ name, value }) => [`ARGOCD_ENV_${name}`, withVariables(value, variables)])),
    ARGOCD_APP_PARAMETERS: jsonText(parameters, 0),
  };
}

/** The environment without the variables that Argo CD sets for a plugin: they are different for each application. */
export function renderEnvironment(environment: Environment, options: readonly string[]): Environment {
  const kept = withoutHosts(environment);
  const base = kept[BUILD_OPTIONS_VARIABLE] ?? "";
  return Object.assign({}, kept, { [BUILD_OPTIONS_VARIABLE]: [base, ...options].join(" ").trim() });
}

/** Computed once, because every read of process.env is a system call. */
const withoutHosts: (environment: Environment) => Environment = onceFor((environment: Environment) =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => !/^(?:ARGOCD_|PARAM_)/u.test(name))),
);
