import { nearest } from "../ground/nearest-name.ts";
import { IGNORE_DOMAIN } from "../ground/keys.ts";
import type { Item } from "../manifest/items.ts";
import { entriesOf, getPath, stringOf } from "../manifest/node.ts";
import { isRuleId, RULE_IDS, type FindingId, type RuleId } from "../findings/catalogue.ts";
import { rowOf, type Finding } from "../findings/finding.ts";
import type { Level } from "../findings/severity.ts";
import { locationOf, resourceRef } from "../results/location.ts";
import type { LintContext } from "./context.ts";
import type { AnyProblem, AnyRule } from "./rule.ts";
import { RULES } from "./rules.ts";

/** The levels that differ from the rules' own. */
export type Levels = ReadonlyMap<RuleId, Level>;

/** The ids of what a lint tells: its rules, what is wrong with annotations that ignore them, files that can't be read. */
export const LINT_IDS: readonly FindingId[] = [...RULE_IDS, "ignore", "unread-manifest"];

/** Every finding of every rule that is not off, in the order of the input. */
export function lint(context: LintContext, levels: Levels = new Map()): Finding[] {
  const rules: readonly AnyRule[] = Object.values(RULES);
  const findings = rules.flatMap((rule) => findingsOf(rule, context, levels.get(rule.id)));
  return inOrder([...findings, ...context.items.flatMap(ignoreFindings)], context.items).map(withDocs);
}

function findingsOf(rule: AnyRule, context: LintContext, level: Level | undefined): Finding[] {
  if (level === "off") return [];
  return rule
    .check(context)
    .filter((problem) => !isIgnored(problem, rule.id))
    .map(({ finding }) => (level === undefined ? finding : { ...finding, ownSeverity: level }));
}

/** Whoever reads results of a lint is told where its rules are explained. */
export function withDocs(finding: Finding): Finding {
  return { ...finding, tags: { docs: rowOf(finding).docs } };
}

function isIgnored(problem: AnyProblem, id: RuleId): boolean {
  return problem.items.some((item) => ignores(item).some((ignore) => ignore.id === id && ignore.reason !== undefined));
}

/** An annotation `ignore.rollstamp.dev/<ID>`. */
interface Ignore {
  readonly id: string;
  /** Undefined where none is given: the annotation doesn't count then. */
  readonly reason: string | undefined;
  readonly node: number;
}

const PREFIX = `${IGNORE_DOMAIN}/`;

// Who writes a switch has not said why.
const NO_REASON = /^(?:true|false|yes|no|on|off|[01])?$/iu;

function ignores(item: Item): Ignore[] {
  const { tree } = item;
  return entriesOf(tree, getPath(tree, item.node, ["metadata", "annotations"]))
    .filter(({ key }) => key.startsWith(PREFIX))
    .map(({ key, valueNode }) => {
      const text = stringOf(tree, valueNode) ?? "";
      return { id: key.slice(PREFIX.length), reason: NO_REASON.test(text.trim()) ? undefined : text, node: valueNode };
    });
}

/** What is wrong with the annotations that ignore rules: an unknown rule, or no reason. */
function ignoreFindings(item: Item): Finding[] {
  return ignores(item).flatMap(({ id, reason, node }): Finding[] => {
    const at = locationOf(item, { node, field: `metadata.annotations[${PREFIX}${id}]` });
    const named = { object: resourceRef(item), rule: id };
    if (!isRuleId(id))
      return [{ id: "ignore", cause: "unknown", params: { ...named, near: nearest(id, RULE_IDS) }, ...at }];
    return reason === undefined ? [{ id: "ignore", cause: "noReason", params: named, ...at }] : [];
  });
}

/** By file in the order of the input, then by place: a person reads them beside the text. */
function inOrder(findings: readonly Finding[], items: readonly Item[]): Finding[] {
  const files = new Map<string, number>();
  for (const { tree } of items) if (!files.has(tree.file)) files.set(tree.file, files.size);
  const rank = (finding: Finding): readonly number[] => [
    files.get(finding.place?.file ?? "") ?? files.size,
    finding.place?.line ?? 0,
    finding.place?.column ?? 0,
  ];
  return findings
    .map((finding) => ({ finding, rank: rank(finding) }))
    .sort((a, b) => compare(a.rank, b.rank))
    .map(({ finding }) => finding);
}

function compare(a: readonly number[], b: readonly number[]): number {
  return a.map((value, i) => value - (b[i] ?? 0)).find((difference) => difference !== 0) ?? 0;
}
