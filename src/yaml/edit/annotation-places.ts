import { COLLECTION_STYLE, EVENT_ID } from "js-yaml";
import { RollstampError } from "../../base/errors.ts";
import { onceFor } from "../../base/grouped.ts";
import { eventAt } from "../read/event-table.ts";
import { describe, placeIn, type Item } from "../read/items.ts";
import { entriesOf, kindOf, ownEntries, resolve, type Entry } from "../read/node.ts";
import { NONE, type YamlTree } from "../read/tree.ts";

/** Where a mapping of annotations is, or would be: `path` from the mapping `base`. */
export interface AnnotationsPlace {
  readonly item: Item;
  /** The node that the path starts from: an existing mapping. */
  readonly base: number;
  readonly path: readonly string[];
}

/** A step of the path, as far as it exists. */
export interface Step {
  /** The key of this step, and its entry in the mapping of the step before; undefined where missing. */
  readonly key: string;
  readonly entry: Entry | undefined;
  readonly parent: number;
  readonly node: number;
  /** The value comes through an alias or a merge key. */
  readonly borrowed: boolean;
}

/** Follows the path as far as it exists. */
export function walk(place: AnnotationsPlace): Step[] {
  const { tree } = place.item;
  const steps: Step[] = [];
  let parent = place.base;
  for (const key of place.path) {
    const own = parent === NONE ? undefined : ownEntries(tree, parent).find((entry) => entry.key === key);
    const entry = own ?? (parent === NONE ? undefined : entriesOf(tree, parent).find((e) => e.key === key));
    const value = entry?.valueNode ?? NONE;
    const node = resolve(tree, value);
    steps.push({ key, entry, parent, node, borrowed: entry !== undefined && (own === undefined || node !== value) });
    parent = kindOf(tree, node) === "mapping" ? node : NONE;
  }
  return steps;
}

/** The key node whose value a mapping is; NONE where it is a list's element or a document. */
export function keyOf(tree: YamlTree, mapping: number, walked: readonly Step[], step: number): number {
  const before = walked[step - 1];
  return before?.entry?.keyNode ?? parentKey(tree, mapping);
}

/** In events a value stands right behind its key: a scalar or the end of a complex one. */
function parentKey(tree: YamlTree, mapping: number): number {
  const before = eventAt(tree.events, mapping - 1);
  return before?.type === EVENT_ID.SCALAR ? mapping - 1 : NONE;
}

export function isFlow(tree: YamlTree, mapping: number): boolean {
  const event = eventAt(tree.events, mapping);
  return event?.type === EVENT_ID.MAPPING && event.style === COLLECTION_STYLE.FLOW;
}

/** Writing into a node that an alias elsewhere also shows would change that place as well. */
export function refuseShared(item: Item, place: AnnotationsPlace, walked: readonly Step[]): void {
  const { tree } = item;
  if (tree.aliases.size === 0) return;
  // The deepest mapping that stays the workload's own, and into which we write.
  const into = [place.base, ...walked.slice(0, -1).map((step) => step.node)];
  const last = walked.at(-1);
  if (last !== undefined && !last.borrowed) into.push(last.node);
  const borrowedBefore = walked.slice(0, -1).find((step) => step.borrowed);
  if (borrowedBefore !== undefined) throw sharedPart(item, borrowedBefore.entry?.valueNode ?? borrowedBefore.node);
  for (const node of into) {
    refuseSharedPart(item, node);
  }
}

export function notAMapping(item: Item, node: number, place: AnnotationsPlace): RollstampError {
  return new RollstampError("input", `'${place.path.join(".")}' of ${describe(item)} is no mapping`, {
    place: placeIn(item, node),
    remedy: "Write annotations as 'key: value' lines.",
  });
}

/** Only texts can be written out as what they are: a number's spelling, or a mapping's, would be another. */
export function notAText(item: Item, entry: Entry, place: AnnotationsPlace): RollstampError {
  const kind = kindOf(item.tree, entry.valueNode);
  return new RollstampError(
    "input",
    `'${[...place.path, entry.key].join(".")}' of ${describe(item)} is ${kind === "null" ? "null" : `a ${kind}`}, not a string, and an alias or a merge key shares it with another place`,
    {
      place: placeIn(item, entry.valueNode),
      remedy: `Put the value in quotes if it is an annotation's, or write '${place.path.join(".")}' out instead of sharing it.`,
    },
  );
}

// What an alias or a merge key shares with another place: an edit there would change both.

/** True for a node that aliases stand for, and that stands in no other such part. */
function isTarget(tree: YamlTree, node: number): boolean {
  return sharedPartAround(tree, node) === node;
}

/** Refuses what stands in a part that an alias shares. */
function refuseSharedPart(item: Item, node: number): void {
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
