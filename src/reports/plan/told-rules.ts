import { RULE_IDS, type RuleId } from "../../findings/catalogue/catalogue.ts";
import type { Level } from "../../findings/catalogue/severity.ts";
import type { Levels } from "../lint/lint.ts";
import type { Action } from "./plan-report.ts";

/**
 * What a rule is about: a state that manifests are in, which the base may have been in already, or a rollout, which is
 * this one (contract, section 2, "RolloutLint").
 */
export const ABOUT: Readonly<Record<RuleId, "state" | "rollout">> = {
  RS001: "state",
  RS002: "state",
  RS003: "state",
  RS004: "rollout",
  RS005: "rollout",
  RS006: "rollout",
  RS007: "state",
  RS008: "state",
  RS009: "state",
  RS010: "state",
  RS011: "state",
  RS012: "state",
  RS013: "state",
  RS014: "state",
  RS015: "rollout",
  RS016: "state",
  RS017: "rollout",
  RS018: "state",
  RS019: "state",
  RS020: "rollout",
  RS021: "rollout",
  RS022: "rollout",
  RS023: "state",
  RS024: "rollout",
};

/** The rules that tell of what an action does to the pods. RS006, RS017 and RS024 are found over all of them. */
export const RULES_OF: Readonly<Record<Action, readonly RuleId[]>> = {
  Roll: ["RS004", "RS015", "RS021", "RS022"],
  NextRun: [],
  NoEffect: ["RS005"],
  Reload: [],
  Waiting: [],
  Fail: ["RS020"],
  Create: [],
  Delete: [],
  None: [],
};

// What the analysis finds, as 'missing' of the configuration says: a lint would tell it a second time.
const ANALYSED: readonly RuleId[] = ["RS001", "RS002"];

/** The rules of states that a lint finds for a plan. */
export const LINTED_STATES: readonly RuleId[] = RULE_IDS.filter(
  (id) => ABOUT[id] === "state" && !ANALYSED.includes(id),
);

/** Levels by which only some rules are checked: each at its own, or as the configuration says. */
export function levelsOf(rules: ReadonlySet<RuleId>, configured: Levels): Levels {
  const levels = new Map<RuleId, Level>();
  for (const id of RULE_IDS) {
    // Whether an old apiVersion is still served is a matter of the cluster: a plan warns, lint fails.
    const level = rules.has(id) ? (configured.get(id) ?? (id === "RS011" ? "warning" : undefined)) : "off";
    if (level !== undefined) levels.set(id, level);
  }
  return levels;
}
