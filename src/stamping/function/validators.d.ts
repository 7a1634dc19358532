// The types of validators.js, which scripts/validators.mjs compiles from functions/*/schema.json.

/** One thing that a schema finds wrong, as ajv reports it. */
export interface SchemaProblem {
  readonly instancePath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** A compiled schema: true, or false with the problems on the function itself. */
export interface Validator {
  (data: unknown): boolean;
  errors?: readonly SchemaProblem[] | null;
}

export declare const validateApplications: Validator;
export declare const validateConfigHash: Validator;
export declare const validateRestart: Validator;
export declare const validateRolloutLint: Validator;
