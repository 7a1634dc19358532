import { FETCH_VARIABLE, REMOTE_BASES_VARIABLE } from "../../base/outside.ts";
import { VERSION } from "../../base/version.ts";
import type { Io } from "../../platform/ports/io.ts";
import type { Revisions } from "../../platform/ports/snapshot.ts";
import type { ComparedAs } from "../../reports/plan/plan-report.ts";
import type { PlanShard, ShardRun } from "../../reports/plan/shards.ts";
import { dataDigest } from "../render/affected.ts";
import { BUILD_OPTIONS_VARIABLE } from "../tools/build-options.ts";
import type { AppPair } from "./pairs.ts";

// What the shards of a plan must have in common.

/** The input of a shard. */
interface Asked {
  /** Paths from the root of the repository. */
  readonly paths: readonly string[];
  readonly options: {
    readonly app?: readonly string[];
    readonly allApps?: boolean;
    readonly allowCommands?: boolean;
    readonly all?: boolean;
    readonly showValues?: boolean;
    readonly allowEmpty?: boolean;
    readonly fetchCharts?: boolean;
    readonly stampedBy?: string;
    readonly as?: ComparedAs;
  };
  readonly configuration: string;
  /** The applications that all shards render. */
  readonly all: readonly AppPair[];
}

/** What has to be the same for all shards of a plan. */
export function shardRun(
  { environment }: Pick<Io, "environment">,
  { base, head }: Revisions,
  {
    paths,
    options: { app = [], allApps, allowCommands, all: isAll, showValues, allowEmpty, fetchCharts, stampedBy, as },
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
      ...(stampedBy === undefined ? [] : [`--stamped-by=${stampedBy}`]),
      ...(as === undefined ? [] : [`--as=${as}`]),
      ...app.map((glob) => `--app=${glob}`),
      ...paths,
    ],
    configuration: dataDigest([
      configuration,
      environment[REMOTE_BASES_VARIABLE] ?? "",
      environment[BUILD_OPTIONS_VARIABLE] ?? "",
    ]),
    // The keys of applications also cover the file of --clusters and the key of placeholders.
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

/** The versions of the renderers; empty if nothing is rendered. */
export async function shardTools(
  { programs, environment }: Pick<Io, "programs" | "environment">,
  assigned: readonly AppPair[],
): Promise<PlanShard["tools"]> {
  const isRendered = assigned.some((pair) => [pair.base, pair.head].some((side) => side?.renderable.is === "steps"));
  if (!isRendered) return {};
  const kustomize = await programs.versionOf("kustomize", environment);
  const helm = await programs.versionOf("helm", environment);
  return { ...(kustomize === "" ? {} : { kustomize }), ...(helm === "" ? {} : { helm }) };
}
