import { groupedBy } from "../../base/grouped.ts";
import { ENGINE_FOUND, IN_CLUSTER, type Application } from "./application.ts";

// Matches the applications of two revisions (contract, section 9): by name if it was given, else by path. In another
// cluster it is another application: everything is removed there, and created here.

/** An application in two revisions, or in one of them. */
export interface InBoth<T> {
  readonly before: T | undefined;
  readonly after: T | undefined;
}

interface FindingData {
  readonly application: Application;
}

/** Whether a revision has a folder: a cluster may be named after the folder that it reads. */
export interface Folders {
  readonly base: (path: string) => boolean;
  readonly head: (path: string) => boolean;
}

/** What distinguishes applications with the same name, in this order. */
const ALIKE: readonly ((application: Application) => readonly unknown[])[] = [
  // The same object, shown by the same application: the Argo CDs of several clusters may apply the same files under one name.
  ({ foundBy, cluster, namespace, path, shownBy, definedIn: [file] }) => [
    fluxKindOf(foundBy),
    cluster,
    namespace,
    path,
    shownBy,
    file,
  ],
  // Its cluster becomes unknown if another Argo CD gets an Application with this name.
  ({ foundBy, cluster, namespace, path, definedIn: [file] }) => [
    fluxKindOf(foundBy),
    cluster === IN_CLUSTER && file !== undefined ? undefined : cluster,
    namespace,
    path,
    file,
  ],
  ({ foundBy, cluster, namespace, path }) => [fluxKindOf(foundBy), cluster, namespace, path],
  ({ foundBy, cluster, namespace }) => [fluxKindOf(foundBy), cluster, namespace],
  ({ foundBy, cluster }) => [fluxKindOf(foundBy), cluster],
  ({ cluster }) => [cluster],
];

/**
 * The applications of both revisions: first those of the second revision in their order, then those that only the first
 * has.
 */
export function inBoth<T extends FindingData>(base: readonly T[], head: readonly T[], folders: Folders): InBoth<T>[] {
  const before = new Map<T, T>();
  const found = new Set<T>();
  const match = (item: T, other: T | undefined): void => {
    if (other === undefined) return;
    before.set(other, item);
    found.add(item);
  };
  const unmatched = (): readonly T[] => base.filter((item) => !found.has(item));
  const open = (): readonly T[] => head.filter((item) => !before.has(item));
  for (const partsOf of ALIKE) {
    const keyOf = ({ application }: T): string => JSON.stringify([identityOf(application), ...partsOf(application)]);
    const left = queues(open(), keyOf);
    for (const item of unmatched()) match(item, left.get(keyOf(item))?.pop());
  }
  for (const [other, item] of copied(open(), base)) before.set(other, item);
  const joined = new Map(copied(unmatched(), head));
  for (const item of joined.keys()) found.add(item);
  // The others may be in the same cluster if it is unknown, or was renamed.
  for (const partsOf of [({ path }: Application) => [path], () => []]) {
    const keyOf = ({ application }: T, place: Place): string =>
      JSON.stringify([identityOf(application), place, ...partsOf(application)]);
    const left = queues(open(), (item) => keyOf(item, placeOf(item.application, folders.head, folders.base)));
    for (const item of unmatched()) {
      const places = MAY_BE[placeOf(item.application, folders.base, folders.head)];
      const place = places.find((each) => (left.get(keyOf(item, each))?.length ?? 0) > 0);
      if (place !== undefined) match(item, left.get(keyOf(item, place))?.pop());
    }
  }
  for (const [item, other] of moves(unmatched(), open())) match(item, other);
  return [
    ...head.map((after) => ({ before: before.get(after), after })),
    ...[...joined].map(([item, after]) => ({ before: item, after })),
    ...unmatched().map((item) => ({ before: item, after: undefined })),
  ];
}

/** Applications of one revision that are equal to another one in the other revision, with that one. */
function copied<T extends FindingData>(all: readonly T[], others: readonly T[]): readonly (readonly [T, T])[] {
  const keyOf = (application: Application, file: string): string =>
    JSON.stringify([identityOf(application), application.cluster ?? IN_CLUSTER, file]);
  const copies = new Map(
    others.flatMap((other) =>
      (other.application.alsoDefinedIn ?? []).map((file) => [keyOf(other.application, file), other] as const),
    ),
  );
  return all.flatMap((item): (readonly [T, T])[] => {
    const [file = ""] = item.application.definedIn;
    const other = copies.get(keyOf(item.application, file));
    return other === undefined ? [] : [[item, other]];
  });
}

/**
 * Applications that another object defines in the second revision: they render the same, for the same cluster and
 * namespace. If there are several, nobody knows which one it is.
 */
function moves<T extends FindingData>(base: readonly T[], head: readonly T[]): readonly (readonly [T, T])[] {
  const placesOf = (found: readonly T[]): ReadonlyMap<string, readonly T[]> =>
    groupedBy(found, ({ application }) => renderedFrom(application));
  const before = placesOf(base.filter(({ application }) => application.orphan !== true));
  const after = placesOf(head.filter(({ application }) => isDeployed(application)));
  return [...before].flatMap(([place, items]) =>
    items.flatMap((item): (readonly [T, T])[] => {
      const [other, second] = firstTwo(after.get(place), (one) => mayBeThere(item.application, one.application));
      if (other === undefined || second !== undefined) return [];
      const [, another] = firstTwo(items, (one) => mayBeThere(one.application, other.application));
      return another === undefined ? [[item, other]] : [];
    }),
  );
}

/** At most two: an ApplicationSet of a few KB can define thousands that are alike. */
function firstTwo<T>(items: readonly T[] = [], isMeant: (item: T) => boolean): readonly T[] {
  const found: T[] = [];
  for (const item of items) {
    if (isMeant(item)) found.push(item);
    if (found.length === 2) break;
  }
  return found;
}

/** Whether an object of Argo CD or Flux, or rollstamp.yaml, leads to it. */
function isDeployed({ foundBy }: Application): boolean {
  return ENGINE_FOUND.has(foundBy) || foundBy === "Applications";
}

/** What an application is rendered from: the files at a path, or a release of a chart from elsewhere, which many use. */
function renderedFrom({ render, path }: Application): string {
  if (render.by !== "helm" || render.chart.in === "repository" || render.chart.in === "packed") return `path ${path}`;
  const { chart, releaseName } = render;
  return JSON.stringify([chart.repository, chart.in === "helm" ? chart.name : chart.path, releaseName]);
}

/** Whether the cluster and the namespace are the same, or may be. Engines name clusters in different ways. */
function mayBeThere(one: Application, other: Application): boolean {
  if (isDeployed(one) && engineOf(one) === engineOf(other))
    return one.cluster === other.cluster && one.namespace === other.namespace;
  const { namespace } = one;
  return namespace === undefined || other.namespace === undefined || namespace === other.namespace;
}

function engineOf({ foundBy }: Application): string {
  if (foundBy === "Applications") return foundBy;
  return fluxKindOf(foundBy) === "" ? "Argo CD" : "Flux";
}

/**
 * What is known about the cluster of an application. `folder`: named after the folder that it reads. `renamed`: the
 * other revision does not have that folder.
 */
type Place = "unknown" | "folder" | "renamed" | "known";

/** The places in the head that may be the same as a place in the base. */
const MAY_BE: Readonly<Record<Place, readonly Place[]>> = {
  unknown: ["unknown", "renamed", "folder"],
  folder: ["unknown"],
  renamed: ["renamed", "unknown"],
  known: [],
};

function placeOf(
  { cluster }: Application,
  isHere: (path: string) => boolean,
  isInOther: (path: string) => boolean,
): Place {
  if (cluster === undefined) return "unknown";
  if (!isHere(cluster)) return "known";
  return isInOther(cluster) ? "folder" : "renamed";
}

/** What an application has in both revisions, wherever it is applied. */
function identityOf({ isNamed, givenName, name, path, kind }: Application): string {
  if (isNamed) return `name ${givenName ?? name}`;
  return `${kind === "Files" || kind === "Kpt" ? "files" : "rendered"} ${path}`;
}

/** A HelmRelease and the Kustomization that applies it often have the same name. */
function fluxKindOf(foundBy: Application["foundBy"]): string {
  return foundBy === "HelmRelease" || foundBy === "FluxKustomization" ? foundBy : "";
}

/** By key, in reverse order: they are taken from the end. */
function queues<T>(all: readonly T[], keyOf: (item: T) => string): ReadonlyMap<string, T[]> {
  return groupedBy(all.toReversed(), keyOf);
}
