import type { Item } from "../../../yaml/read/items.ts";
import { get, isTrue } from "../../../yaml/read/node.ts";
import { resourceRef } from "../../../findings/results/location.ts";
import { changedKeys, isUnchanged } from "../../../kubernetes/sources/changed-keys.ts";
import type { Source } from "../../../kubernetes/sources/types.ts";
import { firstField, problem, type LintRule } from "../rule.ts";
import { sourceId } from "../source-id.ts";

/** A ConfigMap or Secret that is immutable in the base, and differs from it: the apply is refused. */
export const IMMUTABLE_SOURCE: LintRule<"RS006"> = {
  id: "RS006",
  check: ({ sources, base }) => {
    if (base === undefined) return [];
    const before = new Map(base.sources.all.filter(isPlain).map((source) => [sourceId(source), source]));
    return sources.all.filter(isPlain).flatMap((source) => {
      const old = before.get(sourceId(source));
      if (old === undefined || !isImmutable(old.item)) return [];
      const keys = changedKeys(base.sources.entries(old), sources.entries(source));
      const named = resourceRef(source.item);
      if (!isUnchanged(keys)) {
        return [
          problem(source.item, firstField(source.item, "data", "stringData", "binaryData"), {
            id: "RS006",
            cause: "content",
            params: { source: named, keys },
          }),
        ];
      }
      if (isImmutable(source.item)) return [];
      return [
        problem(source.item, firstField(source.item, "immutable"), {
          id: "RS006",
          cause: "mutable",
          params: { source: named },
        }),
      ];
    });
  },
};

function isPlain(source: Source): boolean {
  return source.declared === undefined;
}

function isImmutable(item: Item): boolean {
  return isTrue(item.tree, get(item.tree, item.node, "immutable"));
}
