import type { KeyChanges } from "../../../base/names.ts";
import type { Item } from "../../../yaml/read/items.ts";
import { get, isTrue } from "../../../yaml/read/node.ts";
import { resourceRef } from "../../../findings/results/location.ts";
import { changedKeys, isUnchanged } from "../../../kubernetes/sources/changed-keys.ts";
import type { Source } from "../../../kubernetes/sources/types.ts";
import { firstField, problem, type LintRule, type Problem } from "../rule.ts";
import { sourceId, type LintContext } from "../context.ts";
import { onceFor } from "../../../base/grouped.ts";
import type { Sighting } from "../../../stamping/stamps/sightings.ts";

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

/** A source whose change rolls out more than a share of all workloads. */
export const MASS_ROLLOUT: LintRule<"RS017"> = {
  id: "RS017",
  about: "rollout",
  check: (context) => {
    const { base, workloads } = context;
    if (base === undefined || workloads.length <= MOST_WORKLOADS) return [];
    const changes = changedSources(context, base.sources);
    if (changes.size === 0) return [];
    const rolls = new Map<Source, number>();
    for (const { rollout, templates } of workloads) {
      if (rollout.effect !== "Roll") continue;
      for (const source of new Set(
        templates.flatMap(({ desired }) =>
          (desired?.sightings ?? []).flatMap((seen) => rolledBy(seen, context, changes)),
        ),
      )) {
        rolls.set(source, (rolls.get(source) ?? 0) + 1);
      }
    }
    return massProblems(rolls, workloads.length);
  },
};

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

function changedSources({ sources }: LintContext, before: LintContext["sources"]): ReadonlyMap<Source, KeyChanges> {
  const known = new Map(before.all.map((source) => [sourceId(source), source]));
  const changed = new Map<Source, KeyChanges>();
  for (const source of sources.all) {
    const old = known.get(sourceId(source));
    if (old === undefined) continue;
    const keys = changedKeys(before.entries(old), sources.entries(source));
    if (!isUnchanged(keys)) changed.set(source, keys);
  }
  return changed;
}

/** The source of a sighting, if a visible key has changed. */
function rolledBy(
  { source, keys }: Sighting,
  { spec }: LintContext,
  changes: ReadonlyMap<Source, KeyChanges>,
): Source[] {
  const changed = source === undefined ? undefined : changes.get(source);
  if (source === undefined || changed === undefined) return [];
  if (spec.granularity === "Object" || keys === "*" || source.declared !== undefined) return [source];
  return isAnyOf(changed, keys) ? [source] : [];
}

/** Whether any of the keys has changed. Iterates over the smaller set: many workloads may each see few of many keys. */
function isAnyOf(changed: KeyChanges, keys: ReadonlySet<string>): boolean {
  const all = allOf(changed);
  const [fewer, more] = all.size < keys.size ? [all, keys] : [keys, all];
  for (const key of fewer) if (more.has(key)) return true;
  return false;
}

const allOf = onceFor(
  ({ added, removed, changed }: KeyChanges): ReadonlySet<string> => new Set([...added, ...removed, ...changed]),
);
