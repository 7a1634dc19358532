import type { Item } from "../../yaml/read/items.ts";
import { fieldOf, mayMerge, overriddenKeys, repeatedKeys } from "../../yaml/read/repeated-keys.ts";
import type { YamlTree } from "../../yaml/read/tree.ts";
import type { Finding } from "../catalogue/finding.ts";
import { locationOf, resourceRef } from "./location.ts";

/** Warns of duplicate keys in a mapping: the last one counts. */
export function repeatedKeyFindings(items: readonly Item[]): Finding[] {
  return items.flatMap((item) =>
    item.tree.repeated.size === 0
      ? []
      : repeatedKeys(item).map(({ keyNode, path }): Finding => {
          const field = fieldOf(path);
          return {
            id: "duplicate-key",
            cause: "duplicate",
            params: { object: resourceRef(item), field },
            ...locationOf(item, { node: keyNode, field }),
          };
        }),
  );
}

/** Warns of keys that a later `<<` overrides in kubectl but not in other tools. */
export function overriddenKeyFindings(items: readonly Item[]): Finding[] {
  const trees = new Map<YamlTree, boolean>();
  return items.flatMap((item) => {
    const { tree } = item;
    if (!trees.has(tree)) trees.set(tree, mayMerge(tree));
    if (trees.get(tree) !== true) return [];
    return overriddenKeys(item).map(({ keyNode, path }): Finding => {
      const field = fieldOf(path);
      return {
        id: "overridden-key",
        cause: "merged",
        params: { object: resourceRef(item), field },
        ...locationOf(item, { node: keyNode, field }),
      };
    });
  });
}
