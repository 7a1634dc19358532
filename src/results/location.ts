import { hostFile, placeIn, type Item } from "../manifest/items.ts";
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
    place: placeIn(item, at.node),
  };
}
