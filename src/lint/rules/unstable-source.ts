import { describe } from "../../manifest/items.ts";
import { changedKeys, isUnchanged } from "../../sources/changed-keys.ts";
import type { SourceIndex } from "../../sources/source-index.ts";
import type { Source } from "../../sources/types.ts";
import { firstField, problem, type LintRule, type Problem } from "../rule.ts";
import { changesInWords, sourceId } from "../sources-in-words.ts";

/** A source that is another one at each rendering: its workloads would roll each time. */
export const UNSTABLE_SOURCE: LintRule = {
  id: "RS013",
  severity: "warning",
  title: "A source that differs between two renderings of one revision",
  remedy:
    "Use a Secret that exists already, or pin the value; else leave the source out of the stamps with rollstamp.dev/exclude.",
  check: ({ sources, again }) => {
    if (again === undefined) return [];
    const second = new Map(again.all.map((source) => [sourceId(source), source]));
    const first = new Set(sources.all.map(sourceId));
    return [
      ...sources.all.flatMap((source) => {
        const other = second.get(sourceId(source));
        return other === undefined ? [onlyOnce(source)] : differing(source, sources, other, again);
      }),
      ...again.all.filter((source) => !first.has(sourceId(source))).map(onlyOnce),
    ];
  },
};

function differing(source: Source, sources: SourceIndex, other: Source, again: SourceIndex): Problem[] {
  const keys = changedKeys(sources.entries(source), again.entries(other));
  if (isUnchanged(keys)) return [];
  const at = firstField(source.item, "data", "stringData", "binaryData", "spec");
  return [problem(source.item, at, `${describe(source.item)} differs between two renderings: ${changesInWords(keys)}`)];
}

/** A name that is made at random, or from random content, as kustomize's suffix is. */
function onlyOnce(source: Source): Problem {
  return problem(
    source.item,
    firstField(source.item, "metadata.name"),
    `${describe(source.item)} is in only one of two renderings`,
  );
}
