import type { Finding } from "../../findings/catalogue/finding.ts";
import { findingsAt, type Levels } from "../lint/lint.ts";
import { lostPods } from "../lint/rules/lost-pods.ts";
import type { Side } from "./side.ts";

/** RS026 for one pair of renderings. A cluster is not asked for Services. */
export function servicesWithoutPods(base: Side, head: Side, levels: Levels): Finding[] {
  if (base.stamps === "Live") return [];
  const problems = lostPods(base.analysis, head.analysis, head.spec.defaultNamespace);
  return findingsAt(problems, "RS026", levels.get("RS026"));
}
