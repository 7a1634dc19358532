// Written by scripts/definitions.mjs from functions/rollout-lint/schema.json.

/** The values of what has a list of them. */
export const ROLLOUT_LINT_VALUES = { output: ["Items", "Empty"], level: ["error", "warning", "info", "off"] } as const;

/** A value of one of them. */
export type RolloutLintValue<K extends keyof typeof ROLLOUT_LINT_VALUES> = (typeof ROLLOUT_LINT_VALUES)[K][number];

/** The defaults of options. */
export const ROLLOUT_LINT_DEFAULT_OPTIONS = { output: "Items" } as const;
