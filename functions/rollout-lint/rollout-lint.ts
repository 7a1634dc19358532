import { CONFIG_HASH_DEFAULTS } from "../../src/stamping/function/config-hash.ts";
import { readRolloutLint, lint } from "../../src/reports/lint/lint.ts";
import { validateRolloutLint } from "../../src/stamping/function/validators.js";
import type { KrmFunction } from "../../src/stamping/function/krm-function.ts";
import { lintContext } from "../../src/reports/lint/context.ts";
import configHashSchema from "../config-hash/schema.json" with { type: "json" };
import schema from "./schema.json" with { type: "json" };

/** Finds what makes rollouts unsafe, useless or unexpected. Changes nothing. */
export const rolloutLint: KrmFunction = {
  kind: "RolloutLint",
  // Its `configHash` refers to the other schema, which messages look up here.
  schema: { ...schema, $defs: { ...schema.$defs, "config-hash.json": configHashSchema } },
  validator: validateRolloutLint,
  run: (inputs, config, context) => {
    const { levels, output, configHash = CONFIG_HASH_DEFAULTS } = readRolloutLint(config);
    const findings = lint(lintContext(inputs, configHash, { hmacKey: context.hmacKey }), levels);
    return { edits: new Map(), findings, emptyItems: output === "Empty" };
  },
};
