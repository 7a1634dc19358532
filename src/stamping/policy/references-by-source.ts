import { objectKey } from "../../base/identity.ts";
import { groupedBy } from "../../base/grouped.ts";
import { reloaderOf } from "../../kubernetes/workloads/reloaders.ts";
import type { Reference } from "../../kubernetes/workloads/types.ts";
import type { Counted, TemplateDecision } from "./types.ts";

/** Leaves out the sources that a known reloader container watches: the pods get changes without a restart. */
export function withoutReloaded(decision: TemplateDecision): TemplateDecision {
  const groups = groupedBy(decision.counted, ({ reference }) => objectKey(reference));
  const reloaded = new Map<Counted, string>();
  for (const group of groups.values()) {
    // Without the source, the pods do not start: this must be reported.
    if (group.some(({ source }) => source === undefined)) continue;
    const reloader = reloaderOf(
      decision.template,
      group.map(({ reference }) => reference),
    );
    if (reloader === undefined) continue;
    for (const counted of group) reloaded.set(counted, reloader.name);
  }
  if (reloaded.size === 0) return decision;
  return {
    ...decision,
    counted: decision.counted.filter((one) => !reloaded.has(one)),
    leftOut: [
      ...decision.leftOut,
      ...[...reloaded].map(([counted, reloader]) => ({
        ...counted,
        rule: `reloads: Skip (container ${reloader} reloads it)`,
        reloader,
      })),
    ],
  };
}

/** Smaller sets are not counted: only thousands of mounts of one volume exceed this. */
const FEW = 100;

/**
 * The number of keys that are copied when the uses of one source are joined (keysOfAll). A volume with many sources
 * shows the keys of all its mounts for each of them. Equal sets of other sources are copied once.
 */
export function joinedKeys(references: readonly Reference[]): number {
  if (!references.some(({ keys }) => keys !== "*" && keys.size > FEW)) return 0;
  const groups = groupedBy(references, (reference) => objectKey(reference));
  const ids = new Map<Reference["keys"], number>();
  const joined = new Set<string>();
  let copied = 0;
  for (const alike of groups.values()) {
    const sets = new Set(alike.map(({ keys }) => keys));
    if (sets.size < 2 || sets.has("*")) continue;
    const id = [...sets].map((keys) => idOf(ids, keys)).join();
    if (joined.has(id)) continue;
    joined.add(id);
    for (const keys of sets) copied += keys === "*" ? 0 : keys.size;
  }
  return copied;
}

function idOf(ids: Map<Reference["keys"], number>, keys: Reference["keys"]): number {
  let id = ids.get(keys);
  if (id === undefined) ids.set(keys, (id = ids.size));
  return id;
}
