import type { LintRule } from "./rule.ts";
import { GUESSABLE_SECRET } from "./rules/guessable-secret.ts";
import { IMMUTABLE_SOURCE } from "./rules/immutable-source.ts";
import { MISSING_KEY, MISSING_SOURCE } from "./rules/missing-source.ts";
import { MUTABLE_IMAGE } from "./rules/mutable-image.ts";
import { NO_EFFECT } from "./rules/no-effect.ts";
import { NO_POD_AVAILABLE } from "./rules/no-pod-available.ts";
import { REMOVED_API } from "./rules/removed-api.ts";
import { REPLICAS_BESIDE_AUTOSCALER } from "./rules/replicas-beside-autoscaler.ts";
import { SECOND_WRITER } from "./rules/second-writer.ts";
import { UNSTABLE_SOURCE } from "./rules/unstable-source.ts";
import { UNUSED_SOURCE } from "./rules/unused-source.ts";
import { WRONG_STAMP } from "./rules/wrong-stamp.ts";

/** The rules, in the order of their ids. */
export const RULES: readonly LintRule[] = [
  MISSING_SOURCE,
  MISSING_KEY,
  MUTABLE_IMAGE,
  NO_POD_AVAILABLE,
  NO_EFFECT,
  IMMUTABLE_SOURCE,
  SECOND_WRITER,
  GUESSABLE_SECRET,
  WRONG_STAMP,
  REPLICAS_BESIDE_AUTOSCALER,
  REMOVED_API,
  UNUSED_SOURCE,
  UNSTABLE_SOURCE,
];
