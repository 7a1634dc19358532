import { givenValues, valueParameters, type ValueParameter } from "../tools/chart-values.ts";
import { withPlainDigests } from "../tools/own-functions.ts";
import { PARAMETERS } from "../tools/parameter-rows.ts";
import type { ApplicationFolder, GivenParameters } from "../../platform/ports/applications.ts";
import { booleanParameter, readParameters, refuseForeign } from "../tools/parameters.ts";
import { jsonnetFileOf, sourceTypeOf } from "../tools/source-type.ts";
import { editedText } from "../../yaml/edit/checked.ts";
import type { Finding } from "../../findings/catalogue/finding.ts";
import { RollstampError } from "../../base/errors.ts";
import type { Io } from "../../platform/ports/io.ts";
import { runConfigured } from "../../stamping/function/run.ts";
import type { Manifests } from "../../yaml/read/items.ts";
import { pluginConfig } from "./plugin-config.ts";
import { renderedManifests } from "./plugin-render.ts";
import { oneStream } from "../../yaml/edit/one-stream.ts";

/** What the plugin makes of an application. */
export interface Generated {
  readonly findings: readonly Finding[];
  /** The manifests with their stamps. */
  readonly text: () => string;
}

/** Renders and stamps an application as its parameters say, which stand in the environment. */
export async function generated(io: Io, application: ApplicationFolder, isOnlyCompared = false): Promise<Generated> {
  const given = readParameters(io.environment);
  const { picked, file } = pluginConfig(io, application, given);
  const inputs = await render(io, application, given, file, isOnlyCompared);
  const config = isOnlyCompared ? withPlainDigests(picked.config) : picked.config;
  const { edits, findings } = runConfigured({ ...picked, config }, inputs, io.context);
  return { findings, text: () => oneStream(inputs.map(({ tree }) => editedText(tree, edits.get(tree) ?? []))) };
}

/** The application's manifests, as its renderer prints them. */
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
    throw new RollstampError("input", "Jsonnet is not rendered here, and without it its objects would be deleted", {
      place: { file: jsonnet },
      remedy: "Leave this Application to Argo CD itself: take the plugin out of it.",
    });
  }
  const except = new Set(configFile === undefined ? [] : [configFile]);
  const files = io.applications.plainManifests(application, {
    recurse: booleanParameter(given, "directory-recurse"),
    except,
  });
  if (files.length > 0) return files.map(({ manifests }) => manifests);
  throw new RollstampError("input", "the folder holds no kustomization, no chart and no Kubernetes manifest", {
    remedy: "An empty result is refused: Argo CD would delete everything that the application has.",
  });
}

const VALUES_FILE = "values.yaml";

/** The chart's top-level values; a key with the name of a parameter of ours is not one. */
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
