import type { Finding } from "../../findings/catalogue/finding.ts";
import type { LintContext } from "../lint/context.ts";
import { acceptedFindingsAt, type Levels } from "../lint/lint.ts";
import { changedSelectors, lostPods, unservedServices } from "../lint/rules/lost-pods.ts";
import { lostServicePorts } from "../lint/rules/lost-service-ports.ts";
import { UNRENDERED_VALUES } from "../lint/rules/unrendered-values.ts";
import { lateSources } from "./late-sources.ts";
import { lostBudgets } from "./lost-budgets.ts";
import type { FoundBy } from "./planned-application.ts";
import type { Side } from "./side.ts";

/** The context of rules that compare the objects and sources of two sides. */
export function comparedContext({ analysis: before }: Side, { analysis: after, spec }: Side): LintContext {
  return {
    items: after.items,
    sources: after.sources,
    workloads: [],
    spec,
    hasHmacKey: false,
    base: { items: before.items, sources: before.sources, workloads: [] },
  };
}

/**
 * RS024, RS026 and what is like them for one pair of renderings. A cluster is not asked for HelmReleases, Applications, Services
 * and budgets.
 */
export function comparedFindings(
  base: Side,
  head: Side,
  levels: Levels,
  rendered: Pick<LintContext, "isRendered" | "whyNot" | "usersOf">,
  foundBy?: FoundBy,
): Finding[] {
  if (base.stamps === "Live") return [];
  const unrendered = UNRENDERED_VALUES.check({ ...comparedContext(base, head), ...rendered });
  const unserved = unservedServices(base.analysis, head.analysis, head.spec.defaultNamespace);
  const lost = [
    ...lostPods(unserved, head.analysis),
    ...lostServicePorts(base.analysis, head.analysis, head.spec.defaultNamespace),
  ];
  return [
    ...acceptedFindingsAt(unrendered, "RS024", levels.get("RS024")),
    ...acceptedFindingsAt(lost, "RS026", levels.get("RS026")),
    ...changedSelectors(unserved),
    ...lostBudgets(base, head),
    ...lateSources(base, head, foundBy),
  ];
}
