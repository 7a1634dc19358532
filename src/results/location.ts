import { annotationOf, placeOf, type Item } from "../manifest/items.ts";
import { resourceRef, type Finding } from "./findings.ts";

/** Where in an object a finding is, in the forms that results and messages have. */
export function locationOf(
  item: Item,
  at: { readonly node: number; readonly field?: string },
): Pick<Finding, "resource" | "field" | "file" | "place"> {
  const file = hostFile(item);
  return {
    resource: resourceRef(item),
    ...(at.field === undefined ? {} : { field: at.field }),
    ...(file === undefined ? {} : { file }),
    place: placeOf(item.tree, at.node),
  };
}

const PATHS = ["internal.config.kubernetes.io/path", "config.kubernetes.io/path"] as const;
const INDEXES = ["internal.config.kubernetes.io/index", "config.kubernetes.io/index"] as const;

/** The file that the host says an item is from. */
export function hostFile(item: Item): Finding["file"] {
  const path = PATHS.map((key) => annotationOf(item, key)).find((value) => value !== undefined);
  if (path === undefined) return undefined;
  const index = INDEXES.map((key) => annotationOf(item, key)).find((value) => value !== undefined);
  return index !== undefined && /^\d+$/u.test(index) ? { path, index: Number(index) } : { path };
}
