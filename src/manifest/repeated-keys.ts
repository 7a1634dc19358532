import { EVENT_ID } from "js-yaml";
import { RollstampError } from "../ground/errors.ts";
import { typeAt } from "./event-table.ts";
import { describe, placeIn, placeOf, type Item } from "./items.ts";
import { resolve } from "./node.ts";
import { NONE, scalarText, type YamlTree } from "./tree.ts";

// kubectl and Helm take the last one of a key that stands twice (sigs.k8s.io/yaml), kustomize the first in one
// place and the last in another: so it is told, and where a stamp would depend on it, refused.

/** A key that stands more than once in its mapping. */
export interface RepeatedKey {
  readonly mapping: number;
  /** The key that counts, the last one. */
  readonly keyNode: number;
  /** The path of the key in the object; an element of a list is its index in brackets. */
  readonly path: readonly string[];
}

/** The keys that stand more than once in an object, also in what it takes by aliases. */
export function repeatedKeys({ tree, node }: Item): RepeatedKey[] {
  const found = new Map<number, RepeatedKey>();
  if (tree.repeated.size > 0) collect(tree, resolve(tree, node), [], found, new Set());
  return [...found.values()].sort((a, b) => a.keyNode - b.keyNode);
}

/** Whether a key stands twice anywhere in a node; the key that counts, or NONE. */
export function repeatedKeyIn(tree: YamlTree, node: number): number {
  if (tree.repeated.size === 0 || node === NONE) return NONE;
  const found = new Map<number, RepeatedKey>();
  collect(tree, resolve(tree, node), [], found, new Set());
  return [...found.keys()][0] ?? NONE;
}

/** Goes over a node without recursion: texts may nest deep. Each aliased node is gone over once. */
function collect(
  tree: YamlTree,
  root: number,
  rootPath: readonly string[],
  found: Map<number, RepeatedKey>,
  seen: Set<number>,
): void {
  const left: { readonly node: number; readonly path: Path }[] = [{ node: root, path: pathFrom(rootPath) }];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const node = resolve(tree, next.node);
    if (node !== next.node || node === root) {
      if (seen.has(node)) continue;
      seen.add(node);
    }
    const type = typeAt(tree.events, node);
    if (type !== EVENT_ID.MAPPING && type !== EVENT_ID.SEQUENCE) continue;
    const end = (tree.next[node] ?? 0) - 1;
    let index = 0;
    for (let child = node + 1; child < end; index += 1) {
      if (type === EVENT_ID.SEQUENCE) {
        left.push({ node: child, path: { before: next.path, step: `[${index}]` } });
        child = tree.next[child] ?? end;
        continue;
      }
      const value = tree.next[child] ?? end;
      const path = { before: next.path, step: scalarText(tree, resolve(tree, child)) };
      const counts = tree.repeated.get(child);
      if (counts !== undefined && !found.has(counts))
        found.set(counts, { mapping: node, keyNode: counts, path: stepsOf(path) });
      left.push({ node: value, path });
      child = tree.next[value] ?? end;
    }
  }
}

/** A path as a list from its end: only the paths that are asked for are made. */
interface Path {
  readonly before: Path | undefined;
  readonly step: string | undefined;
}

function pathFrom(steps: readonly string[]): Path {
  let path: Path = { before: undefined, step: undefined };
  for (const step of steps) path = { before: path, step };
  return path;
}

function stepsOf(path: Path): string[] {
  const steps: string[] = [];
  for (let at: Path | undefined = path; at !== undefined; at = at.before)
    if (at.step !== undefined) steps.push(at.step);
  return steps.toReversed();
}

/** A path of keys as results have it: `spec.containers[0].env`. */
export function fieldOf(path: readonly string[]): string {
  return path.join(".").replaceAll(".[", "[");
}

/** True for the keys that say which object it is. */
export function isIdentity(path: readonly string[]): boolean {
  const field = fieldOf(path);
  return ["apiVersion", "kind", "metadata", "metadata.name", "metadata.namespace"].includes(field);
}

/** The error for a key that stands twice where a stamp depends on it. */
export function repeatedKeyError(item: Item, { keyNode, path }: RepeatedKey): RollstampError {
  return new RollstampError("input", `'${fieldOf(path)}' of ${describe(item)} stands twice`, {
    place: placeIn(item, keyNode),
    remedy: "Keep one of the two: kubectl takes the last one, other hosts refuse both or take the first.",
  });
}

/** Throws where a key stands twice in what is no manifest: a configuration means one of the two. */
export function refuseRepeated(tree: YamlTree, node: number): void {
  const keyNode = repeatedKeyIn(tree, node);
  if (keyNode === NONE) return;
  throw new RollstampError("input", `'${scalarText(tree, resolve(tree, keyNode))}' stands twice in one mapping`, {
    place: placeOf(tree, keyNode),
    remedy: "Keep one of the two.",
  });
}
