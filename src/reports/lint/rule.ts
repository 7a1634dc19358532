import type { Item } from "../../yaml/read/items.ts";
import { getPath } from "../../yaml/read/node.ts";
import { NONE } from "../../yaml/read/tree.ts";
import type { RuleId } from "../../findings/catalogue/catalogue.ts";
import type { Finding, FindingData } from "../../findings/catalogue/finding.ts";
import { locationOf } from "../../findings/results/location.ts";
import type { LintContext } from "./context.ts";

/** A lint rule: a row of RULES. What its findings say stands in the catalogue, src/findings/catalogue. */
export interface LintRule<Id extends RuleId> {
  readonly id: Id;
  readonly check: (context: LintContext) => readonly Problem<Id>[];
  /** Makes one finding of several that have one cause; each could be ignored by itself. */
  readonly join?: (problems: readonly Problem<Id>[]) => readonly Problem<Id>[];
}

/** A rule, whichever it is. */
export interface AnyRule {
  readonly id: RuleId;
  readonly check: (context: LintContext) => readonly AnyProblem[];
  readonly join?: Join["of"];
}

// Compared both ways, as the parameters of findings are (src/findings/catalogue/row.ts): a rule is given only its own problems.
interface Join {
  of(problems: readonly AnyProblem[]): readonly AnyProblem[];
}

/** What a rule finds. */
export interface Problem<Id extends RuleId> {
  readonly finding: Finding<Id>;
  readonly items: AnyProblem["items"];
}

/** What some rule finds. */
export interface AnyProblem {
  readonly finding: Finding;
  /** The objects whose `ignore.rollstamp.dev/<ID>` counts; the first is the one that it is about. */
  readonly items: readonly [Item, ...Item[]];
}

/** A problem of an object, at one of its nodes. `others` may ignore it as well. */
export function problem<Id extends RuleId>(
  item: Item,
  at: { readonly node: number; readonly field?: string },
  told: FindingData<Id>,
  others: readonly Item[] = [],
): Problem<Id> {
  return { finding: { ...told, ...locationOf(item, at) }, items: [item, ...others] };
}

/** The first of some fields of an object that is written; the object itself where none is. */
export function firstField(item: Item, ...fields: readonly string[]): { node: number; field?: string } {
  for (const field of fields) {
    const node = getPath(item.tree, item.node, field.split("."));
    if (node !== NONE) return { node, field };
  }
  return { node: item.node };
}
