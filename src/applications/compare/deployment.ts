import { groupedBy, once, onceFor } from "../../base/grouped.ts";
import type { Held } from "../../reports/plan/planned-application.ts";
import { ENGINE_FOUND, type Application } from "../discover/application.ts";
import type { NotFound } from "../discover/not-found.ts";
import type { InBoth } from "../discover/same-applications.ts";
import type { Repository } from "../discover/repository.ts";
import type { AppSide } from "../render/shown-data.ts";
import { readsAnyOf, readsFile } from "./showing-files.ts";

// Which changes of applications are applied when they are merged (contract, section 8, "Version 3 of a plan").

/** How the change of an application reaches its cluster. */
export interface Deployment {
  readonly held?: Held;
  /** The application that is suspended or has to be synced, if it is the one that applies this one. */
  readonly heldBy?: string;
  /** Nothing leads to it. */
  readonly orphan?: true;
  /** It is deleted, and all its objects stay in the cluster. */
  readonly stays?: true;
}

/** The applications of a revision. */
interface Found {
  readonly sides: readonly AppSide[];
  readonly repository: Repository;
  /** What cannot be made an application. */
  readonly notFound: readonly NotFound[];
}

/** The deepest chain of applications that apply each other. */
const DEEPEST = 10;

/** How the changes of applications between two revisions reach their clusters. */
export interface Deployments {
  readonly deploymentOf: (
    before: Application | undefined,
    after: Application | undefined,
    /** Only the object that defines it changes, with its values: what applies that decides. */
    isInObject?: boolean,
  ) => Deployment;
  /**
   * Whether the object that defines an application of both revisions is deleted in the cluster: its file is still there,
   * but what applied it no longer includes it.
   */
  readonly isDropped: (before: Application, after: Application) => boolean;
  /** The applications that applied the object which defines an application, and apply it now, if they are others. */
  readonly moveOf: (before: Application, after: Application) => Move | undefined;
}

/** The names of two applications: the first one applied the object of a third one, the other one applies it now. */
export interface Move {
  readonly from: string;
  readonly to: string;
}

/** Finds out how the changes of applications between two revisions reach their clusters. */
export function deploymentsOf(base: Found, head: Found, both: readonly InBoth<AppSide>[]): Deployments {
  const inBase = new Map(base.sides.map(({ application }) => [application.name, application]));
  const inHead = new Map(head.sides.map(({ application }) => [application.name, application]));
  const parentsOf = { base: parentsIn(base), head: parentsIn(head) };
  const rootOf = rootsIn(base, head);
  const nameInHead = new Map(both.map(({ before, after }) => [before?.application.name, after?.application.name]));
  const failed = new Set(head.notFound.flatMap(({ path, name, isFailure }) => (isFailure ? [`${path}\n${name}`] : [])));
  /** Whether an application is still defined, but not rendered: its engine reports an error, and deletes nothing of it. */
  const isFailed = ({ definedIn: [file], givenName, name }: Application): boolean =>
    failed.has(`${file}\n${givenName ?? name}`);
  const byObject = { base: once(() => definedBy(base)), head: once(() => definedBy(head)) };
  const isDropped = (before: Application, after: Application, depth = 0): boolean => {
    const parents = parentsOf.base(before);
    if (parents.length === 0 || depth > DEEPEST) return false;
    const isStillLed = parentsOf.head(after).some((parent) => {
      const earlier = inBase.get(parent.name);
      return earlier === undefined || !isDropped(earlier, parent, depth + 1);
    });
    if (isStillLed || rootOf(after) !== undefined) return false;
    return parents.some((parent) => {
      const still = inHead.get(parent.name);
      if (still === undefined || isDropped(parent, still, depth + 1)) return removed(parent, depth + 1).stays !== true;
      return still.keeps?.pruned !== true;
    });
  };
  /**
   * Whether the object that defined an application now names another cluster: neither Argo CD nor Flux deletes anything in
   * the cluster that it named before.
   */
  const isElsewhere = (application: Application): boolean => {
    const object = objectOf(application);
    if (object === undefined || application.cluster === undefined) return false;
    const before = new Set(
      byObject
        .base()
        .get(object)
        ?.map(({ cluster }) => cluster),
    );
    const parents = namesOf(parentsOf.base(application));
    return (byObject.head().get(object) ?? []).some(
      (other) =>
        other.cluster !== undefined && !before.has(other.cluster) && namesOf(parentsOf.head(other)) === parents,
    );
  };
  /** What happens to the object that defined an application of the base. */
  const removed = (application: Application, depth: number): Omit<Deployment, "orphan"> => {
    const parents = parentsOf.base(application);
    const outcomes = parents.map((parent): Omit<Deployment, "orphan"> => {
      const still = inHead.get(parent.name);
      if (still === undefined && isFailed(parent)) return { stays: true };
      if (still === undefined || isDropped(parent, still, depth + 1))
        return depth > DEEPEST ? {} : removed(parent, depth + 1);
      return {
        ...heldBy(still),
        ...(still.keeps?.pruned === true && !isSetIn(application, head) ? { stays: true } : {}),
      };
    });
    const holding = outcomes.find((outcome) => outcome.held !== undefined);
    const isLeft = isElsewhere(application) || (outcomes.length > 0 && outcomes.every(({ stays }) => stays === true));
    return {
      ...(holding?.held === undefined ? {} : { held: holding.held }),
      ...(holding?.heldBy === undefined ? {} : { heldBy: holding.heldBy }),
      ...(isLeft || application.keeps?.deleted === true ? { stays: true } : {}),
    };
  };
  const deploymentOf: Deployments["deploymentOf"] = (before, after, isInObject = false) => {
    const { orphan } = after ?? before ?? {};
    if (orphan === true) return { orphan };
    if (before !== undefined && after === undefined) return removed(before, 0);
    if (after === undefined) return {};
    const [parent] = before === undefined ? parentsOf.head(after).filter(({ held }) => held !== undefined) : [];
    if (after.held === undefined && parent !== undefined) return heldBy(parent);
    const [suspended, ...others] = isInObject ? parentsOf.head(after) : [];
    if (after.held === undefined && suspended?.held === "Suspended" && others.every(({ held }) => held === "Suspended"))
      return heldBy(suspended);
    return after.held === undefined ? {} : { held: after.held };
  };
  const moveOf: Deployments["moveOf"] = (before, after) => {
    const old = equals(before).flatMap(parentsOf.base);
    const now = equals(after).flatMap((one) => [...parentsOf.head(one), rootOf(one) ?? []].flat());
    const [[from], [to]] = [old, now];
    if (from === undefined || to === undefined) return undefined;
    const names = new Set(now.map(({ name }) => name));
    const isMoved = old.every(({ name }) => !names.has(nameInHead.get(name) ?? ""));
    return isMoved ? { from: from.name, to: to.name } : undefined;
  };
  return { deploymentOf, isDropped: (before, after) => isDropped(before, after), moveOf };
}

/** Whether an application changes only by the object that defines it, with its values: no file that it is made from is another. */
export function changesInObject(before: AppSide | undefined, after: AppSide | undefined): boolean {
  if (before === undefined || after === undefined || before.key === after.key) return false;
  return before.closure.digest === after.closure.digest || hasSameChart(before.application, after.application);
}

/**
 * Flux takes another chart of this repository only if its version changes (reconcileStrategy ChartVersion), and one from
 * elsewhere if the HelmRelease or the object of its chartRef says so.
 */
function hasSameChart({ render: before, chartVersion: from }: Application, after: Application): boolean {
  const { foundBy, render, chartVersion, objects: [object] = [] } = after;
  if (foundBy !== "HelmRelease" || render.by !== "helm" || before.by !== "helm") return false;
  if (render.chart.in === "repository") return chartVersion !== undefined && chartVersion === from;
  return object?.spec["chartRef"] === undefined || JSON.stringify(before.chart) === JSON.stringify(render.chart);
}

/** The applications of all clusters that one application represents, each as its cluster defines it. */
function equals(application: Application): readonly Application[] {
  const { alsoDefinedIn = [], alsoShownBy = [] } = application;
  return [
    application,
    ...alsoShownBy.map((shownBy) => ({ ...application, shownBy })),
    ...alsoDefinedIn.map((file) => ({ ...application, definedIn: [file] })),
  ];
}

/** Identifies the object of Argo CD or Flux that defines an application; undefined if none does. */
function objectOf({ definedIn: [file], foundBy, shownBy, name, givenName = name }: Application): string | undefined {
  return file === undefined ? undefined : JSON.stringify([file, foundBy, shownBy, givenName]);
}

function definedBy({ sides }: Found): ReadonlyMap<string | undefined, readonly Application[]> {
  return groupedBy(
    sides.map(({ application }) => application),
    objectOf,
  );
}

function namesOf(applications: readonly Application[]): string {
  return JSON.stringify(applications.map(({ name }) => name).sort());
}

function heldBy({ held, name }: Application): Pick<Deployment, "held" | "heldBy"> {
  return held === undefined ? {} : { held, heldBy: name };
}

/** Finds the applications that apply the object which defines an application. */
function parentsIn({ sides }: Found): (application: Application) => readonly Application[] {
  const engines = sides.filter(({ application: { foundBy } }) => ENGINE_FOUND.has(foundBy));
  const defined = engines.flatMap(({ application }) => equals(application));
  const reads = readsAnyOf(defined.flatMap(({ definedIn }) => definedIn.slice(0, 1)));
  const shows = new Set(defined.map(({ shownBy }) => shownBy));
  // Few applications apply others.
  const leading = engines.filter((side) => shows.has(side.application.name) || reads(side));
  return onceFor(({ name, shownBy, definedIn: [file], foundBy }: Application): readonly Application[] => {
    if (!ENGINE_FOUND.has(foundBy) || file === undefined) return [];
    return leading
      .filter(
        (side) =>
          side.application.name !== name &&
          (shownBy === undefined ? filesOf(side)(file) : side.application.name === shownBy),
      )
      .map(({ application }) => application);
  });
}

/**
 * Finds the kustomization of both revisions that includes the object of an application of the head, and that someone applies by
 * hand or with an engine elsewhere.
 */
function rootsIn(base: Found, head: Found): (application: Application) => Application | undefined {
  const isRoot = ({ application: { foundBy, orphan } }: AppSide): boolean =>
    foundBy === "Kustomization" && orphan !== true;
  const before = new Set(base.sides.flatMap((side) => (isRoot(side) ? [side.application.path] : [])));
  const roots = head.sides.filter((side) => isRoot(side) && before.has(side.application.path));
  return ({ shownBy, definedIn: [file] }) =>
    roots.find((side) =>
      shownBy === undefined ? file !== undefined && filesOf(side)(file) : side.application.name === shownBy,
    )?.application;
}

const filesOf: (side: AppSide) => (file: string) => boolean = onceFor(readsFile);

/** Whether the ApplicationSet that generated an application remains: its controller deletes the Application. */
function isSetIn({ generatedBy }: Application, { repository: { objects } }: Found): boolean {
  return (
    generatedBy !== undefined && objects.some(({ kind, name }) => kind === "ApplicationSet" && name === generatedBy)
  );
}

/** Whether Flux applies an application again: more may change than what differs. */
export function isResumed(before: Application | undefined, after: Application | undefined): boolean {
  return before?.held === "Suspended" && after !== undefined && after.held !== "Suspended";
}

/** Tests whether an application is applied by one that is resumed, and so gets all changes that were held back. */
export function isAppliedByResumed(
  base: readonly AppSide[],
  head: readonly AppSide[],
): (before: AppSide | undefined) => boolean {
  const after = new Map(head.map(({ application }) => [application.name, application]));
  const resumed = new Set(
    base.flatMap(({ application }) => (isResumed(application, after.get(application.name)) ? [application.name] : [])),
  );
  return (before) => before?.application.shownBy !== undefined && resumed.has(before.application.shownBy);
}
