import type { SourceName } from "../../../base/names.ts";
import type { Item } from "../../../yaml/read/items.ts";
import { resourceRef } from "../../../findings/results/location.ts";
import { problem, type LintRule, type Problem } from "../rule.ts";

/** Content that the pods of a workload see changes, and nothing rolls them out. `plan` finds it with the other changes. */
export const STALE_CONTENT: LintRule<"RS025"> = { id: "RS025", about: "rollout", check: () => [] };

/** A workload whose pods keep old content. */
export interface StaleWorkload {
  readonly sources: readonly SourceName[];
  readonly cause: "forgotten" | "unstamped" | "uncovered" | "optedOut" | "excluded" | "reloads";
  /** The folder of its application, if it is known. */
  readonly path: string | undefined;
}

export function staleProblem(item: Item, { sources, cause, path }: StaleWorkload): Problem<"RS025"> {
  const params = { workload: resourceRef(item), sources, ...(path === undefined ? {} : { path }) };
  return problem(item, { node: item.node }, { id: "RS025", cause, params });
}
