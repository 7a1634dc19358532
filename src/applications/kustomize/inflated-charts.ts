import type { NamedChart } from "../../base/hosts/kustomize.ts";
import { RollstampError } from "../../base/errors.ts";
import type { ChartAddress } from "../../platform/ports/applications.ts";
import { CHARTS_FOLDER } from "../../base/hosts/helm.ts";
import type { Json } from "../../yaml/read/node.ts";
import { folded, foldedGet, isMapping, textOrEmpty, textsOf, type Mapping } from "../../yaml/read/json.ts";

// `helmCharts` of a kustomization, and the generator for a chart. kustomize would run helm with what they say (kustomize/api v0.21,
// internal/builtins/HelmChartInflationGenerator.go). Here they are read, and helm runs over a copy.

export interface InflatedChart extends NamedChart {
  readonly releaseName: string;
  /** That of the kustomization, if the chart sets none. */
  readonly namespace: string;
  readonly valuesFile: string;
  readonly additionalValuesFiles: readonly string[];
  readonly valuesInline: Mapping;
  readonly valuesMerge: "override" | "merge" | "replace";
  readonly kubeVersion: string;
  readonly apiVersions: readonly string[];
  readonly flags: readonly string[];
}

type Form = "text" | "texts" | "mapping" | "boolean" | "refused";

/** types.HelmChart. */
const FIELDS: ReadonlyMap<string, Form> = new Map([
  ["name", "text"],
  ["version", "text"],
  ["repo", "text"],
  ["releasename", "text"],
  ["namespace", "text"],
  ["additionalvaluesfiles", "texts"],
  ["valuesfile", "text"],
  ["valuesinline", "mapping"],
  ["valuesmerge", "text"],
  ["includecrds", "boolean"],
  ["skiphooks", "boolean"],
  ["apiversions", "texts"],
  ["kubeversion", "text"],
  // A template can read the environment.
  ["nametemplate", "refused"],
  ["skiptests", "boolean"],
  ["debug", "boolean"],
  ["devel", "boolean"],
]);

const FLAGS = [
  ["includecrds", "--include-crds"],
  ["skiptests", "--skip-tests"],
  ["skiphooks", "--no-hooks"],
] as const;

/** Where kustomize fetches the chart from if it is missing. Without a repository, it fetches none. */
export function addressOf({ name, version, repo }: NamedChart): ChartAddress {
  return { repository: repo, name, version };
}

/** The charts of a kustomization. Throws a RollstampError for an invalid one. */
export function inflatedCharts(kustomization: Mapping, file: string): readonly InflatedChart[] {
  const charts = foldedGet(kustomization, "helmcharts") ?? [];
  const globals = foldedGet(kustomization, "helmglobals") ?? {};
  if (!Array.isArray(charts) || !isMapping(globals))
    throw wrongIn(file)("'helmCharts' must be a list of charts, and 'helmGlobals' a mapping");
  return charts.map((chart) => chartOf(chart, globals, { file, list: "helmCharts" }));
}

/** The kind of kustomize's own generator that inflates a chart. */
const INFLATOR = "HelmChartInflationGenerator";

/** Whether the configuration of a plugin is that of the generator. */
export function isInflator(config: Json): config is Mapping {
  return isMapping(config) && config["kind"] === INFLATOR;
}

/** The chart of the generator. Throws a RollstampError for an invalid one. */
export function generatedChart(config: Mapping, file: string): InflatedChart {
  return chartOf(config, config, { file, list: "generators" });
}

function wrongIn(file: string): (message: string, remedy?: string) => RollstampError {
  return (message, remedy) => new RollstampError("input", message, { place: { file }, remedy });
}

interface ChartPlace {
  readonly file: string;
  readonly list: "helmCharts" | "generators";
}

function chartOf(chart: Json, globals: Mapping, { file, list }: ChartPlace): InflatedChart {
  const wrong = wrongIn(file);
  if (!isMapping(chart)) throw wrong(`an entry of '${list}' must be a mapping`);
  for (const [key, value] of Object.entries(chart)) {
    const form = FIELDS.get(folded(key));
    // A generator has other fields, such as its kind.
    if (form === undefined && list === "generators") continue;
    if (form === undefined) throw wrong(`an entry of '${list}' has an unknown field: '${key}'`);
    if (form === "refused")
      throw wrong(`an entry of '${list}' has '${key}', which can read the sidecar's environment`, "Give releaseName.");
    if (value !== null && formOf(value) !== form) throw wrong(`'${key}' of a chart in '${list}' has the wrong type`);
  }
  const text = (key: string): string => textOrEmpty(foldedGet(chart, key));
  const valuesMerge = text("valuesmerge") || "override";
  if (valuesMerge !== "override" && valuesMerge !== "merge" && valuesMerge !== "replace")
    throw wrong("'valuesMerge' of a chart must be override, merge or replace");
  const inline = foldedGet(chart, "valuesinline");
  if (text("name") === "") throw wrong(`an entry of '${list}' has no name`);
  return {
    name: text("name"),
    home: textOrEmpty(foldedGet(globals, "charthome")) || CHARTS_FOLDER,
    version: text("version"),
    repo: text("repo"),
    releaseName: text("releasename"),
    namespace: text("namespace"),
    valuesFile: text("valuesfile"),
    additionalValuesFiles: textsOf(foldedGet(chart, "additionalvaluesfiles")),
    valuesInline: isMapping(inline) ? inline : {},
    valuesMerge,
    kubeVersion: text("kubeversion"),
    apiVersions: textsOf(foldedGet(chart, "apiversions")),
    flags: FLAGS.flatMap(([key, flag]) => (foldedGet(chart, key) === true ? [flag] : [])),
  };
}

/** The kustomization without charts. Their renderings follow its own resources. */
export function withRenderedCharts(kustomization: Mapping, resources: readonly string[]): Mapping {
  const ownResources = foldedGet(kustomization, "resources");
  const others = Object.entries(kustomization).filter(
    ([key]) => !/^(?:helmcharts|helmglobals|resources)$/u.test(folded(key)),
  );
  return {
    ...Object.fromEntries(others),
    resources: [...(Array.isArray(ownResources) ? ownResources : []), ...resources],
  };
}

function formOf(value: Json): Form | undefined {
  if (typeof value === "string") return "text";
  if (typeof value === "boolean") return "boolean";
  if (Array.isArray(value)) return value.every((item) => typeof item === "string") ? "texts" : undefined;
  return isMapping(value) ? "mapping" : undefined;
}

/** Whether a rendering contains only markers, comments and empty lines. */
export function saysNothing(rendering: string): boolean {
  // On one line only: otherwise each of many empty lines would be scanned from each of them.
  return !/^(?!(?:---)?[ \t\r]*(?:#|$))/mu.test(rendering);
}
