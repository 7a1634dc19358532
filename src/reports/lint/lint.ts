import { onceFor } from "../../base/grouped.ts";
import { docsOf, isRuleId, type RuleId, RULE_IDS, type FindingId } from "../../findings/catalogue/catalogue.ts";
import { LEVELS, type Level, type Severity } from "../../findings/catalogue/severity.ts";
import {
  ROLLOUT_LINT_DEFAULT_OPTIONS,
  ROLLOUT_LINT_VALUES,
  type RolloutLintValue,
} from "../../base/rollout-lint-options.ts";
import type { Json } from "../../yaml/read/node.ts";
import { readConfigHash, type ConfigHashSpec } from "../../stamping/function/config-hash.ts";
import { fieldsOf, oneOf } from "../../yaml/read/json.ts";
import { nearest } from "../../base/nearest-name.ts";
import type { Item } from "../../yaml/read/items.ts";
import { capped } from "../../findings/catalogue/cap.ts";
import type { Finding } from "../../findings/catalogue/finding.ts";
import { locationOf, resourceRef } from "../../findings/results/location.ts";
import type { LintContext } from "./context.ts";
import { IGNORE_PREFIX, ignores } from "../../findings/results/ignores.ts";
import type { AnyProblem, AnyRule } from "./rule.ts";
import { unknownAnnotations } from "../../stamping/policy/unknown-annotations.ts";
import { RULES } from "./rules.ts";

/** The options of RolloutLint: contract, section 2. */
export interface RolloutLintSpec {
  readonly levels: Levels;
  readonly output: RolloutLintValue<"output">;
  /** The options for making stamps; undefined if the configuration sets none. */
  readonly configHash: ConfigHashSpec | undefined;
}

/** Reads a configuration that matches the schema. */
export function readRolloutLint(config: Json): RolloutLintSpec {
  const spec = fieldsOf(fieldsOf(config)["spec"]);
  const levels = new Map<RuleId, Level>();
  for (const [id, level] of Object.entries(fieldsOf(spec["rules"]))) {
    const known = LEVELS.find((candidate) => candidate === level);
    if (isRuleId(id) && known !== undefined) levels.set(id, known);
  }
  const configHash = spec["configHash"];
  return {
    levels,
    output: oneOf(spec["output"], ROLLOUT_LINT_VALUES.output, ROLLOUT_LINT_DEFAULT_OPTIONS.output),
    configHash: configHash === undefined ? undefined : readConfigHash({ spec: configHash }),
  };
}

/** Levels that replace the default severities of rules. */
export type Levels = ReadonlyMap<RuleId, Level>;

/** The ids of all findings of lint: its rules, invalid ignore annotations, and files that cannot be read. */
export const LINT_IDS: readonly FindingId[] = [
  ...RULE_IDS,
  "invalid-ignore",
  "unknown-annotation",
  "duplicate-object",
  "unreadable-manifest",
  "unrendered-application",
  "ambiguous-source",
];

/**
 * All findings of all rules that are not off, in the order of the input. Those that an object ignores are dropped, except of
 * the rules of `accepted`: they get the reason.
 */
export function lint(
  context: LintContext,
  levels: Levels = new Map(),
  accepted: ReadonlySet<RuleId> = new Set(),
): Finding[] {
  const rules: readonly AnyRule[] = Object.values(RULES);
  const reasons = rememberedIgnores();
  const findings = rules.flatMap((rule) =>
    findingsOf(rule, context, { level: levels.get(rule.id), reasons, isAccepted: accepted.has(rule.id) }),
  );
  const { items } = context;
  const unknown = unknownAnnotations(
    items,
    context.workloads.map(({ workload }) => workload),
  );
  return capped(inOrder([...findings, ...items.flatMap(ignoreFindings), ...unknown], items)).map(withDocs);
}

interface FindingOptions {
  readonly level: Level | undefined;
  readonly reasons: Reasons;
  /** Whether ignored problems are findings too. */
  readonly isAccepted: boolean;
}

function findingsOf(rule: AnyRule, context: LintContext, { level, reasons, isAccepted }: FindingOptions): Finding[] {
  if (level === "off") return [];
  const { left, ignored } = withoutIgnored(rule.check(context), rule.id, reasons);
  const joined = rule.join === undefined ? left : rule.join(left);
  return atLevel(isAccepted ? [...joined, ...ignored] : joined, level);
}

/** The findings for problems that no object ignores, with the configured level. For callers without a context. */
export function findingsAt(problems: readonly AnyProblem[], id: RuleId, level: Level | undefined): Finding[] {
  return level === "off" ? [] : atLevel(withoutIgnored(problems, id, rememberedIgnores()).left, level);
}

/** The same, with those that an object ignores: they have its reason. */
export function acceptedFindingsAt(problems: readonly AnyProblem[], id: RuleId, level: Level | undefined): Finding[] {
  if (level === "off") return [];
  const { left, ignored } = withoutIgnored(problems, id, rememberedIgnores());
  return atLevel([...left, ...ignored], level);
}

interface Divided {
  readonly left: readonly AnyProblem[];
  /** With the reasons of the objects that ignore them. */
  readonly ignored: readonly AnyProblem[];
}

function withoutIgnored(problems: readonly AnyProblem[], id: RuleId, reasons: Reasons): Divided {
  const left: AnyProblem[] = [];
  const ignored: AnyProblem[] = [];
  for (const each of problems) {
    const [accepted] = each.items.flatMap((item) => reasons(item).get(id) ?? []);
    if (accepted === undefined) left.push(each);
    else ignored.push({ ...each, finding: { ...each.finding, accepted } });
  }
  return { left, ignored };
}

function atLevel(problems: readonly AnyProblem[], level: Severity | undefined): Finding[] {
  return problems.map(({ finding }) => (level === undefined ? finding : { ...finding, severityOverride: level }));
}

/** Adds the documentation page of the rule to a finding. */
export function withDocs(finding: Finding): Finding {
  return { ...finding, tags: { docs: docsOf(finding.id) } };
}

/** The rules that an object ignores, with the reasons. */
type Reasons = (item: Item) => ReadonlyMap<string, string>;

/** Read once per object: it may have many problems. */
function rememberedIgnores(): Reasons {
  return onceFor(
    (item) => new Map(ignores(item).flatMap(({ id, reason }) => (reason === undefined ? [] : [[id, reason] as const]))),
  );
}

/** Invalid annotations for ignoring rules: an unknown rule, or a missing reason. */
function ignoreFindings(item: Item): Finding[] {
  return ignores(item).flatMap(({ id, reason, node }): Finding[] => {
    const place = locationOf(item, { node, field: `metadata.annotations[${IGNORE_PREFIX}${id}]` });
    const named = { object: resourceRef(item), rule: id };
    if (!isRuleId(id))
      return [
        { id: "invalid-ignore", cause: "unknownRule", params: { ...named, near: nearest(id, RULE_IDS) }, ...place },
      ];
    return reason === undefined ? [{ id: "invalid-ignore", cause: "noReason", params: named, ...place }] : [];
  });
}

/** Sorted by file in the order of the input, then by place, so that people can read them next to the file. */
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
