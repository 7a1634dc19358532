import { counted } from "../base/words.ts";
import type { PlannedObject, PlannedWorkload } from "../reports/plan/planned-workload.ts";
import {
  countOf,
  foldedNames,
  type FoldedName,
  type NamedObject,
  type NameGroup,
  type Places,
  type Where,
} from "../reports/plan/rows/names.ts";
import { code } from "./document/blocks.ts";
import type { Facets, NameList, Words } from "./document/document.ts";

/**
 * Where a workload is, if that has to be said: its application, or the folder or file of it that it is read with. Several
 * packages may be read as one folder.
 */
export function placeOf({ part, application }: Pick<PlannedWorkload, "part" | "application">): string | undefined {
  if (application === undefined || application === ".") return part;
  return part?.startsWith(`${application}/`) === true ? part : application;
}

/** So many objects of one kind are named in the line of their row. */
const MOST_IN_TITLE = 6;

/** What a row says its objects are. */
export interface NamedRow {
  /** In its line; undefined if they are too many. */
  readonly title: Words | undefined;
  /** Below its line. */
  readonly lists: readonly NameList[];
}

/** The names of objects: in one line if they are few, of one kind and in the same places. */
export function namedRow<T extends PlannedWorkload | PlannedObject>(
  objects: readonly T[],
  places: Places,
  facetsOf: (objects: readonly T[]) => Facets,
): NamedRow {
  const originals = new Map<NamedObject, T>(objects.map((object) => [namedObject(object), object]));
  const groups = foldedNames([...originals.keys()], places);
  const [group, ...others] = groups;
  const isOneLine =
    group !== undefined && others.length === 0 && group.kinds.length === 1 && countOf(groups) <= MOST_IN_TITLE;
  const facets = (names: FoldedName): Facets => facetsOf(names.objects.flatMap((one) => originals.get(one) ?? []));
  return {
    title: isOneLine ? titleWords(group) : undefined,
    lists: groups.map((one) => nameList(one, facets)),
  };
}

function namedObject(object: PlannedWorkload | PlannedObject): NamedObject {
  const { kind, namespace, name } = object;
  const place = "part" in object ? placeOf(object) : object.application === "." ? undefined : object.application;
  return { kind, namespace, name, ...(place === undefined ? {} : { place }) };
}

function titleWords({ kinds, where }: NameGroup): Words {
  const names = kinds.flatMap(({ kind, names: own }): Words => [
    `${kind} `,
    ...own.flatMap(({ name }, i): Words => [i === 0 ? "" : ", ", code(name)]),
  ]);
  const place = whereWords(where);
  return place === undefined ? names : [...names, " ", ...place];
}

function nameList({ kinds, where }: NameGroup, facetsOf: (name: FoldedName) => Facets): NameList {
  const place = whereWords(where);
  const isApart = kinds.length > 1 && where.is !== "namespace";
  return {
    kinds: kinds.map(({ kind, names }) => ({
      kind,
      names: names.map((one) => ({ name: one.name, objects: one.objects.length, facets: facetsOf(one) })),
    })),
    ...(place === undefined ? {} : { where: place }),
    ...(isApart ? { isWhereApart: true } : {}),
  };
}

/** `in shop`, `in overlays/prod (shop), overlays/staging (test)`, `in all 12 applications`. */
function whereWords(where: Where): Words | undefined {
  switch (where.is) {
    case "inNames":
      return undefined;
    case "namespace":
      return ["in ", code(where.namespace)];
    case "places":
      return [
        "in ",
        ...where.places.flatMap(({ name, namespace }, i): Words => [
          i === 0 ? "" : ", ",
          code(name),
          ...(namespace === undefined || namespace === "" ? [] : [" (", code(namespace), ")"]),
        ]),
      ];
    case "everywhere":
      return [`in all ${counted(where.places, "application")}`];
  }
}

/** `Deployment shop/web`, with its application if rows name it. */
export function objectWords({ kind, namespace, name }: Pick<NamedObject, "kind" | "namespace" | "name">): Words {
  return [`${kind} `, code(namespace === "" ? name : `${namespace}/${name}`)];
}
