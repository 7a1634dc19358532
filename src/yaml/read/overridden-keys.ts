import { eachMapping, keysOf } from "./each-mapping.ts";
import type { Item } from "./items.ts";
import { entriesOf, get, isMergeKey, itemsOf, kindOf, resolve } from "./node.ts";
import { scalarValue } from "./scalars.ts";
import { NONE, scalarText, type YamlTree } from "./tree.ts";

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
