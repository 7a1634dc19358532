import { objectKey } from "../../base/identity.ts";
import type { Finding } from "../../findings/catalogue/finding.ts";
import { findingsAt, type Levels } from "../lint/lint.ts";
import { massProblems } from "../lint/rules/changed-sources.ts";
import { once } from "../../base/grouped.ts";
import type { Item } from "../../yaml/read/items.ts";
import type { Source } from "../../kubernetes/sources/types.ts";
import type { PlannedWorkload } from "./planned-workload.ts";

/** The rows of one part of a plan, with the sources that its workloads see. */
export interface MassPart {
  readonly planned: readonly PlannedWorkload[];
  readonly sources: readonly Source[];
}

/**
 * RS017 for all rollouts of a plan. Parts may each have a source of the same name: only a source that is one object rolls
 * workloads of several parts, and is counted among all of theirs.
 */
export function massRollouts(parts: readonly MassPart[], configured: Levels): Finding[] {
  const elsewhere = once(() => byKey(parts.flatMap(({ sources }) => sources)));
  const found = new Map<Item, { readonly source: Source; rolls: number; workloads: number }>();
  for (const { planned, sources } of parts) {
    const rolls = rollsByKey(planned);
    if (rolls.size === 0) continue;
    const ofPart = byKey(sources);
    const workloads = planned.filter(({ action }) => action !== "Delete").length;
    for (const [key, count] of rolls) {
      const source = ofPart.get(key) ?? elsewhere().get(key);
      if (source === undefined) continue;
      const known = found.get(source.item) ?? { source, rolls: 0, workloads: 0 };
      found.set(source.item, known);
      known.rolls += count;
      known.workloads += workloads;
    }
  }
  const problems = [...found.values()].flatMap(({ source, rolls, workloads }) =>
    massProblems(new Map([[source, rolls]]), workloads),
  );
  return findingsAt(problems, "RS017", configured.get("RS017"));
}

/** Sources by the object that they provide. If several provide it, the first one counts. */
function byKey(sources: readonly Source[]): ReadonlyMap<string, Source> {
  return new Map(sources.toReversed().map((source) => [objectKey(source.provides), source]));
}

/** How many workloads each source rolls. */
function rollsByKey(planned: readonly PlannedWorkload[]): Map<string, number> {
  const rolls = new Map<string, number>();
  for (const { action, reasons } of planned) {
    if (action !== "Roll") continue;
    const keys = reasons.flatMap((reason) => (reason.type === "Source" ? [objectKey(reason.source)] : []));
    for (const key of new Set(keys)) rolls.set(key, (rolls.get(key) ?? 0) + 1);
  }
  return rolls;
}
