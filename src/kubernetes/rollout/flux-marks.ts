import { annotationOf, labelsOf, type Item } from "../../yaml/read/items.ts";

/** The group of the marks that kustomize-controller reads. */
export const FLUX_MARKS = "kustomize.toolkit.fluxcd.io";

/** Whether a mark of Flux has a value, in any case: Flux reads labels and annotations (fluxcd/pkg, ssa AnyInMetadata). */
export function hasFluxMark(item: Item, name: string, value: string): boolean {
  const key = `${FLUX_MARKS}/${name}`;
  return [annotationOf(item, key), labelsOf(item).get(key)].some((found) => found?.toLowerCase() === value);
}
