import type { RuleId } from "../../findings/catalogue/catalogue.ts";
import type { LintRule } from "./rule.ts";
import { GUESSABLE_SECRET } from "./rules/guessable-secret.ts";
import { LATE_READINESS } from "./rules/late-readiness.ts";
import { LONG_PRE_STOP } from "./rules/long-pre-stop.ts";
import { MASS_ROLLOUT } from "./rules/mass-rollout.ts";
import { PLACEHOLDER } from "./rules/placeholder.ts";
import { SELF_RELOADING } from "./rules/self-reloading.ts";
import { SHARED_CANARY } from "./rules/shared-canary.ts";
import { STUCK_ROLLOUT } from "./rules/stuck-rollout.ts";
import { UNMEETABLE_BUDGET } from "./rules/unmeetable-budget.ts";
import { UNPROBED_SERVICE } from "./rules/unprobed-service.ts";
import { IMMUTABLE_SOURCE } from "./rules/immutable-source.ts";
import { MISSING_KEY, MISSING_SOURCE } from "./rules/missing-source.ts";
import { MUTABLE_IMAGE } from "./rules/mutable-image.ts";
import { NO_EFFECT } from "./rules/no-effect.ts";
import { NO_POD_AVAILABLE } from "./rules/no-pod-available.ts";
import { REMOVED_API } from "./rules/removed-api.ts";
import { REPLICAS_BESIDE_AUTOSCALER } from "./rules/replicas-beside-autoscaler.ts";
import { SECOND_WRITER } from "./rules/second-writer.ts";
import { UNKNOWN_KIND } from "./rules/unknown-kind.ts";
import { UNRENDERED_VALUES } from "./rules/unrendered-values.ts";
import { UNSTABLE_SOURCE } from "./rules/unstable-source.ts";
import { UNUSED_SOURCE } from "./rules/unused-source.ts";
import { WRONG_STAMP } from "./rules/wrong-stamp.ts";

/** The rules by their ids, in their order: the catalogue has no rule that nobody checks. */
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
};
