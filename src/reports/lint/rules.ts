import type { RuleId } from "../../findings/catalogue/catalogue.ts";
import type { LintRule } from "./rule.ts";
import { GUESSABLE_SECRET, PLACEHOLDER } from "./rules/digested-content.ts";
import {
  LATE_READINESS,
  SELF_RELOADING,
  SHARED_CANARY,
  STUCK_ROLLOUT,
  NO_EFFECT,
  NO_POD_AVAILABLE,
} from "./rules/rollouts.ts";
import {
  LONG_PRE_STOP,
  UNPROBED_SERVICE,
  MUTABLE_IMAGE,
  REMOVED_API,
  REPLICAS_BESIDE_AUTOSCALER,
} from "./rules/workloads.ts";
import { MASS_ROLLOUT, IMMUTABLE_SOURCE } from "./rules/changed-sources.ts";
import { UNMEETABLE_BUDGET } from "./rules/disruption-budgets.ts";
import { LOST_PODS } from "./rules/lost-pods.ts";
import { MISSING_KEY, MISSING_SOURCE } from "./rules/missing-source.ts";
import { OVER_QUOTA } from "./rules/quotas.ts";
import { SECOND_WRITER } from "./rules/second-writer.ts";
import { STALE_CONTENT } from "./rules/stale-content.ts";
import { UNKNOWN_KIND } from "./rules/unknown-kind.ts";
import { UNRENDERED_VALUES } from "./rules/unrendered-values.ts";
import { UNSTABLE_SOURCE } from "./rules/unstable-source.ts";
import { UNUSED_SOURCE } from "./rules/unused-source.ts";
import { WRONG_STAMP } from "./rules/wrong-stamp.ts";

/** All rules by id. The type requires a rule for every RS id of the catalogue. */
export const RULES: { readonly [Id in RuleId]: LintRule<Id> } = {
  RS001: MISSING_SOURCE,
  RS002: MISSING_KEY,
  RS003: MUTABLE_IMAGE,
  RS004: NO_POD_AVAILABLE,
  RS005: NO_EFFECT,
  RS006: IMMUTABLE_SOURCE,
  RS007: SECOND_WRITER,
  RS008: GUESSABLE_SECRET,
  RS009: WRONG_STAMP,
  RS010: REPLICAS_BESIDE_AUTOSCALER,
  RS011: REMOVED_API,
  RS012: UNUSED_SOURCE,
  RS013: UNSTABLE_SOURCE,
  RS014: UNKNOWN_KIND,
  RS015: STUCK_ROLLOUT,
  RS016: UNPROBED_SERVICE,
  RS017: MASS_ROLLOUT,
  RS018: UNMEETABLE_BUDGET,
  RS019: LONG_PRE_STOP,
  RS020: LATE_READINESS,
  RS021: SHARED_CANARY,
  RS022: SELF_RELOADING,
  RS023: PLACEHOLDER,
  RS024: UNRENDERED_VALUES,
  RS025: STALE_CONTENT,
  RS026: LOST_PODS,
  RS027: OVER_QUOTA,
};
