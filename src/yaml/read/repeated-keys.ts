import { RollstampError } from "../../base/errors.ts";
import { eachMapping, keysOf } from "./each-mapping.ts";
import { describe, placeIn, placeOf, type Item } from "./items.ts";
import { resolve, entriesOf, get, isMergeKey, itemsOf, kindOf } from "./node.ts";
import { scalarValue } from "./scalars.ts";
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
  if (tree.repeated.size > 0) collect(tree, resolve(tree, node), [], found);
  return [...found.values()].sort((a, b) => a.keyNode - b.keyNode);
}

/** Whether a key stands twice anywhere in a node; the key that counts, or NONE. */
function repeatedKeyIn(tree: YamlTree, node: number): number {
  if (tree.repeated.size === 0 || node === NONE) return NONE;
  const found = new Map<number, RepeatedKey>();
  collect(tree, resolve(tree, node), [], found);
  return [...found.keys()][0] ?? NONE;
}

/** Each aliased node is gone over once. */
function collect(tree: YamlTree, root: number, rootPath: readonly string[], found: Map<number, RepeatedKey>): void {
  eachMapping(tree, root, rootPath, (mapping, path) => {
    for (const keyNode of keysOf(tree, mapping)) {
      const counts = tree.repeated.get(keyNode);
      if (counts !== undefined && !found.has(counts))
        found.set(counts, { mapping, keyNode: counts, path: [...path(), scalarText(tree, resolve(tree, keyNode))] });
    }
  });
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

// A mapping's own keys count before those that `<<` brings, in whatever order they stand: so YAML 1.1's own text of
// it has it, and kustomize. kubectl and Helm take the keys one after another (go-yaml v2, decode.go): a `<<`
// overrides what stands before it.

/** A key whose value `<<` overrides to kubectl. */
export interface OverriddenKey {
  readonly mapping: number;
  readonly keyNode: number;
  readonly path: readonly string[];
}

/** True for a text that may have a `<<` as a key. */
export function mayMerge({ text }: YamlTree): boolean {
  return text.includes("<<") && /<<["']?[ \t]*:/u.test(text);
}

/** The keys of an object that a `<<` behind them overrides to kubectl, and to nobody else. */
export function overriddenKeys({ tree, node }: Item): OverriddenKey[] {
  const found: OverriddenKey[] = [];
  eachMapping(tree, resolve(tree, node), [], (mapping, path) => {
    const keys = keysOf(tree, mapping);
    const merge = keys.findLastIndex((key) => isMergeKey(tree, key));
    const mergedValue = merge > 0 ? valuesMerged(tree, tree.next[keys[merge] ?? NONE] ?? NONE) : () => NONE;
    for (const keyNode of keys.slice(0, Math.max(merge, 0))) {
      if (isMergeKey(tree, keyNode)) continue;
      const key = scalarText(tree, resolve(tree, keyNode));
      const merged = mergedValue(key);
      if (merged !== NONE && !isSame(tree, merged, tree.next[keyNode] ?? NONE))
        found.push({ mapping, keyNode, path: [...path(), key] });
    }
  });
  return found.sort((a, b) => a.keyNode - b.keyNode);
}

/** What a `<<` brings for a key, NONE for nothing: of several mappings the first that has it. */
function valuesMerged(tree: YamlTree, value: number): (key: string) => number {
  if (kindOf(tree, value) !== "sequence") return (key) => get(tree, value, key);
  // Each of many keys would ask each of many mappings.
  const first = new Map<string, number>();
  for (const source of itemsOf(tree, value)) {
    for (const { key, valueNode } of entriesOf(tree, source)) if (!first.has(key)) first.set(key, valueNode);
  }
  return (key) => first.get(key) ?? NONE;
}

function isSame(tree: YamlTree, a: number, b: number): boolean {
  const [one, other] = [resolve(tree, a), resolve(tree, b)];
  if (one === other) return true;
  const kind = kindOf(tree, one);
  if (kind === "mapping" || kind === "sequence" || kind !== kindOf(tree, other)) return false;
  return scalarValue(tree, one) === scalarValue(tree, other);
}
