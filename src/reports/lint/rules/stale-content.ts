import type { SourceName } from "../../../base/names.ts";
import type { Item } from "../../../yaml/read/items.ts";
import { resourceRef } from "../../../findings/results/location.ts";
import { problem, type LintRule, type Problem } from "../rule.ts";

/** Content that the pods of a workload see changes, and nothing rolls them out. `plan` finds it with the other changes. */
export const STALE_CONTENT: LintRule<"RS025"> = { id: "RS025", about: "rollout", check: () => [] };

export type StaleWorkload = {
  readonly sources: readonly SourceName[];
  /** The folder of its application, if it is known. */
  readonly path: string | undefined;
} & (
  | { readonly cause: "forgotten" | "unstamped" | "uncovered" | "optedOut" | "excluded" | "reloads" }
  | { readonly cause: "watched"; readonly writer: string }
);

export function staleProblem(item: Item, given: StaleWorkload): Problem<"RS025"> {
  const { sources, path } = given;
  const params = { workload: resourceRef(item), sources, ...(path === undefined ? {} : { path }) };
  const place = { node: item.node };
  return given.cause === "watched"
    ? problem(item, place, { id: "RS025", cause: given.cause, params: { ...params, writer: given.writer } })
    : problem(item, place, { id: "RS025", cause: given.cause, params });
}
