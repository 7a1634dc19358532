import type { NotFound } from "../discover/not-found.ts";
import { notExaminedRow } from "../../findings/not-examined/not-examined-kinds.ts";
import { failedFirst } from "../../reports/plan/applications-examined.ts";
import type { PlannedApplication } from "../../reports/plan/plan-report.ts";
import { isOfShard, type OrderedPart, type Shard } from "../../reports/plan/shards.ts";
import type { AppPair, AppPairs } from "./application-pairs.ts";
import { plannedOf, type Compared } from "./compare-renderings.ts";
import type { PlainCompared } from "./plain-applications.ts";
import { isNoApplication, isPlain, isWrong } from "./not-rendered.ts";

// What a plan over applications has to do, what of that is done here, and at which place of the whole plan what comes of it
// stands: plain manifests first, then what is rendered, then what need not be, then what is no application any more.

/** What there is to do, and what of it is to be done here. */
export interface Work {
  /** It has what only one of several has: plain manifests, which are read together, and all that costs nothing. */
  readonly isFirst: boolean;
  /** How many applications are plain manifests. */
  readonly plain: number;
  /** What is rendered, by anyone. */
  readonly all: readonly AppPair[];
  /** What is rendered here, with its place in the whole plan; 0 is that of plain manifests. */
  readonly own: readonly { readonly pair: AppPair; readonly order: number }[];
  readonly idle: readonly PlannedApplication[];
  /** What no application can be made of, though it is meant to be one. */
  readonly unfound: readonly PlannedApplication[];
}

/** It follows from the revisions and the options alone: whoever does a part of it parts it alike. */
export function workOf(
  found: AppPairs,
  { allApps, shard }: { readonly allApps?: boolean; readonly shard?: Shard },
): Work {
  const { pairs } = found;
  const rendered = pairs.filter(({ application }) => !isPlain(application));
  const isToRender = ({ isAffected }: AppPair): boolean => isAffected || allApps === true;
  const all = rendered.filter(isToRender);
  return {
    isFirst: isOfShard(0, shard),
    plain: pairs.length - rendered.length,
    all,
    own: all.map((pair, i) => ({ pair, order: i + 1 })).filter(({ order }) => isOfShard(order, shard)),
    idle: rendered
      .filter((pair) => !isToRender(pair))
      .map(({ application, base, head }) => ({ ...plannedOf(application, base, head), status: "NotAffected" })),
    unfound: unfound(found),
  };
}

/** What is rendered here. */
export function ownPairs({ own }: Work): readonly AppPair[] {
  return own.map(({ pair }) => pair);
}

/** What came of the work. */
export interface Made {
  readonly plain: PlainCompared;
  /** Of what is rendered here, in its order. */
  readonly compared: readonly Compared[];
  readonly found: AppPairs;
}

interface Placed {
  readonly application: PlannedApplication;
  readonly place: number;
}

/** The applications as they are told, those that failed first, each with its place in the whole plan. */
export function placedApplications(work: Work, { plain, compared }: Made): readonly Placed[] {
  const untouched = work.isFirst ? [...work.idle, ...work.unfound] : [];
  const behind = work.plain + work.all.length + 1;
  return failedFirst(
    [
      ...plain.applications.map((application, place) => ({ application, place })),
      ...compared.map(({ application }, i) => ({ application, place: work.plain + (work.own[i]?.order ?? 0) })),
      ...untouched.map((application, i) => ({ application, place: behind + i })),
    ],
    ({ application }) => application,
  );
}

/** What was compared, in the order of the whole plan: plain manifests are one part, and the first. */
export function orderedParts(work: Work, { plain, compared }: Made): readonly OrderedPart[] {
  const { part, inputs } = plain;
  return [
    ...(work.isFirst ? [{ order: 0, part, notExamined: inputs.account.notExamined.filter(isNoApplication) }] : []),
    ...compared.map((one, i) => ({ order: work.own[i]?.order ?? 0, part: one.part, notExamined: one.notExamined })),
  ];
}

/** What the head makes no application of: it failed. Where the base has none either, and nothing of it is touched, it is no row. */
function unfound({ notFound, isPickedName, isTouched }: AppPairs): PlannedApplication[] {
  const before = new Set(notFound.base.map(rowKey));
  return notFound.head.filter(isWrong).flatMap((row) => {
    const { path, kind, reason, name = path } = row;
    const failedBefore = before.has(rowKey(row));
    if (failedBefore && !(isPickedName(name) && isTouched(path))) return [];
    return [
      {
        name,
        path,
        kind: notExaminedRow(kind).renderedBy ?? "Kustomize",
        status: "Failed",
        message: reason,
        ...(failedBefore ? { failedBefore } : {}),
      },
    ];
  });
}

function rowKey({ path, kind, reason }: NotFound): string {
  return `${kind}\n${path}\n${reason}`;
}
