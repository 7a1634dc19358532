import { resourceRef } from "../../results/location.ts";
import { changedKeys, isUnchanged } from "../../sources/changed-keys.ts";
import type { SourceIndex } from "../../sources/source-index.ts";
import type { Source } from "../../sources/types.ts";
import { firstField, problem, type LintRule, type Problem } from "../rule.ts";
import { sourceId } from "../source-id.ts";

/** A source that is another one at each rendering: its workloads would roll each time. */
export const UNSTABLE_SOURCE: LintRule<"RS013"> = {
  id: "RS013",
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

function differing(source: Source, sources: SourceIndex, other: Source, again: SourceIndex): Problem<"RS013">[] {
  const keys = changedKeys(sources.entries(source), again.entries(other));
  if (isUnchanged(keys)) return [];
  const at = firstField(source.item, "data", "stringData", "binaryData", "spec");
  const params = { source: resourceRef(source.item), keys };
  return [problem(source.item, at, { id: "RS013", cause: "differs", params })];
}

/** A name that is made at random, or from random content, as kustomize's suffix is. */
function onlyOnce(source: Source): Problem<"RS013"> {
  const { item } = source;
  return problem(item, firstField(item, "metadata.name"), {
    id: "RS013",
    cause: "once",
    params: { source: resourceRef(item) },
  });
}
