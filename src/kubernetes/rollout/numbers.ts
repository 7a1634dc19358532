import type { Item } from "../../yaml/read/items.ts";
import { get, getPath, kindOf, stringOf, toJson } from "../../yaml/read/node.ts";
import type { IntOrPercent } from "./int-or-percent.ts";

/** A number of pods or a percentage, as written; undefined if absent. */
export function countAt(item: Item, mapping: number, key: string): IntOrPercent | undefined {
  const node = get(item.tree, mapping, key);
  return stringOf(item.tree, node) ?? numberOf(item, node);
}

/** The number at a path of an object; undefined if there is none. */
export function numberAt(item: Item, path: readonly string[], from: number = item.node): number | undefined {
  return numberOf(item, getPath(item.tree, from, path));
}

function numberOf(item: Item, node: number): number | undefined {
  if (kindOf(item.tree, node) !== "number") return undefined;
  const value = toJson(item.tree, node);
  return typeof value === "number" ? value : undefined;
}
