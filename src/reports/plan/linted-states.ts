import { RULE_IDS, type RuleId } from "../../findings/catalogue/catalogue.ts";
import type { Level } from "../../findings/catalogue/severity.ts";
import type { Levels } from "../lint/lint.ts";
import { RULES } from "../lint/rules.ts";

// The analysis reports these itself, with the severity that the option 'missing' sets.
const ANALYSED: readonly RuleId[] = ["RS001", "RS002"];

/** The rules about states that a plan checks by linting. */
export const LINTED_STATES: readonly RuleId[] = RULE_IDS.filter(
  (id) => RULES[id].about === "state" && !ANALYSED.includes(id),
);

/** Levels that switch off all rules except some, which keep their default or configured level. */
export function levelsOf(rules: ReadonlySet<RuleId>, configured: Levels): Levels {
  const levels = new Map<RuleId, Level>();
  for (const id of RULE_IDS) {
    // Whether the cluster still serves an old apiVersion is unknown, so a plan warns and lint fails.
    const level = rules.has(id) ? (configured.get(id) ?? (id === "RS011" ? "warning" : undefined)) : "off";
    if (level !== undefined) levels.set(id, level);
  }
  return levels;
}
