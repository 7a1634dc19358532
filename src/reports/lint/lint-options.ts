import { isRuleId, type RuleId } from "../../findings/catalogue/catalogue.ts";
import { LEVELS, type Level } from "../../findings/catalogue/severity.ts";
import {
  ROLLOUT_LINT_DEFAULT_OPTIONS,
  ROLLOUT_LINT_VALUES,
  type RolloutLintValue,
} from "../../base/rollout-lint-options.ts";
import type { Levels } from "./lint.ts";
import type { Json } from "../../yaml/read/node.ts";
import { readConfigHash, type ConfigHashSpec } from "../../stamping/function/config-hash.ts";
import { fieldsOf, oneOf } from "../../yaml/read/json.ts";

/** What RolloutLint is told to do: contract, section 2. */
export interface RolloutLintSpec {
  readonly levels: Levels;
  readonly output: RolloutLintValue<"output">;
  /** The options by which the stamps are judged; undefined where the configuration names none. */
  readonly configHash: ConfigHashSpec | undefined;
}

/** Turns a configuration that meets the schema into what the lint takes. */
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
