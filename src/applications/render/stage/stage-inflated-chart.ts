import { RollstampError } from "../../../base/errors.ts";
import { isReleaseName } from "../../../base/hosts/helm.ts";
import { inflatedFolder, inflatedHome } from "../../../base/hosts/kustomize.ts";
import type { InflatedChart } from "../../kustomize/inflated-charts.ts";
import type { FoundPath, Stage } from "../../../platform/ports/stage.ts";
import { stageChart, stageUnpacked, unpacked, type Schemas } from "./stage-chart.ts";

export interface InflationToStage {
  readonly chart: InflatedChart;
  /** The folder of the kustomization, for messages. */
  readonly kustomization: string;
  /** Finds a path relative to the kustomization. */
  readonly find: (path: string) => FoundPath | undefined;
  /** The target of the chart, relative to the stage. */
  readonly to: string;
  /** The folder that replaces the chart, relative to the stage. */
  readonly result: string;
  /** The packed chart, if it was fetched. */
  readonly packed: Buffer | undefined;
  readonly schemas: Schemas;
}

/** A staged chart of a kustomization. */
export interface ChartToInflate {
  readonly name: string;
  /** Where helm runs, relative to the stage. */
  readonly workingFolder: string;
  readonly args: readonly string[];
  readonly chart: InflatedChart;
  readonly result: string;
}

/** Copies a chart that a kustomization inflates, with its values. A chart in the repository comes before a fetched one. */
export function stageInflatedChart(stage: Stage, inflation: InflationToStage): ChartToInflate {
  const { chart, kustomization, find, to, result, packed, schemas } = inflation;
  const place = { file: kustomization };
  const path = inflatedFolder(chart);
  const found = find(path);
  const isHere = found?.is === "folder";
  if (!isHere && packed === undefined) {
    throw new RollstampError("input", `this kustomization's chart '${chart.name}' is not in '${inflatedHome(chart)}'`, {
      place,
      remedy: "Run 'helm pull --untar' there and commit the folder: nothing is fetched here.",
    });
  }
  if (chart.releaseName !== "" && !isReleaseName(chart.releaseName)) {
    throw new RollstampError("input", `the 'releaseName' of the chart '${chart.name}' is not a valid release name`, {
      place,
    });
  }
  const target = { to: `${to}/chart`, shown: `${path}/`, schemas };
  const fetched = isHere || packed === undefined ? [] : unpacked(packed, path);
  if (isHere) stageChart(stage, { folder: found.real, ...target });
  else stageUnpacked(stage, fetched, target);
  const hasOwnValues = isHere
    ? find(`${path}/values.yaml`) !== undefined
    : fetched.some(({ name }) => name === "values.yaml");
  let files = 0;
  const valuesFile = (name: string): string => {
    const values = find(name);
    if (values?.is !== "file") {
      throw new RollstampError("input", `the values file '${name}' of the chart '${chart.name}' does not exist`, {
        place,
      });
    }
    files += 1;
    stage.copy(values.real, `${to}/values-files/${files}.yaml`, name);
    return `../values-files/${files}.yaml`;
  };
  const hasInline = Object.keys(chart.valuesInline).length > 0;
  if (hasInline) stage.put(`${to}/values-files/inline.yaml`, JSON.stringify(chart.valuesInline));
  const inline = hasInline ? ["../values-files/inline.yaml"] : [];
  const ownFiles = chart.valuesFile === "" ? [] : [valuesFile(chart.valuesFile)];
  // helm puts the chart's own values below all others; with `merge`, they take precedence over the inline values.
  const ownOrCharts = ownFiles.length > 0 || !hasInline || !hasOwnValues ? ownFiles : ["values.yaml"];
  const VALUES: Readonly<Record<InflatedChart["valuesMerge"], readonly string[]>> = {
    override: [...ownFiles, ...inline],
    merge: [...inline, ...ownOrCharts],
    replace: hasInline ? inline : ownFiles,
  };
  const values = [...VALUES[chart.valuesMerge], ...chart.additionalValuesFiles.map(valuesFile)];
  const option = (name: string, value: string): readonly string[] => (value === "" ? [] : [`${name}=${value}`]);
  return {
    name: chart.name,
    workingFolder: `${to}/chart`,
    args: [
      "template",
      ...(chart.releaseName === "" ? [] : [chart.releaseName]),
      ".",
      ...option("--namespace", chart.namespace),
      ...values.map((file) => `--values=${file}`),
      ...chart.flags,
    ],
    chart,
    result,
  };
}
