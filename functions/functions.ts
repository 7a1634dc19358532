import type { KrmFunction } from "../src/stamping/function/krm-function.ts";
import { configHash } from "./config-hash/config-hash.ts";
import { restartFunction } from "./restart/restart.ts";
import { rolloutLint } from "./rollout-lint/rollout-lint.ts";

/** The functions that a functionConfig's kind picks from; the first is the default. */
export const FUNCTIONS: readonly [KrmFunction, ...KrmFunction[]] = [configHash, restartFunction, rolloutLint];
