import type { Limits } from "../../base/limits.ts";
import { toJson, type Json } from "./node.ts";
import { readTree } from "./tree.ts";

/** What the first document of a text says; null where there is none. Throws a RollstampError for what can't be read. */
export function firstDocument(text: string, file: string, limits: Limits): Json {
  const tree = readTree(text, file, limits);
  const [root] = tree.documents;
  return root === undefined ? null : toJson(tree, root);
}
