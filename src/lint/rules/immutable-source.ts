import { describe, type Item } from "../../manifest/items.ts";
import { get, isTrue } from "../../manifest/node.ts";
import { changedKeys, isUnchanged } from "../../sources/changed-keys.ts";
import type { Source } from "../../sources/types.ts";
import { firstField, problem, type LintRule } from "../rule.ts";
import { changesInWords, sourceId } from "../sources-in-words.ts";

/** A ConfigMap or Secret that is immutable in the base, and differs from it: the apply is refused. */
export const IMMUTABLE_SOURCE: LintRule = {
  id: "RS006",
  severity: "error",
  title: "An immutable source whose content changed",
  remedy: "Give the changed object a new name, and let the workloads name it; or delete the old one first.",
  check: ({ sources, base }) => {
    if (base === undefined) return [];
    const before = new Map(base.all.filter(isPlain).map((source) => [sourceId(source), source]));
    return sources.all.filter(isPlain).flatMap((source) => {
      const old = before.get(sourceId(source));
      if (old === undefined || !isImmutable(old.item)) return [];
      const keys = changedKeys(base.entries(old), sources.entries(source));
      const subject = `${describe(source.item)} is immutable`;
      if (!isUnchanged(keys)) {
        return [
          problem(
            source.item,
            firstField(source.item, "data", "stringData", "binaryData"),
            `${subject}, and its content changes: ${changesInWords(keys)}`,
          ),
        ];
      }
      if (isImmutable(source.item)) return [];
      return [problem(source.item, firstField(source.item, "immutable"), `${subject}, and can't become mutable again`)];
    });
  },
};

function isPlain(source: Source): boolean {
  return source.declared === undefined;
}

function isImmutable(item: Item): boolean {
  return isTrue(item.tree, get(item.tree, item.node, "immutable"));
}
