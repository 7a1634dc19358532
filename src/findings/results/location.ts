import { hostFile, placeIn, type Item } from "../../yaml/read/items.ts";
import type { FindingLocation } from "../catalogue/finding.ts";
import type { ResourceRef } from "../../base/names.ts";

export function resourceRef(item: Item): ResourceRef {
  const { apiVersion, kind, name, namespace } = item;
  return namespace === "" ? { apiVersion, kind, name } : { apiVersion, kind, name, namespace };
}

/** The location of a finding in an object, as results and messages have it. */
export function locationOf(item: Item, at: { readonly node: number; readonly field?: string }): FindingLocation {
  const file = hostFile(item);
  return {
    resource: resourceRef(item),
    ...(at.field === undefined ? {} : { field: at.field }),
    ...(file === undefined ? {} : { file }),
    place: placeIn(item, at.node),
  };
}
