import { BUILD_OPTIONS_VARIABLE } from "../tools/build-options.ts";
import { VERSION } from "../../base/version.ts";
import type { Io } from "../../platform/ports/io.ts";
import type { Revisions } from "../../platform/ports/snapshot.ts";
import type { PlanShard, ShardRun } from "../../reports/plan/plan-report.ts";
import { dataDigest } from "../render/affected.ts";
import { FETCH_VARIABLE } from "../render/fetched-charts.ts";
import type { AppPair } from "./application-pairs.ts";

/** What a part of a plan was asked for. */
interface Asked {
  /** From the root of the repository. */
  readonly paths: readonly string[];
  readonly options: {
    readonly app?: readonly string[];
    readonly allApps?: boolean;
    readonly allowCommands?: boolean;
    readonly all?: boolean;
    readonly showValues?: boolean;
    readonly allowEmpty?: boolean;
    readonly fetchCharts?: boolean;
  };
  readonly configuration: string;
  /** All that is rendered, by whatever part. */
  readonly all: readonly AppPair[];
}

/** What of a run has to be the same for all parts of its plan. */
export function shardRun(
  { environment }: Pick<Io, "environment">,
  { base, head }: Revisions,
  {
    paths,
    options: { app = [], allApps, allowCommands, all: isAll, showValues, allowEmpty, fetchCharts },
    configuration,
    all,
  }: Asked,
): ShardRun {
  return {
    version: VERSION,
    base: base.commit,
    head: head.commit,
    options: [
      ...(isAll === true ? ["--all"] : []),
      ...(showValues === true ? ["--show-values"] : []),
      ...(allowEmpty === true ? ["--allow-empty"] : []),
      ...(allApps === true ? ["--all-apps"] : []),
      ...(allowCommands === true ? ["--allow-commands"] : []),
      ...(fetchCharts === true || environment[FETCH_VARIABLE] === "true" ? ["--fetch-charts"] : []),
      ...app.map((glob) => `--app=${glob}`),
      ...paths,
    ],
    configuration: dataDigest([
      configuration,
      environment[REMOTE_BASES] ?? "",
      environment[BUILD_OPTIONS_VARIABLE] ?? "",
    ]),
    // What an application is made from tells what a file of values has given, and with which key placeholders are made.
    applications: dataDigest(
      all.map(({ application: { name, path }, ...sides }) => [
        name,
        path,
        sides.base?.key ?? "",
        sides.head?.key ?? "",
      ]),
    ),
  };
}

/** What this machine renders with; none where there is nothing to be rendered. */
export async function shardTools(
  { programs, environment }: Pick<Io, "programs" | "environment">,
  own: readonly AppPair[],
): Promise<PlanShard["tools"]> {
  const isRendered = own.some((pair) => [pair.base, pair.head].some((side) => side?.renderable.is === "steps"));
  if (!isRendered) return {};
  const kustomize = await programs.versionOf("kustomize", environment);
  const helm = await programs.versionOf("helm", environment);
  return { ...(kustomize === "" ? {} : { kustomize }), ...(helm === "" ? {} : { helm }) };
}

const REMOTE_BASES = "ROLLSTAMP_ALLOW_REMOTE_BASES";
