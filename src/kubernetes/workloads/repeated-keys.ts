import { onceFor } from "../../base/grouped.ts";
import { countBelow, hasNumberBetween } from "../../base/sorted.ts";
import { RollstampError } from "../../base/errors.ts";
import { isStampKey } from "../../base/stamp-keys.ts";
import { describe, placeIn } from "../../yaml/read/items.ts";
import { getPath, resolve } from "../../yaml/read/node.ts";
import {
  isIdentity,
  repeatedKeyError,
  repeatedKeys,
  type RepeatedKey,
  fieldOf,
  mayMerge,
  overriddenKeys,
} from "../../yaml/read/repeated-keys.ts";
import { NONE, type YamlTree } from "../../yaml/read/tree.ts";
import { CONTAINER_LISTS } from "./containers.ts";
import { templateAnnotationsNode } from "./template-annotations.ts";
import type { Workload } from "./types.ts";

/** Throws for a duplicate key in what is stamped or refers to sources, or in a field that leads there. */
export function refuseRepeatedKeys(workload: Workload): void {
  const { item } = workload;
  if (item.tree.repeated.size === 0) return;
  const used = usedParts(workload);
  for (const repeated of repeatedKeys(item)) {
    if (isIdentity(repeated.path) || isUsed(item.tree, used, repeated)) throw repeatedKeyError(item, repeated);
  }
}

/**
 * Throws if a `<<` after a stamp, a reference or a field that leads there merges another value: kubectl would use that one.
 * Other annotations are the user's own.
 */
export function refuseOverriddenKeys(workload: Workload): void {
  const { item, templates } = workload;
  const { tree } = item;
  if (!mayMergeIn(tree)) return;
  const overridden = overriddenKeys(item);
  if (overridden.length === 0) return;
  const used = usedParts(workload);
  const annotations = new Set(templates.map((template) => resolve(tree, templateAnnotationsNode(template))));
  const found = overridden.find((key) =>
    annotations.has(key.mapping) ? isStampKey(key.path.at(-1) ?? "") : isUsed(tree, used, key),
  );
  if (found === undefined) return;
  throw new RollstampError("input", `'${fieldOf(found.path)}' of ${describe(item)} is overridden by a '<<' after it`, {
    place: placeIn(item, found.keyNode),
    remedy: "Move '<<' before the other keys of its mapping, and remove the key from the merged mapping.",
  });
}

const mayMergeIn: (tree: YamlTree) => boolean = onceFor(mayMerge);

/** The fields of a pod spec that refer to sources. */
const REFERRING: ReadonlySet<string> = new Set(["env", "envFrom", "volumes", "volumeMounts"]);

/** The lists of mappings with such fields. */
const LISTS: ReadonlySet<string> = new Set(CONTAINER_LISTS);

/** The parts of a workload's text that a stamp depends on. */
interface UsedParts {
  /** Nodes that lead to annotations, pod specs and references. */
  readonly onTheWay: Nodes;
  /** Annotations and references: everything in them counts. */
  readonly whole: Nodes;
  /** Pod specs: what refers to sources counts. */
  readonly podSpecs: Nodes;
}

function usedParts({ item: { tree }, templates }: Workload): UsedParts {
  const annotations = templates.map(templateAnnotationsNode).filter((node) => node !== NONE);
  // A stamp makes what is missing below the last of them.
  const around = templates.flatMap(({ base, annotationsPath }) =>
    annotationsPath.map((_, i) => getPath(tree, base, annotationsPath.slice(0, i))).filter((node) => node !== NONE),
  );
  const references = templates.flatMap((template) =>
    template.references.filter(({ item }) => item === undefined).map(({ node }) => node),
  );
  const specs = templates.flatMap(({ podSpecs }) => podSpecs.map(({ node }) => node));
  return {
    onTheWay: nodesOf(tree, [...around, ...annotations, ...specs, ...references]),
    whole: nodesOf(tree, [...annotations, ...references]),
    podSpecs: nodesOf(tree, specs),
  };
}

function isUsed(tree: YamlTree, used: UsedParts, { mapping, keyNode, path }: RepeatedKey): boolean {
  const value = tree.next[keyNode] ?? keyNode;
  if (hasNumberBetween(used.onTheWay.starts, value, tree.next[value] ?? 0) || isWithin(used.whole, mapping))
    return true;
  return isWithin(used.podSpecs, mapping) && isReferring(path);
}

/** Nodes of a string in order, each with the end of the furthest node so far, for binary search. */
interface Nodes {
  readonly starts: readonly number[];
  readonly reach: readonly number[];
}

function nodesOf(tree: YamlTree, nodes: readonly number[]): Nodes {
  const starts = [...new Set(nodes)].sort((a, b) => a - b);
  let most = 0;
  return { starts, reach: starts.map((node) => (most = Math.max(most, tree.next[node] ?? 0))) };
}

/** Whether a node is one of these, or inside one: nodes nest or are disjoint. */
function isWithin({ starts, reach }: Nodes, node: number): boolean {
  return node < (reach[countBelow(starts, node + 1) - 1] ?? 0);
}

/** In a container, only its name and what refers to sources count. */
function isReferring(path: readonly string[]): boolean {
  return LISTS.has(path.at(-1) ?? "") || path.some((step) => REFERRING.has(step));
}
