import type { RolloutLintValue } from "../ground/rollout-lint-options.ts";
import { nearest } from "../config/validate.ts";
import { IGNORE_DOMAIN } from "../ground/keys.ts";
import { describe, type Item } from "../manifest/items.ts";
import { entriesOf, getPath, stringOf } from "../manifest/node.ts";
import type { Finding } from "../results/findings.ts";
import { locationOf } from "../results/location.ts";
import type { LintContext } from "./context.ts";
import { docsOf, RULE_IDS, type LintRule, type Problem, type RuleId } from "./rule.ts";
import { RULES } from "./rules.ts";

/** How severe a rule's findings are to be; "off" silences it. */
export type Level = RolloutLintValue<"level">;

/** The levels that differ from the rules' own. */
export type Levels = ReadonlyMap<RuleId, Level>;

/** Every finding of every rule that is not off, in the order of the input. */
export function lint(context: LintContext, levels: Levels = new Map()): Finding[] {
  const findings = RULES.flatMap((rule) => findingsOf(rule, context, levels.get(rule.id)));
  return inOrder([...findings, ...context.items.flatMap(ignoreFindings)], context.items);
}

function findingsOf(rule: LintRule, context: LintContext, level: Level | undefined): Finding[] {
  if (level === "off") return [];
  return rule
    .check(context)
    .filter((problem) => !isIgnored(problem, rule.id))
    .map(({ finding, severity }) => ({
      ...finding,
      rule: rule.id,
      severity: level ?? severity ?? rule.severity,
      remedy: rule.remedy,
      tags: { ...finding.tags, docs: docsOf(rule.id) },
    }));
}

function isIgnored(problem: Problem, id: RuleId): boolean {
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
    if (!isRuleId(id)) {
      const near = nearest(id, RULE_IDS);
      const message = `${describe(item)} ignores the rule '${id}', which there is not`;
      const remedy = near === undefined ? "Name a rule: RS001 and on." : `Did you mean ${near}?`;
      return [{ rule: IGNORE, severity: "warning", message, remedy, ...at }];
    }
    if (reason !== undefined) return [];
    const message = `${describe(item)} ignores ${id} without a reason, so it is not ignored`;
    return [{ rule: IGNORE, severity: "warning", message, remedy: "Write why, as the annotation's value.", ...at }];
  });
}

/** The name under which the lint tells of its own annotations. */
const IGNORE = "ignore";

/** True for the id of a rule. */
export function isRuleId(id: string): id is RuleId {
  return RULE_IDS.some((known) => known === id);
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
