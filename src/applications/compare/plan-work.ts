import { VERSION } from "../../base/version.ts";
import { notExaminedRow } from "../../findings/not-examined/not-examined-kinds.ts";
import type { Io } from "../../platform/ports/io.ts";
import type { Revisions } from "../../platform/ports/snapshot.ts";
import type { OrderedPart, PlacedApplication } from "../../reports/plan/plan-data.ts";
import type { ComparedAs } from "../../reports/plan/plan-report.ts";
import type { PlannedApplication } from "../../reports/plan/planned-application.ts";
import { isOfShard, type PlanShard, type Shard, type ShardRun } from "../../reports/plan/shards.ts";
import type { NotFound } from "../discover/not-found.ts";
import { dataDigest } from "../render/affected.ts";
import { FETCH_VARIABLE, REMOTE_BASES_VARIABLE } from "../../base/outside.ts";
import { BUILD_OPTIONS_VARIABLE } from "../tools/build-options.ts";
import type { AppPair, AppPairs } from "./application-pairs.ts";
import { plannedOf } from "./planned-of.ts";
import type { Compared } from "./compared.ts";
import { isNoApplication, isWrong } from "./not-rendered.ts";
import { isReadTogether, type PlainCompared } from "./plain-applications.ts";

// The work of a plan over applications, the part of it that this shard does, and the places of the results in the whole plan:
// plain manifests, then rendered applications, then unaffected ones, then those that could not be found.

export interface Work {
  /** Whether this is the first shard, which also has the plain manifests and everything that costs nothing. */
  readonly isFirst: boolean;
  /** The number of applications that are plain manifests. */
  readonly plain: number;
  /** The applications that all shards render. */
  readonly all: readonly AppPair[];
  /** The applications that this shard renders, with their places in the whole plan; 0 is the place of plain manifests. */
  readonly assigned: readonly { readonly pair: AppPair; readonly order: number }[];
  readonly idle: readonly PlannedApplication[];
  /** Applications that are defined, but can't be found. */
  readonly unfound: readonly PlannedApplication[];
}

/** Depends only on the revisions and the options, so that all shards divide the work in the same way. */
export function workOf(
  found: AppPairs,
  {
    allApps,
    shard,
    skipsOrphans,
  }: { readonly allApps?: boolean; readonly shard?: Shard; readonly skipsOrphans?: boolean },
): Work {
  const { pairs } = found;
  const rendered = pairs.filter((pair) => !isReadTogether(pair));
  const isSkipped = ({ orphan }: AppPair): boolean => skipsOrphans === true && orphan === true;
  const isToRender = (pair: AppPair): boolean => (pair.isAffected || allApps === true) && !isSkipped(pair);
  const all = rendered.filter(isToRender);
  return {
    isFirst: isOfShard(0, shard),
    plain: pairs.length - rendered.length,
    all,
    assigned: all.map((pair, i) => ({ pair, order: i + 1 })).filter(({ order }) => isOfShard(order, shard)),
    idle: rendered
      .filter((pair) => !isToRender(pair))
      .map((pair) => ({ ...plannedOf(pair), status: pair.isAffected ? "Changed" : "NotAffected" })),
    unfound: unfound(found),
  };
}

/** The applications that this shard renders. */
export function assignedPairs({ assigned }: Work): readonly AppPair[] {
  return assigned.map(({ pair }) => pair);
}

export interface Made {
  readonly plain: PlainCompared;
  /** In the order of the applications that this shard renders. */
  readonly compared: readonly Compared[];
  readonly found: AppPairs;
}

/** The applications, each with its place in the whole plan. */
export function placedApplications(work: Work, { plain, compared }: Made): readonly PlacedApplication[] {
  const untouched = work.isFirst ? [...work.idle, ...work.unfound] : [];
  const behind = work.plain + work.all.length + 1;
  return [
    ...plain.applications.map((application, place) => ({ application, place })),
    ...compared.map(({ application }, i) => ({ application, place: work.plain + (work.assigned[i]?.order ?? 0) })),
    ...untouched.map((application, i) => ({ application, place: behind + i })),
  ];
}

/** The compared parts in the order of the whole plan. Plain manifests are the first part. */
export function orderedParts(work: Work, { plain, compared }: Made): readonly OrderedPart[] {
  const { part, inputs } = plain;
  return [
    ...(work.isFirst ? [{ order: 0, part, notExamined: inputs.account.notExamined.filter(isNoApplication) }] : []),
    ...compared.map((one, i) => ({
      order: work.assigned[i]?.order ?? 0,
      part: one.part,
      notExamined: one.notExamined,
    })),
  ];
}

/** The rows of applications that several objects of the head define, if the change touches these. */
export function duplicatesIn({ notFound, isPickedName, isTouched }: AppPairs): readonly NotFound[] {
  const before = new Set(notFound.base.map(rowKey));
  return notFound.head.filter(
    (row) =>
      row.isDuplicate === true &&
      !row.isFailure &&
      isPickedName(row.name ?? row.path) &&
      (!before.has(rowKey(row)) || isTouched(row.path)),
  );
}

/** Rows for applications that the head fails to define. There is none if the base failed too and nothing is touched. */
function unfound({ pairs, notFound, isOrphan, isPickedName, isTouched }: AppPairs): PlannedApplication[] {
  const before = new Set(notFound.base.map(rowKey));
  const paired = new Set(pairs.map(({ unreadable }) => unreadable));
  return notFound.head.filter(isWrong).flatMap((row) => {
    const { path, kind, reason, name = path } = row;
    if (paired.has(row)) return [];
    if (before.has(rowKey(row)) && !(isPickedName(name) && isTouched(path))) return [];
    return [
      {
        name,
        path,
        kind: notExaminedRow(kind).renderedBy ?? "Kustomize",
        status: "Failed",
        message: reason,
        stampedBy: "Nothing",
        // The others are objects of Argo CD and Flux.
        ...((kind === "Kustomization" || kind === "Chart") && isOrphan(path) ? { orphan: true } : {}),
      },
    ];
  });
}

function rowKey({ path, kind, reason }: NotFound): string {
  return `${kind}\n${path}\n${reason}`;
}

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
