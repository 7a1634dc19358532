import { notExaminedRow } from "../../findings/not-examined/not-examined-kinds.ts";
import type { OrderedPart, PlacedApplication } from "../../reports/plan/plan-data.ts";
import type { PlannedApplication } from "../../reports/plan/planned-application.ts";
import { isOfShard, type Shard } from "../../reports/plan/shards.ts";
import type { NotFound } from "../discover/not-found.ts";
import type { AppPairs } from "./application-pairs.ts";
import type { AppPair } from "./pairs.ts";
import { plannedOf } from "./planned-of.ts";
import type { Compared } from "./compared.ts";
import { isNoApplication, isWrong } from "./not-rendered.ts";
import { isComparedAsPlain, type PlainCompared } from "./plain-applications.ts";

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
  readonly invalid: readonly PlannedApplication[];
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
  const rendered = pairs.filter((pair) => !isComparedAsPlain(pair));
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
    invalid: invalidApplications(found),
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
  const untouched = work.isFirst ? [...work.idle, ...work.invalid] : [];
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
function invalidApplications({ pairs, notFound, isOrphan, isPickedName, isTouched }: AppPairs): PlannedApplication[] {
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
