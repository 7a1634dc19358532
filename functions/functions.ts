import type { KrmFunctions } from "../src/stamping/function/krm-function.ts";
import { configHash } from "./config-hash/config-hash.ts";
import { restartFunction } from "./restart/restart.ts";
import { rolloutLint } from "./rollout-lint/rollout-lint.ts";

/** The functions that the kind of a functionConfig selects from. The first is the default. */
export const FUNCTIONS: KrmFunctions = [configHash, restartFunction, rolloutLint];
