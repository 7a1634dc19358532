import { CONFIG_HASH_DEFAULTS } from "../../src/config/config-hash.ts";
import { readRolloutLint } from "../../src/lint/lint-options.ts";
import { validateRolloutLint } from "../../src/config/validators.js";
import type { KrmFunction } from "../../src/krm/krm-function.ts";
import { lintContext } from "../../src/lint/context.ts";
import { lint } from "../../src/lint/lint.ts";
import configHashSchema from "../config-hash/schema.json" with { type: "json" };
import schema from "./schema.json" with { type: "json" };

/** Finds what makes rollouts unsafe, useless or unexpected. Changes nothing. */
export const rolloutLint: KrmFunction = {
  kind: "RolloutLint",
  // Its `configHash` refers to the other schema: messages look for it here.
  schema: { ...schema, $defs: { ...schema.$defs, "config-hash.json": configHashSchema } },
  validator: validateRolloutLint,
  run: (inputs, config, context) => {
    const { levels, output, configHash = CONFIG_HASH_DEFAULTS } = readRolloutLint(config);
    const findings = lint(lintContext(inputs, configHash, { hmacKey: context.hmacKey }), levels);
    return { edits: new Map(), findings, emptyItems: output === "Empty" };
  },
};
