import { addTo, groupedBy } from "../../../base/grouped.ts";
import { compareNames } from "../../../base/names.ts";

// The names of a row: workloads or objects of one kind and name in several applications are one name.

export interface NamedObject {
  readonly kind: string;
  /** "" for an object of the cluster. */
  readonly namespace: string;
  readonly name: string;
  /** Its application, or the folder or file that it was read with. */
  readonly place?: string | undefined;
}

/** Where the names of a group are. */
export type Where =
  /** Each name has its namespace, or needs none. */
  | { readonly is: "inNames" }
  | { readonly is: "namespace"; readonly namespace: string }
  | { readonly is: "places"; readonly places: readonly Place[] }
  /** All places of the plan, if there are many. */
  | { readonly is: "everywhere"; readonly places: number };

export interface Place {
  readonly name: string;
  /** Set if the name does not have it. */
  readonly namespace?: string;
}

/** A name that stands for an object, or for one in each of several applications. */
export interface FoldedName {
  /** With its namespace, if it is not the same for all names. */
  readonly name: string;
  readonly objects: readonly [NamedObject, ...NamedObject[]];
}

export interface KindNames {
  readonly kind: string;
  readonly names: readonly FoldedName[];
}

/** Names that are in the same places. */
export interface NameGroup {
  readonly kinds: readonly KindNames[];
  readonly where: Where;
}

/** The places of a plan that rows name; undefined if rows need no place. */
export type Places = readonly string[] | undefined;

/** So many places are named one by one. */
const FEW_PLACES = 3;

/** The names of objects, each once, by kind and by the places that have it. */
export function foldedNames(objects: readonly NamedObject[], places: Places): readonly NameGroup[] {
  const entries = places === undefined ? alone(objects) : acrossPlaces(objects);
  const groups = groupedBy(entries, (entry) => (places === undefined ? "" : placesKey(entry)));
  return [...groups.values()].map((group) => nameGroup(group, places));
}

/** How many objects the names stand for. */
export function countOf(groups: readonly NameGroup[]): number {
  return groups.flatMap(({ kinds }) => kinds.flatMap(({ names }) => names.flatMap(({ objects }) => objects))).length;
}

type Entry = readonly [NamedObject, ...NamedObject[]];

function alone(objects: readonly NamedObject[]): readonly Entry[] {
  return objects.map((object) => [object]);
}

/** Objects of one kind and name in other places; those of one place that differ in their namespaces are others. */
function acrossPlaces(objects: readonly NamedObject[]): readonly Entry[] {
  const found: Entry[] = [];
  for (const same of groupedBy(objects, ({ kind, name }) => `${kind}\n${name}`).values()) {
    const byNamespace = [...groupedBy(same, ({ namespace }) => namespace).values()];
    const perPlace = new Set(same.map(({ place }) => place));
    const isOne = perPlace.size === same.length;
    found.push(...(isOne ? [same] : byNamespace));
  }
  return found;
}

function placesKey(entry: Entry): string {
  const hasSeveral = hasSeveralNamespaces(entry);
  return JSON.stringify(entry.map(({ place, namespace }) => (hasSeveral ? [place, namespace] : place)));
}

function hasSeveralNamespaces([first, ...others]: Entry): boolean {
  return others.some(({ namespace }) => namespace !== first.namespace);
}

function nameGroup(entries: readonly [Entry, ...Entry[]], places: Places): NameGroup {
  const [first] = entries;
  const isApart = hasSeveralNamespaces(first);
  const [{ namespace }] = first;
  const isShared = !isApart && entries.length > 1 && entries.every(([object]) => object.namespace === namespace);
  const hasOnePlace = first.length === 1;
  // Several names in one namespace have it once, behind their application if there is one.
  const isBehind = isShared && namespace !== "" && (places === undefined || hasOnePlace);
  const kinds = new Map<string, FoldedName[]>();
  for (const objects of entries) {
    const [object] = objects;
    const isBare = isApart || isBehind || object.namespace === "";
    addTo(kinds, object.kind, { name: isBare ? object.name : `${object.namespace}/${object.name}`, objects });
  }
  return {
    kinds: [...kinds]
      .map(([kind, names]) => ({ kind, names: names.toSorted((a, b) => compareNames(a.name, b.name)) }))
      .sort((a, b) => compareNames(a.kind, b.kind)),
    where: places === undefined ? whereAlone(namespace, isBehind) : placesOf(first, { isApart, isBehind, places }),
  };
}

function whereAlone(namespace: string, isBehind: boolean): Where {
  return isBehind ? { is: "namespace", namespace } : { is: "inNames" };
}

function placesOf(
  entry: Entry,
  {
    isApart,
    isBehind,
    places,
  }: { readonly isApart: boolean; readonly isBehind: boolean; readonly places: readonly string[] },
): Where {
  const shown = entry.flatMap(({ place, namespace }): Place[] =>
    place === undefined ? [] : [{ name: place, ...(isApart || isBehind ? { namespace } : {}) }],
  );
  if (shown.length === 0) return whereAlone(entry[0].namespace, isBehind);
  const isEverywhere = !isApart && shown.length > FEW_PLACES && shown.length === places.length;
  return isEverywhere ? { is: "everywhere", places: shown.length } : { is: "places", places: shown };
}
