import { quietly } from "../../base/errors.ts";
import type { Revisions } from "../../platform/ports/snapshot.ts";
import type { Application } from "../discover/application.ts";
import type { NotFound } from "../discover/not-found.ts";
import { orphanedIn } from "../discover/orphans.ts";
import { folderOf, inPathOrder } from "../discover/paths.ts";
import { inBoth } from "../discover/same-applications.ts";
import { freeName } from "../discover/unique-names.ts";
import type { AppSide } from "../render/shown-data.ts";
import { heldByChartVersion } from "./chart-versions.ts";
import { changesInObject, deploymentsOf, isAppliedByResumed, type Deployment, type Deployments } from "./deployment.ts";
import { partsOf, type Both, type IsPicked } from "./picked.ts";
import { projectsIn, type Project } from "./projects.ts";
import { showingCharts } from "./shown-by-charts.ts";
import { replacedObject, type ReplacedObject } from "./renamed-applications.ts";
import type { ConfigAt } from "./revision-config.ts";
import type { ShownApplications } from "./shown-applications.ts";
import { isStampedOnTheWay, type StampedSide, type stampedSides } from "./stamped-sides.ts";
import type { Survey } from "./survey.ts";
import { withTakenFiles } from "./taken-files.ts";
import { unresolvedRow } from "./unresolved.ts";

/** An application of two revisions: at least one of them has it. */
export interface AppPair extends Deployment {
  readonly application: Application;
  readonly base: StampedSide | undefined;
  readonly head: StampedSide | undefined;
  /** Whether what it is rendered from differs, or may differ. */
  readonly isAffected: boolean;
  /** For `held: ChartVersion`: the head with the chart of the base, if the release changes too. */
  readonly applied?: StampedSide;
  /**
   * Why the revision without the application may have it: its kustomization or Chart.yaml cannot be read there, or its
   * object is there, and the repository does not show what it applies.
   */
  readonly unreadable?: NotFound;
  /** Why the object that defines it is deleted with what it applied, and created again. */
  readonly replacedObject?: ReplacedObject;
  /** The chart that shows it, if no object names that chart: users may install the chart with other values. */
  readonly shownByChart?: string;
  /** The AppProjects of Argo CD that it is in, if the head has any. */
  readonly projects?: Readonly<Record<"base" | "head", readonly Project[]>>;
  /** The commit of the base, if it is the one that Flux applied before the application was suspended. */
  readonly appliedCommit?: string;
}

/** The applications of both revisions. */
export interface Found {
  readonly base: ShownApplications;
  readonly head: ShownApplications;
}

/** What the pairs of applications are made with, beside the applications. */
export interface PairContext {
  readonly revisions: Revisions;
  readonly surveys: Sides<Survey>;
  /** Whether a revision has a folder at a path. */
  readonly folders: Sides<(path: string) => boolean>;
  readonly isAffected: (both: Both) => boolean;
  readonly isPicked: IsPicked;
  readonly configs: Sides<ConfigAt>;
  readonly stamped: Sides<ReturnType<typeof stampedSides>>;
}

type Sides<T> = Readonly<Record<"base" | "head", T>>;

/** What all pairs share that is found out once. */
interface Shared {
  readonly found: Found;
  readonly deployments: Deployments;
  readonly projectsOf: Sides<(application: Application) => readonly Project[]>;
  readonly isOrphaned: ReturnType<typeof orphanedIn>;
  readonly isLedByResumed: ReturnType<typeof isAppliedByResumed>;
  readonly chartShowing: Sides<ReturnType<typeof showingCharts>>;
}

/** The pairs of the applications of two revisions that the user asked for, in the order of their paths. */
export async function pairsOf(context: PairContext, found: Found): Promise<AppPair[]> {
  const { surveys, folders, isPicked } = context;
  const { base, head } = found;
  const matched = inBoth(base.sides, head.sides, folders);
  const shared: Shared = {
    found,
    deployments: deploymentsOf({ ...surveys.base, ...base }, { ...surveys.head, ...head }, matched),
    projectsOf: {
      base: projectsIn(base.projects, surveys.base.repository),
      head: projectsIn(head.projects, surveys.head.repository),
    },
    isOrphaned: orphanedIn(surveys.base.repository, surveys.head.repository),
    isLedByResumed: isAppliedByResumed(base.sides, head.sides),
    chartShowing: { base: showingCharts(base.sides), head: showingCharts(head.sides) },
  };
  const deployedInHead = new Set(
    head.sides.flatMap(({ application: { path, orphan } }) => (orphan === true ? [] : [path])),
  );
  const pairs: AppPair[] = [];
  for (const named of withNames(await withTakenFiles(matched, surveys))) {
    const { before, after } = named;
    // Something deploys now what nothing deployed: that one is added.
    const isTaken = after === undefined && before?.application.orphan === true;
    if (isTaken && deployedInHead.has(before.application.path)) continue;
    const { isDropped, ...both } = deployedSides(named, shared);
    if (!isPicked.byName(named.name, both.before?.application, both.after?.application)) continue;
    const parts = await partsOf(both, surveys, isPicked.part);
    const pair = await pairOf(context, shared, { ...parts, name: named.name, isDropped });
    if (pair !== undefined) pairs.push(pair);
  }
  return inPathOrder(pairs, ({ application }) => application.path);
}

/** Both sides of an application as they are deployed: the second one is missing if it is dropped. */
function deployedSides(
  { before, after }: Both,
  { deployments, isOrphaned }: Shared,
): Both & { readonly isDropped: boolean } {
  if (before !== undefined && after !== undefined && deployments.isDropped(before.application, after.application))
    return { before, after: undefined, isDropped: true };
  const placed = after && withOrphan(after, isOrphaned(before?.application, after.application));
  return { before, after: placed, isDropped: false };
}

async function pairOf(
  { revisions, surveys, isAffected, configs, stamped }: PairContext,
  { found: { base, head }, deployments, projectsOf, isLedByResumed, chartShowing }: Shared,
  { name, isDropped, ...both }: Both & { readonly name: string; readonly isDropped: boolean },
): Promise<AppPair | undefined> {
  const { before, after } = both;
  const application = (after ?? before)?.application;
  if (application === undefined) return undefined;
  const sides = { base: before && stamped.base(before, application), head: after && stamped.head(after) };
  const isInObject = changesInObject(before, after);
  const deployment = deployments.deploymentOf(before?.application, after?.application, isInObject);
  const unreadable = isDropped
    ? undefined
    : (unreadableMarker(application, (before === undefined ? base : head).notFound, both) ??
      unresolvedRow(both, { base: { ...surveys.base, ...base }, head: { ...surveys.head, ...head } }));
  const shownByChart = chartShowing[after === undefined ? "base" : "head"](application);
  const projects = {
    base: before === undefined ? [] : projectsOf.base(before.application),
    head: after === undefined ? [] : projectsOf.head(after.application),
  };
  return {
    application: application.name === name ? application : { ...application, name },
    ...sides,
    ...(shownByChart === undefined ? {} : { shownByChart }),
    ...(projects.head.length === 0 ? {} : { projects }),
    isAffected: isAffected(both) || isLedByResumed(before) || isStampedOtherwise(sides, configs),
    ...(unreadable === undefined ? {} : { unreadable }),
    ...(deployment.held === undefined ? await heldByChartVersion(sides, revisions) : {}),
    ...replacedObject(before?.application, after?.application, deployments),
    ...deployment,
  };
}

function withOrphan(side: AppSide, isOrphan: boolean): AppSide {
  const { orphan = false, ...application } = side.application;
  if (orphan === isOrphan) return side;
  return { ...side, application: isOrphan ? { ...application, orphan: true } : application };
}

/** Why a revision does not have an application: the row of its folder, or of the file that marks the folder. */
function unreadableMarker(
  { path, foundBy }: Application,
  notFound: readonly NotFound[],
  { before, after }: Both,
): NotFound | undefined {
  if (before !== undefined && after !== undefined) return undefined;
  return notFound.find(
    (row) => row.kind === foundBy && row.isFailure && (row.path === path || folderOf(row.path) === path),
  );
}

/** Whether something else declares how an application of both revisions is stamped. */
function isStampedOtherwise(
  { base, head }: Pick<AppPair, "base" | "head">,
  configs: Readonly<Record<"base" | "head", ConfigAt>>,
): boolean {
  if (base === undefined || head === undefined) return false;
  if (base.declared !== head.declared) return true;
  if (!isStampedOnTheWay(head)) return false;
  // What can't be read is reported when the application is compared.
  const configOf = (side: "base" | "head", { application }: AppSide): string =>
    quietly(() => JSON.stringify(configs[side](application, "ByFunction") ?? null)) ?? side;
  return configOf("base", base) !== configOf("head", head);
}

/** Gives each pair a name that is unique in both revisions. */
function withNames(all: readonly Both[]): readonly (Both & { readonly name: string })[] {
  const taken = new Set(all.flatMap(({ after }) => after?.application.name ?? []));
  const named = new Set<string>();
  return all.map(({ before, after }) => {
    const { name: own = "" } = after?.application ?? {};
    // Several that become equal are one application in the second revision.
    if (before === undefined || (after !== undefined && !named.has(own))) {
      named.add(own);
      return { before, after, name: own };
    }
    const name = freeName(before.application, (candidate) => taken.has(candidate));
    taken.add(name);
    return { before, after, name };
  });
}
