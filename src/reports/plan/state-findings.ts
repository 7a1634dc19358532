import { objectKey } from "../../base/identity.ts";
import { isRuleId, type RuleId } from "../../findings/catalogue/catalogue.ts";
import { atLeast, type Finding } from "../../findings/catalogue/finding.ts";
import { ignores } from "../../findings/results/ignores.ts";
import { resourceRef } from "../../findings/results/location.ts";
import { analysedContext } from "../lint/context.ts";
import { lint, type Levels } from "../lint/lint.ts";
import type { Item } from "../../yaml/read/items.ts";
import { ACCEPTABLE_RULES } from "./judged.ts";
import { findingIdentity } from "./finding-identity.ts";
import { hasStamps, type Side } from "./side.ts";
import { RULES } from "../lint/rules.ts";
import { levelsOf, LINTED_STATES } from "./linted-states.ts";
import { addTo } from "../../base/grouped.ts";

/** A finding about the state of the head. */
export interface StateFinding {
  readonly finding: Finding;
  /** Whether the base has it too. If so, this change did not introduce it. */
  readonly before: boolean;
}

/** The findings of the head's state by the object that they are about. */
export type FindingsByObject = ReadonlyMap<string, readonly StateFinding[]>;

/** The findings in the head that do not depend on rollouts. `changing` has the keys of objects that change. */
export function stateFindings(
  base: Side,
  head: Side,
  changing: ReadonlySet<string>,
  configured: Levels,
): FindingsByObject {
  const found = statesOf(head, head.analysis.items, levelsOf(new Set(LINTED_STATES), configured));
  const ids = new Set(found.map(({ id }) => id).filter(isRuleId));
  const baseFound =
    found.length === 0 ? [] : statesOf(base, baseItems(base, head), levelsOf(lintedOf(ids), configured));
  const knownOf = (some: readonly Finding[]): ReadonlyMap<string, number> =>
    new Map(some.map((finding) => [identity(base, finding), finding.more ?? 0]));
  // Whoever no longer accepts a finding introduces it.
  const known = knownOf(baseFound.filter(({ accepted }) => accepted === undefined));
  const knownOrAccepted = knownOf(baseFound);
  // The last of many similar findings counts those that were cut: a new one may be among them.
  const isKnown = (finding: Finding): boolean => {
    const before = finding.accepted === undefined ? known : knownOrAccepted;
    return (before.get(identity(head, finding)) ?? -1) >= (finding.more ?? 0);
  };
  // A cluster isn't searched for a source that the head doesn't have: whether this change removes it is unknown. And a live
  // object always has a number of replicas: whether a manifest or an autoscaler wrote it is unknown too.
  const isUnsure = ({ id }: Finding, key: string): boolean =>
    base.stamps === "Live" && (id === "RS010" || (id === "RS001" && changing.has(key)));
  const index = new Map<string, StateFinding[]>();
  for (const finding of found) {
    if (finding.resource === undefined) continue;
    const key = objectKey(finding.resource);
    const state = { finding, before: isKnown(finding) && !isUnsure(finding, key) };
    addTo(index, key, state);
  }
  return index;
}

/** The base is linted only with the rules that found something in the head, which are usually few. */
function lintedOf(found: ReadonlySet<RuleId>): ReadonlySet<RuleId> {
  return new Set(LINTED_STATES.filter((id) => found.has(id)));
}

/** The rules about what a stamp of ours adds: a second writer, a digest that can be guessed. */
const OF_STAMPS: ReadonlySet<string> = new Set<RuleId>(["RS007", "RS008"]);

function statesOf({ analysis, spec, run, stamps }: Side, items: readonly Item[], levels: Levels): Finding[] {
  // Findings below a warning describe what a stamp covers. No change fixes them, so only explain reports them.
  const warnings = analysis.findings.filter(
    (finding) => atLeast(finding, "warning") && !(isRuleId(finding.id) && RULES[finding.id].about === "rollout"),
  );
  const analysed = withoutIgnored(warnings, analysis.items);
  const context = analysedContext(analysis, spec, spec.secrets === "Keyed");
  // Wrong annotations that ignore rules are reported by lint.
  const linted = lint({ ...context, items, ...(run === undefined ? {} : { run }) }, levels, ACCEPTABLE_RULES).filter(
    ({ id }) => isRuleId(id),
  );
  const isUnstamped = stamps === "None" || (stamps === "Standing" && !hasStamps(analysis));
  return [...analysed, ...linted].filter(({ id }) => !isUnstamped || !OF_STAMPS.has(id));
}

/** Stamping warns of what an object ignores, too. */
function withoutIgnored(findings: readonly Finding[], items: readonly Item[]): readonly Finding[] {
  if (findings.length === 0) return findings;
  const ignored = new Set(
    items.flatMap((item) =>
      ignores(item).flatMap(({ id, reason }) =>
        reason === undefined ? [] : [`${objectKey(resourceRef(item))}\n${id}`],
      ),
    ),
  );
  return findings.filter(({ id, resource }) => resource === undefined || !ignored.has(`${objectKey(resource)}\n${id}`));
}

/** A cluster is asked only for pod templates and sources: it is assumed to have all other objects of the head. */
function baseItems(base: Side, head: Side): readonly Item[] {
  if (base.stamps !== "Live") return base.analysis.items;
  const asked = new Set<Item>([
    ...head.analysis.workloads.map(({ item }) => item),
    ...head.analysis.sources.all.map(({ item }) => item),
  ]);
  return [...base.analysis.items, ...head.analysis.items.filter((item) => !asked.has(item))];
}

function identity({ spec }: Side, finding: Finding): string {
  return findingIdentity(finding, spec.defaultNamespace);
}
