import type { KrmFunction } from "../src/stamping/function/krm-function.ts";
import { configHash } from "./config-hash/config-hash.ts";

/**
 * The same functions as FUNCTIONS, of which only the one that nearly every run wants is loaded: the
 * others are when a functionConfig names them.
 */
export const FUNCTIONS_AT_START: readonly [KrmFunction, ...KrmFunction[]] = [
  configHash,
  late("Restart", () => loadOtherFunctions().restartFunction),
  late("RolloutLint", () => loadOtherFunctions().rolloutLint),
];

/** The others are a bundle of their own in what ships, the only place where this is run. */
function loadOtherFunctions(): typeof import("./other-functions.ts") {
  return require("./functions.cjs");
}

function late(kind: string, load: () => KrmFunction): KrmFunction {
  return {
    kind,
    get schema() {
      return load().schema;
    },
    get validator() {
      return load().validator;
    },
    run: (inputs, config, context) => load().run(inputs, config, context),
  };
}
