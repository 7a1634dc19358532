import type { Item } from "../../../yaml/read/items.ts";
import { get, isTrue } from "../../../yaml/read/node.ts";
import { resourceRef } from "../../../findings/results/location.ts";
import { changedKeys, isUnchanged } from "../../../kubernetes/sources/changed-keys.ts";
import type { Source } from "../../../kubernetes/sources/types.ts";
import { firstField, problem, type LintRule, type Problem } from "../rule.ts";
import { sourceId } from "../context.ts";

/** A ConfigMap or Secret that is immutable in the base and changes: the apply is refused. */
export const IMMUTABLE_SOURCE: LintRule<"RS006"> = {
  id: "RS006",
  about: "rollout",
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

/** A source whose change rolls out more than a share of all workloads. `plan` counts the rollouts (massRollouts). */
export const MASS_ROLLOUT: LintRule<"RS017"> = { id: "RS017", about: "rollout", check: () => [] };

/** The sources that roll out too many workloads. `rolls` is the number of workloads for each source. */
export function massProblems(rolls: ReadonlyMap<Source, number>, workloads: number): Problem<"RS017">[] {
  return [...rolls]
    .filter(([, count]) => count > MOST_WORKLOADS && count > workloads * LARGEST_SHARE)
    .map(([{ item }, count]) =>
      problem(item, firstField(item, "data", "stringData", "spec"), {
        id: "RS017",
        cause: "largeShare",
        params: { source: resourceRef(item), rolls: count, workloads },
      }),
    );
}

// At or below one of these limits, it is an ordinary rollout.
const MOST_WORKLOADS = 10;
const LARGEST_SHARE = 0.2;
