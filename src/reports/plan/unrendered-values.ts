import type { Finding } from "../../findings/catalogue/finding.ts";
import type { LintContext } from "../lint/context.ts";
import { findingsAt, type Levels } from "../lint/lint.ts";
import { UNRENDERED_VALUES } from "../lint/rules/unrendered-values.ts";
import type { Side } from "./side.ts";

/** RS024 for one pair of renderings. A cluster is not asked for HelmReleases and Applications. */
export function unrenderedValues(
  base: Side,
  head: Side,
  levels: Levels,
  { isRendered, usersOf }: Pick<LintContext, "isRendered" | "usersOf">,
): Finding[] {
  if (base.stamps === "Live") return [];
  const context: LintContext = {
    items: head.analysis.items,
    sources: head.analysis.sources,
    workloads: [],
    spec: head.spec,
    hasHmacKey: false,
    base: { items: base.analysis.items, sources: base.analysis.sources, workloads: [] },
    isRendered,
    usersOf,
  };
  return findingsAt(UNRENDERED_VALUES.check(context), "RS024", levels.get("RS024"));
}
