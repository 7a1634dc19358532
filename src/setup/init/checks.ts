import { RollstampError } from "../../base/errors.ts";
import { counted } from "../../base/words.ts";
import type { Survey } from "./init-target.ts";
import { jobPath } from "./job-path.ts";
import type { InitFolder } from "../../platform/ports/files.ts";
import {
  kustomizationsIn,
  buildCommand,
  mayBuildWorkloads,
  mayHoldWorkload,
  outermostKustomizations,
  type Outermost,
  type Wiring,
} from "./kustomizations.ts";
import { CHART_FILE, REQUIREMENTS_FILE } from "../../base/hosts/helm.ts";
import { posix } from "node:path";
import { typedFromRoot } from "./typed.ts";

/** What a job runs to check a repository. */
export interface Checks {
  /** The command for plain manifests. */
  readonly files: string | undefined;
  /** Kustomizations whose output is checked. */
  readonly renderings: readonly Rendering[];
  /** Charts, which are only linted: a release makes their stamps. */
  readonly charts: readonly string[];
  /** What was decided and why, a line each. */
  readonly because: readonly string[];
}

/** A kustomization with our transformer. */
export type Rendering = Outermost & { readonly wiring: Wiring };

const CHECK = "rollstamp stamp --check --require-stamps";
const MOST_NAMED = 10;

/** The checks for a repository. If nothing can be checked, it returns undefined or, with "refuse", throws a RollstampError. */
export function checksOf(folder: InitFolder, survey: Survey, orElse: "refuse"): Checks;
export function checksOf(folder: InitFolder, survey: Survey, orElse: "refuse" | "none"): Checks | undefined;
export function checksOf(folder: InitFolder, survey: Survey, orElse: "refuse" | "none"): Checks | undefined {
  const kustomizations = kustomizationsIn(folder);
  const outermost = outermostKustomizations(folder, kustomizations);
  const renderings = outermost.filter(isWired);
  const [unwired, idle] = partition(
    outermost.filter((each) => !isWired(each)).map((each) => each.folder),
    (at) => mayBuildWorkloads(folder, at, kustomizations, survey.workloadKinds),
  );
  const idleCharts = new Set(chartsWithoutWorkloads(folder, survey.charts, survey.workloadKinds));
  const [idleNames, charts] = partition(survey.charts, (chart) => idleCharts.has(chart));
  const scope = survey.scope === "all" ? "" : ` --scope ${survey.scope}`;
  const files = survey.workloads > 0 ? `rollstamp stamp --check${scope} .` : undefined;
  const isChecked = files !== undefined || renderings.length > 0 || charts.length > 0;
  if (!isChecked && orElse === "refuse") throw nothingToCheck(folder, unwired, survey.elsewhere);
  if (!isChecked) return undefined;
  const because = [
    files === undefined
      ? undefined
      : `${counted(survey.workloads, "workload")} in plain files: ${files}${
          scope === "" ? "" : ", because an object is defined in more than one file"
        }`,
    renderings.length === 0
      ? undefined
      : `${counted(renderings.length, "kustomization")} with our transformer (${named(renderings.map((each) => each.folder))}): the output of kustomize is checked`,
    charts.length === 0
      ? undefined
      : `${counted(charts.length, "chart")} (${named(charts)}): the output of Helm is linted; their stamps are made at the release (docs/guides/helm.md)`,
    unwired.length === 0
      ? undefined
      : `not checked: ${counted(unwired.length, "kustomization")} without our transformer (${named(unwired)}): run rollstamp init kustomize ${typedFromRoot(folder, unwired[0])} --write, then this command again`,
    idle.length === 0
      ? undefined
      : `nothing to check: ${counted(idle.length, "kustomization")} without a workload (${named(idle)})`,
    idleNames.length === 0
      ? undefined
      : `nothing to check: ${counted(idleNames.length, "chart")} without a workload (${named(idleNames)})`,
    survey.elsewhere === ""
      ? undefined
      : `not checked: ${survey.elsewhere}: their controllers render them in the cluster`,
  ].filter((line) => line !== undefined);
  return { files, renderings, charts, because };
}

function nothingToCheck(folder: InitFolder, unwired: readonly string[], elsewhere: string): RollstampError {
  const remedies = [
    unwired.length === 0
      ? undefined
      : `The kustomizations here may build workloads: run rollstamp init kustomize ${typedFromRoot(folder, unwired[0])} --write, then this command again.`,
    elsewhere === ""
      ? undefined
      : `It contains ${elsewhere}: render them as their controllers do (docs/guides/flux.md, docs/guides/argocd.md), and check the output with ${CHECK} -.`,
  ].filter((line) => line !== undefined);
  return new RollstampError("usage", "nothing in this repository can be checked: nothing was written", {
    remedy:
      remedies.length > 0
        ? remedies.join(" ")
        : "It contains no workload in plain files, in a kustomization or in a chart.",
  });
}

function isWired(each: Outermost): each is Rendering {
  return each.wiring !== undefined;
}

function checkOf({ folder, wiring, config, isHelm }: Rendering): string {
  const configured = config === undefined ? "" : ` --config ${jobPath(config)}`;
  return `${buildCommand(wiring, isHelm, jobPath(folder))} | ${CHECK}${configured} -`;
}

function partition(all: readonly string[], isFirst: (item: string) => boolean): [string[], string[]] {
  return [all.filter(isFirst), all.filter((item) => !isFirst(item))];
}

/** Paths in a sentence: all of them, or the first ones. */
export function named(paths: readonly string[]): string {
  const more = paths.length - MOST_NAMED;
  return paths.slice(0, MOST_NAMED).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

/**
 * The lines of a shell that run all checks, and fail at the end if any has failed. Throws a RollstampError for a path that can't
 * be part of them.
 */
export function checkLines({ files, renderings, charts }: Checks, pluginFolder: string): string[] {
  const commands = [
    ...(files === undefined ? [] : [files]),
    ...renderings.map(checkOf),
    ...charts.map((chart) => `helm template release ${jobPath(chart)} --dependency-update | rollstamp lint -`),
  ];
  const plugin = renderings.some(({ wiring }) => wiring === "plugin")
    ? [
        `mkdir -p ${pluginFolder}`,
        `rollstamp init kustomize-plugin ${pluginFolder} --write`,
        `export KUSTOMIZE_PLUGIN_HOME=${pluginFolder}`,
      ]
    : [];
  if (commands.length === 1) return [...plugin, ...commands];
  return [...plugin, "status=0", ...commands.map((command) => `${command} || status=1`), "exit $status"];
}

// A rendering without workloads needs no check, and a check of it would fail: it examines nothing. This is only known if all
// of its files are in the repository, because files from elsewhere may contain workloads.

/** The charts without dependencies whose templates name only kinds without pods. Paths start at the root of the repository. */
function chartsWithoutWorkloads(
  folder: InitFolder,
  charts: readonly string[],
  workloadKinds: ReadonlySet<string>,
): string[] {
  if (charts.length === 0) return [];
  const files = folder.findInRepository("**/{templates,charts}/**").map((path) => posix.join(folder.path, path));
  const byChart = new Map(charts.map((chart) => [chart, [] as string[]]));
  for (const file of files) byChart.get(file.replace(/(?:^|\/)(?:templates|charts)\/.*$/u, "") || ".")?.push(file);
  return charts.filter((chart) => {
    const texts = byChart.get(chart) ?? [];
    const read = (path: string): string => folder.read(posix.join(folder.repository, path)) ?? "";
    const isDependent =
      texts.some((file) => file.startsWith(posix.join(chart, "charts/"))) ||
      read(posix.join(chart, REQUIREMENTS_FILE)) !== "" ||
      /^dependencies\s*:/mu.test(read(posix.join(chart, CHART_FILE)));
    return !isDependent && texts.length > 0 && texts.every((file) => !mayHoldWorkload(read(file), workloadKinds));
  });
}
