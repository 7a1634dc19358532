import { RollstampError } from "../../base/errors.ts";
import { eachMapping, keysOf } from "./each-mapping.ts";
import { describe, placeIn, placeOf, type Item } from "./items.ts";
import { resolve, entriesOf, get, isMergeKey, itemsOf, kindOf } from "./node.ts";
import { scalarValue } from "./scalars.ts";
import { NONE, scalarText, type YamlTree } from "./tree.ts";

// If a key is duplicated, kubectl and Helm use the last one (sigs.k8s.io/yaml), kustomize uses the first one in some
// places and the last one in others. Duplicates are reported, and rejected if a stamp depends on them.

export interface RepeatedKey {
  readonly mapping: number;
  /** The key that counts, which is the last one. */
  readonly keyNode: number;
  /** The path of the key in the object. An element of a list is its index in brackets. */
  readonly path: readonly string[];
}

/** The duplicate keys in an object and in the nodes that it aliases. */
export function repeatedKeys(item: Item): RepeatedKey[] {
  const { tree, node } = item;
  const found = new Map<number, RepeatedKey>();
  if (tree.repeated.size > 0) collect(tree, resolve(tree, node), [], found);
  return [...found.values()].sort((a, b) => a.keyNode - b.keyNode).map((one) => withoutValues(item, one));
}

/** Without keys in a value of a Secret: a password in braces without quotes is a mapping. */
function withoutValues<T extends { readonly path: readonly string[] }>({ kind }: Item, found: T): T {
  const isInValue = kind === "Secret" && found.path[0] !== "metadata";
  return isInValue ? { ...found, path: found.path.slice(0, 2) } : found;
}

/** Finds a duplicate key in a node; the key that counts, or NONE. */
function repeatedKeyIn(tree: YamlTree, node: number): number {
  if (tree.repeated.size === 0 || node === NONE) return NONE;
  const found = new Map<number, RepeatedKey>();
  collect(tree, resolve(tree, node), [], found);
  return [...found.keys()][0] ?? NONE;
}

/** Each aliased node is searched once. */
function collect(tree: YamlTree, root: number, rootPath: readonly string[], found: Map<number, RepeatedKey>): void {
  eachMapping(tree, root, rootPath, (mapping, path) => {
    for (const keyNode of keysOf(tree, mapping)) {
      const counts = tree.repeated.get(keyNode);
      if (counts !== undefined && !found.has(counts))
        found.set(counts, { mapping, keyNode: counts, path: [...path(), scalarText(tree, resolve(tree, keyNode))] });
    }
  });
}

/** A path of keys as in results: `spec.containers[0].env`. */
export function fieldOf(path: readonly string[]): string {
  return path.join(".").replaceAll(".[", "[");
}

/** True for the keys that identify the object. */
export function isIdentity(path: readonly string[]): boolean {
  const field = fieldOf(path);
  return ["apiVersion", "kind", "metadata", "metadata.name", "metadata.namespace"].includes(field);
}

/** The error for a duplicate key on which a stamp depends. */
export function repeatedKeyError(item: Item, { keyNode, path }: RepeatedKey): RollstampError {
  return new RollstampError("input", `'${fieldOf(path)}' of ${describe(item)} is duplicated`, {
    place: placeIn(item, keyNode),
    remedy: "Keep one of the two: kubectl uses the last one, other hosts reject both or use the first.",
  });
}

/** Throws if a configuration contains a duplicate key: only one of the two can be intended. */
export function refuseRepeated(tree: YamlTree, node: number): void {
  const keyNode = repeatedKeyIn(tree, node);
  if (keyNode === NONE) return;
  throw new RollstampError("input", `'${scalarText(tree, resolve(tree, keyNode))}' is duplicated in this mapping`, {
    place: placeOf(tree, keyNode),
    remedy: "Keep one of the two.",
  });
}

// A mapping's own keys take precedence over those of `<<`, in any order: YAML 1.1 defines it like this, and kustomize
// follows it. kubectl and Helm read keys in order (go-yaml v2, decode.go): a `<<` overrides the keys before it.

/** True if the text may contain a `<<` key. */
export function mayMerge({ text }: YamlTree): boolean {
  return text.includes("<<") && /<<["']?[ \t]*:/u.test(text);
}

/** The keys of an object that a later `<<` overrides for kubectl only. */
export function overriddenKeys(item: Item): RepeatedKey[] {
  const { tree, node } = item;
  const found: RepeatedKey[] = [];
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
  return found.sort((a, b) => a.keyNode - b.keyNode).map((one) => withoutValues(item, one));
}

/** The value of a key in a `<<`, NONE if it has none: of several mappings, the first one with the key. */
function valuesMerged(tree: YamlTree, value: number): (key: string) => number {
  if (kindOf(tree, value) !== "sequence") return (key) => get(tree, value, key);
  // Cached: each of many keys looks into each of many mappings.
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
