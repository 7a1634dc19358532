import { endOfTree, startOf } from "../../yaml/read/node.ts";
import type { YamlTree } from "../../yaml/read/tree.ts";

export interface NodeOf {
  readonly tree: YamlTree;
  readonly node: number;
}

/** True if two nodes have the same text, and so the same value. If false, the values may still be equal. */
export function isSameText(a: NodeOf, b: NodeOf): boolean {
  // The value of an alias is written elsewhere.
  if (a.tree.aliases.size > 0 || b.tree.aliases.size > 0) return false;
  const startA = startOf(a.tree, a.node);
  const startB = startOf(b.tree, b.node);
  const length = endOfTree(a.tree, a.node) - startA;
  if (length !== endOfTree(b.tree, b.node) - startB) return false;
  // The indentation of a block scalar counts from the column of its parent.
  if (columnOf(a.tree, startA) !== columnOf(b.tree, startB)) return false;
  return a.tree.text.slice(startA, startA + length) === b.tree.text.slice(startB, startB + length);
}

function columnOf({ text }: YamlTree, offset: number): number {
  return offset - text.lastIndexOf("\n", offset - 1);
}
