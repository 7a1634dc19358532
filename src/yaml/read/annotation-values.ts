import { RollstampError } from "../../base/errors.ts";
import { annotationNode, describe, placeIn, type Item } from "./items.ts";
import { kindOf, stringOf } from "./node.ts";
import { NONE } from "./tree.ts";

/** The text of an annotation of ours; undefined where there is none. Throws where it is no string. */
export function readText(item: Item, key: string): string | undefined {
  const node = annotationNode(item, key);
  if (node === NONE) return undefined;
  const text = stringOf(item.tree, node);
  if (text !== undefined) return text;
  throw wrongAnnotation(item, key, `is a ${kindOf(item.tree, node)}, not a string`, "Put the value in quotes.");
}

/** An annotation that is "true" or "false". Throws for any other value. */
export function readFlag(item: Item, key: string): boolean | undefined {
  const text = readText(item, key);
  if (text === undefined) return undefined;
  if (text === "true" || text === "false") return text === "true";
  throw wrongAnnotation(item, key, 'is neither "true" nor "false"', 'Write "true" or "false", in quotes.');
}

/** The error for an annotation whose value can't be taken. */
export function wrongAnnotation(item: Item, key: string, problem: string, remedy: string): RollstampError {
  return new RollstampError("input", `the annotation '${key}' of ${describe(item)} ${problem}`, {
    place: placeIn(item, annotationNode(item, key)),
    remedy,
  });
}
