import { RollstampError } from "../../base/errors.ts";
import { shellWord } from "../../base/shell-words.ts";
import { counted } from "../../base/words.ts";
import type { Survey } from "./init-target.ts";
import type { InitFolder } from "../../platform/ports/files.ts";
import { kustomizationsIn, outermostKustomizations, type Outermost, type Wiring } from "./kustomizations.ts";
import { chartsWithoutWorkloads, mayBuildWorkloads } from "./without-workloads.ts";

/** What a job runs to check a repository. */
export interface Checks {
  /** Over the manifests as they are committed. */
  readonly files: string | undefined;
  /** Over renderings: one line of a shell each. */
  readonly renderings: readonly Rendering[];
  /** Charts whose releases are stamped where Helm renders them: they are linted. */
  readonly charts: readonly string[];
  /** What was decided and why, a line each. */
  readonly because: readonly string[];
}

/** A kustomization whose build is checked. */
export interface Rendering {
  readonly folder: string;
  readonly wiring: Wiring;
  readonly command: string;
}

/** What each way of running the transformer needs of kustomize: `init kustomize` says the same. */
const BUILDS: Readonly<Record<Wiring, string>> = {
  exec: "kustomize build --enable-alpha-plugins --enable-exec",
  container: "kustomize build --enable-alpha-plugins",
  plugin: "kustomize build --enable-alpha-plugins",
};

const CHECK = "rollstamp stamp --check --require-stamps";
const MOST_NAMED = 10;

/**
 * Finds out what checks a repository. Where nothing can be checked it is undefined if there is something else to do, or
 * throws a RollstampError.
 */
export function checksOf(folder: InitFolder, survey: Survey, orElse: "refuse"): Checks;
export function checksOf(folder: InitFolder, survey: Survey, orElse: "refuse" | "none"): Checks | undefined;
export function checksOf(folder: InitFolder, survey: Survey, orElse: "refuse" | "none"): Checks | undefined {
  const kustomizations = kustomizationsIn(folder);
  const outermost = outermostKustomizations(folder, kustomizations);
  const renderings = outermost.flatMap((each) => (each.wiring === undefined ? [] : [renderingOf(each, each.wiring)]));
  const [unwired, idle] = parted(
    outermost.filter(({ wiring }) => wiring === undefined).map((each) => each.folder),
    (at) => mayBuildWorkloads(folder, at, kustomizations, survey.workloadKinds),
  );
  const idleCharts = new Set(chartsWithoutWorkloads(folder, survey.charts, survey.workloadKinds));
  const [idleNames, charts] = parted(survey.charts, (chart) => idleCharts.has(chart));
  const scope = survey.scope === "run" ? "" : ` --scope ${survey.scope}`;
  const files = survey.workloads > 0 ? `rollstamp stamp --check${scope} .` : undefined;
  const because = [
    ...(files === undefined
      ? []
      : [
          `${counted(survey.workloads, "workload")} in plain files: ${files}${
            scope === "" ? "" : ", as an object stands in more than one file"
          }`,
        ]),
    ...(renderings.length === 0
      ? []
      : [
          `${counted(renderings.length, "kustomization")} with our transformer (${named(renderings.map((each) => each.folder))}): what kustomize builds is checked`,
        ]),
    ...(charts.length === 0
      ? []
      : [
          `${counted(charts.length, "chart")} (${named(charts)}): linted as Helm renders them; their stamps are made at the release (docs/helm.md)`,
        ]),
    ...(unwired.length === 0
      ? []
      : [
          `not checked: ${counted(unwired.length, "kustomization")} without our transformer (${named(unwired)}): rollstamp init kustomize ${shellWord(unwired[0] ?? "")}, then this again`,
        ]),
    ...(idle.length === 0
      ? []
      : [`nothing to check: ${counted(idle.length, "kustomization")} without a workload (${named(idle)})`]),
    ...(idleNames.length === 0
      ? []
      : [`nothing to check: ${counted(idleNames.length, "chart")} without a workload (${named(idleNames)})`]),
    ...(survey.elsewhere === "" ? [] : [`not checked: ${survey.elsewhere}: what their controllers render isn't here`]),
  ];
  if (files === undefined && renderings.length === 0 && charts.length === 0) {
    if (orElse === "none") return undefined;
    throw new RollstampError("usage", "nothing in this repository can be checked as it is: nothing was written", {
      remedy: [
        ...(unwired.length === 0
          ? []
          : [
              `What kustomize builds here may hold workloads: rollstamp init kustomize ${shellWord(unwired[0] ?? "")}, then this again.`,
            ]),
        ...(survey.elsewhere === ""
          ? []
          : [
              `It holds ${survey.elsewhere}: render them as their controllers do (docs/flux.md, docs/argocd.md), and check the rendering with ${CHECK} -.`,
            ]),
        ...(unwired.length === 0 && survey.elsewhere === ""
          ? ["It holds no workload in plain files, in a kustomization or in a chart."]
          : []),
      ].join(" "),
    });
  }
  return { files, renderings, charts, because };
}

function renderingOf({ folder, config, isHelm }: Outermost, wiring: Wiring): Rendering {
  const configured = config === undefined ? "" : ` --config ${shellWord(config)}`;
  return {
    folder,
    wiring,
    command: `${BUILDS[wiring]}${isHelm ? " --enable-helm" : ""} ${shellWord(folder)} | ${CHECK}${configured} -`,
  };
}

/** What holds, and what doesn't. */
function parted(all: readonly string[], holds: (one: string) => boolean): [string[], string[]] {
  const held = new Set(all.filter(holds));
  return [[...held], all.filter((one) => !held.has(one))];
}

function named(paths: readonly string[]): string {
  const more = paths.length - MOST_NAMED;
  return paths.slice(0, MOST_NAMED).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

/** The lines of a shell that run all checks, and fail at the end if any has failed. */
export function shellOf({ files, renderings, charts }: Checks): string[] {
  const commands = [
    ...(files === undefined ? [] : [files]),
    ...renderings.map(({ command }) => command),
    ...charts.map((chart) => `helm template release ${shellWord(chart)} --dependency-update | rollstamp lint -`),
  ];
  const [only] = commands;
  if (commands.length === 1 && only !== undefined) return [only];
  return ["status=0", ...commands.map((command) => `${command} || status=1`), "exit $status"];
}

/** The folder for the legacy plugin, where a kustomization is wired so. */
export function pluginLines({ renderings }: Checks, folder: string): string[] {
  return renderings.some(({ wiring }) => wiring === "plugin")
    ? [
        `mkdir -p ${folder}`,
        `rollstamp init kustomize-plugin ${folder} --yes`,
        `export KUSTOMIZE_PLUGIN_HOME=${folder}`,
      ]
    : [];
}
