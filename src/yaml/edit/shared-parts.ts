import { onceFor } from "../../base/once-for.ts";
import { RollstampError } from "../../base/errors.ts";
import { describe, placeIn, type Item } from "../read/items.ts";
import type { Entry } from "../read/node.ts";
import { NONE, type YamlTree } from "../read/tree.ts";

// What an alias or a merge key shares with another place: an edit there would change both.

/** True for a node that aliases stand for, and that stands in no other such part. */
function isTarget(tree: YamlTree, node: number): boolean {
  return sharedPartAround(tree, node) === node;
}

/** Refuses what stands in a part that an alias shares. */
export function refuseSharedPart(item: Item, node: number): void {
  const target = sharedPartAround(item.tree, node);
  if (target !== NONE) throw sharedPart(item, target);
}

/** An anchor goes with the value on which it stands: its aliases would have none. */
export function refuseAnchors(item: Item, entries: readonly Entry[]): void {
  const { tree } = item;
  if (tree.aliases.size === 0) return;
  for (const { keyNode, valueNode } of entries) {
    const target = [keyNode, valueNode].find((node) => tree.events.marked.has(node) && isTarget(tree, node));
    if (target !== undefined) throw sharedPart(item, target);
  }
}

/** The part that an alias shares and in which a node stands; NONE where there is none. */
function sharedPartAround(tree: YamlTree, node: number): number {
  const parts = outermostTargets(tree);
  let low = 0;
  let high = parts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((parts[middle] ?? 0) <= node) low = middle + 1;
    else high = middle;
  }
  const before = parts[low - 1];
  return before !== undefined && node < (tree.next[before] ?? 0) ? before : NONE;
}

/** The parts of a text that aliases share: the outermost ones, in order. Each of its workloads asks. */
const outermostTargets = onceFor((tree: YamlTree): readonly number[] => {
  const outermost: number[] = [];
  let end = 0;
  for (const target of [...new Set(tree.aliases.values())].sort((a, b) => a - b)) {
    if (target < end) continue;
    outermost.push(target);
    end = tree.next[target] ?? 0;
  }
  return outermost;
});

/** The error about a node that another place shows as well. */
export function sharedPart(item: Item, node: number): RollstampError {
  return new RollstampError(
    "input",
    `the annotations or labels of ${describe(item)}'s pod template stand in a part that an alias or a merge key shares with another place`,
    {
      place: placeIn(item, node),
      remedy:
        "Write this part out for the workload instead of sharing it: a change in it would change the other place as well.",
    },
  );
}
