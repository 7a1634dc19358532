import type { KrmFunction } from "../src/krm-function.ts";
/** The functions that a functionConfig's kind picks from; the first is the default. */
export declare const FUNCTIONS: readonly [KrmFunction, ...KrmFunction[]];
