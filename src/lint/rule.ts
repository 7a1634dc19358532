import type { Item } from "../manifest/items.ts";
import { getPath } from "../manifest/node.ts";
import { NONE } from "../manifest/tree.ts";
import type { Finding, Severity } from "../results/findings.ts";
import { locationOf } from "../results/location.ts";
import type { LintContext } from "./context.ts";

/** The ids of the rules, in their order. They are never used anew for something else. */
export const RULE_IDS = [
  "RS001",
  "RS002",
  "RS003",
  "RS004",
  "RS005",
  "RS006",
  "RS007",
  "RS008",
  "RS009",
  "RS010",
  "RS011",
  "RS012",
  "RS013",
] as const;

export type RuleId = (typeof RULE_IDS)[number];

/** A lint rule: a row of RULES. */
export interface LintRule {
  readonly id: RuleId;
  /** Its severity where the configuration gives none. */
  readonly severity: Severity;
  /** What it finds, in a few words. */
  readonly title: string;
  /** What to do about it. */
  readonly remedy: string;
  readonly check: (context: LintContext) => readonly Problem[];
}

/** What a rule finds: the rule's id, severity and remedy are added to it. */
export interface Problem {
  readonly finding: Omit<Finding, "rule" | "severity" | "remedy">;
  /** Where this case weighs less than the rule's own severity. */
  readonly severity?: Severity;
  /** The objects whose `ignore.rollstamp.dev/<ID>` counts; the first is the one that it is about. */
  readonly items: readonly [Item, ...Item[]];
}

/** A problem of an object, at one of its nodes. `others` may ignore it as well. */
export function problem(
  item: Item,
  at: { readonly node: number; readonly field?: string },
  message: string,
  more: {
    readonly others?: readonly Item[];
    readonly severity?: Severity;
    readonly tags?: Readonly<Record<string, string>>;
  } = {},
): Problem {
  return {
    finding: { message, ...locationOf(item, at), ...(more.tags === undefined ? {} : { tags: more.tags }) },
    ...(more.severity === undefined ? {} : { severity: more.severity }),
    items: [item, ...(more.others ?? [])],
  };
}

/** The first of some fields of an object that is written; the object itself where none is. */
export function firstField(item: Item, ...fields: readonly string[]): { node: number; field?: string } {
  for (const field of fields) {
    const node = getPath(item.tree, item.node, field.split("."));
    if (node !== NONE) return { node, field };
  }
  return { node: item.node };
}

/** Where a rule is documented, in the repository and in the package. */
export function docsOf(id: RuleId): string {
  return `docs/rules/${id}.md`;
}
