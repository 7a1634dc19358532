import type { Item } from "../../yaml/read/items.ts";
import { getPath } from "../../yaml/read/node.ts";
import { NONE } from "../../yaml/read/tree.ts";
import type { RuleId } from "../../findings/catalogue/catalogue.ts";
import type { Finding, FindingData } from "../../findings/catalogue/finding.ts";
import type { Effect } from "../../kubernetes/rollout/rollout-types.ts";
import { locationOf } from "../../findings/results/location.ts";
import type { LintContext } from "./context.ts";

/** A lint rule: a row of RULES. The texts of its findings are in the catalogue, src/findings/catalogue. */
export interface LintRule<Id extends RuleId> extends RuleFacts {
  readonly id: Id;
  readonly check: (context: LintContext) => readonly Problem<Id>[];
  /** Joins problems of the same cause into one finding. It runs after ignored problems are dropped. */
  readonly join?: (problems: readonly Problem<Id>[]) => readonly Problem<Id>[];
}

interface RuleFacts {
  /**
   * A state that the manifests are in, and that may be older than a change; or a rollout, which is always part of the
   * change (contract, section 2, RolloutLint).
   */
  readonly about: "state" | "rollout";
  /** A plan checks this rule for the workloads whose change has this effect; undefined: for all of them, or for none. */
  readonly effect?: Effect;
}

export interface AnyRule extends RuleFacts {
  readonly id: RuleId;
  readonly check: (context: LintContext) => readonly AnyProblem[];
  readonly join?: Join["of"];
}

// The parameters of a method are compared in both directions. A rule receives only its own problems.
interface Join {
  of(problems: readonly AnyProblem[]): readonly AnyProblem[];
}

export interface Problem<Id extends RuleId> {
  readonly finding: Finding<Id>;
  readonly items: AnyProblem["items"];
}

export interface AnyProblem {
  readonly finding: Finding;
  /** The objects whose `ignore.rollstamp.dev/<ID>` counts. The finding is about the first one. */
  readonly items: readonly [Item, ...Item[]];
}

/** A problem of an object, at one of its nodes. The annotations of `others` can ignore it too. */
export function problem<Id extends RuleId>(
  item: Item,
  at: { readonly node: number; readonly field?: string },
  data: FindingData<Id>,
  others: readonly Item[] = [],
): Problem<Id> {
  return { finding: { ...data, ...locationOf(item, at) }, items: [item, ...others] };
}

/** The first field that the object sets; the object itself if it sets none. */
export function firstField(item: Item, ...fields: readonly string[]): { node: number; field?: string } {
  for (const field of fields) {
    const node = getPath(item.tree, item.node, field.split("."));
    if (node !== NONE) return { node, field };
  }
  return { node: item.node };
}
