import { countBelow } from "../../base/sorted.ts";
import { COLLECTION_STYLE, EVENT_ID } from "js-yaml";
import { RollstampError } from "../../base/errors.ts";
import { onceFor } from "../../base/grouped.ts";
import { eventAt } from "../read/event-table.ts";
import { describe, placeIn, type Item } from "../read/items.ts";
import { entriesOf, kindOf, ownEntries, resolve, type Entry } from "../read/node.ts";
import { NONE, type YamlTree } from "../read/tree.ts";

/** Where a mapping of annotations is, or should be: `path` from the mapping `base`. */
export interface AnnotationsPlace {
  readonly item: Item;
  /** The existing mapping at which the path begins. */
  readonly base: number;
  readonly path: readonly string[];
}

/** An existing step of the path. */
export interface Step {
  /** The key of the step, and its entry in the mapping of the step before; undefined if missing. */
  readonly key: string;
  readonly entry: Entry | undefined;
  readonly parent: number;
  readonly node: number;
  /** The value comes from an alias or a merge key. */
  readonly borrowed: boolean;
}

/** Follows the path as far as it exists. */
export function walk(place: AnnotationsPlace): Step[] {
  const { tree } = place.item;
  const steps: Step[] = [];
  let parent = place.base;
  for (const key of place.path) {
    const ownEntry = parent === NONE ? undefined : ownEntries(tree, parent).find((entry) => entry.key === key);
    const entry = ownEntry ?? (parent === NONE ? undefined : entriesOf(tree, parent).find((e) => e.key === key));
    const value = entry?.valueNode ?? NONE;
    const node = resolve(tree, value);
    steps.push({
      key,
      entry,
      parent,
      node,
      borrowed: entry !== undefined && (ownEntry === undefined || node !== value),
    });
    parent = kindOf(tree, node) === "mapping" ? node : NONE;
  }
  return steps;
}

/** The key of a mapping; NONE for an element of a list and for a document. */
export function keyOf(tree: YamlTree, mapping: number, walked: readonly Step[], step: number): number {
  const before = walked[step - 1];
  return before?.entry?.keyNode ?? parentKey(tree, mapping);
}

/** In events, a value follows its key directly: a scalar, or the end of a complex key. */
function parentKey(tree: YamlTree, mapping: number): number {
  const before = eventAt(tree.events, mapping - 1);
  return before?.type === EVENT_ID.SCALAR ? mapping - 1 : NONE;
}

export function isFlow(tree: YamlTree, mapping: number): boolean {
  const event = eventAt(tree.events, mapping);
  return event?.type === EVENT_ID.MAPPING && event.style === COLLECTION_STYLE.FLOW;
}

/** An edit in a node that is aliased elsewhere would change that place, too. */
export function refuseShared(item: Item, place: AnnotationsPlace, walked: readonly Step[]): void {
  const { tree } = item;
  if (tree.aliases.size === 0) return;
  // The deepest mapping that belongs to the workload alone. Edits go there.
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
  return new RollstampError("input", `'${place.path.join(".")}' of ${describe(item)} must be a mapping`, {
    place: placeIn(item, node),
    remedy: "Write annotations as 'key: value' lines.",
  });
}

/** Only strings can be copied as they are: numbers and mappings would be spelled differently. */
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

// Parts that aliases or merge keys share: an edit in one place changes all of them.

/** True for an aliased node that is not inside of another aliased node. */
function isTarget(tree: YamlTree, node: number): boolean {
  return sharedPartAround(tree, node) === node;
}

/** Rejects an edit in a part that is shared through an alias. */
function refuseSharedPart(item: Item, node: number): void {
  const target = sharedPartAround(item.tree, node);
  if (target !== NONE) throw sharedPart(item, target);
}

/** Removing a value removes its anchor, and its aliases would have none. */
export function refuseAnchors(item: Item, entries: readonly Entry[]): void {
  const { tree } = item;
  if (tree.aliases.size === 0) return;
  for (const { keyNode, valueNode } of entries) {
    const target = [keyNode, valueNode].find((node) => tree.events.marked.has(node) && isTarget(tree, node));
    if (target !== undefined) throw sharedPart(item, target);
  }
}

/** The shared part that contains a node; NONE if there is none. */
function sharedPartAround(tree: YamlTree, node: number): number {
  const parts = outermostTargets(tree);
  const before = parts[countBelow(parts, node + 1) - 1];
  return before !== undefined && node < (tree.next[before] ?? 0) ? before : NONE;
}

/** The outermost aliased parts of the file, in order. Cached, because each workload needs them. */
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

/** The error about a node that is also used in another place. */
export function sharedPart(item: Item, node: number): RollstampError {
  return new RollstampError(
    "input",
    `what rollstamp would change in the pod template of ${describe(item)} is in a part that an alias or a merge key shares with another place`,
    {
      place: placeIn(item, node),
      remedy: "Write this part out for the workload instead of sharing it: a change would also change the other place.",
    },
  );
}
