import type { KrmFunction, KrmFunctions } from "../src/stamping/function/krm-function.ts";
import { configHash } from "./config-hash/config-hash.ts";

/** The functions of FUNCTIONS. Only the one that nearly every run needs is loaded at start. */
export const FUNCTIONS_AT_START: KrmFunctions = [configHash, loadedLate("Restart"), loadedLate("RolloutLint")];

function loadedLate(kind: string): KrmFunction {
  return {
    kind,
    get schema() {
      return load(kind).schema;
    },
    get validator() {
      return load(kind).validator;
    },
    run: (inputs, config, context) => load(kind).run(inputs, config, context),
  };
}

function load(kind: string): KrmFunction {
  const { FUNCTIONS }: typeof import("./functions.ts") = require("./functions.cjs");
  return FUNCTIONS.find((fn) => fn.kind === kind) ?? FUNCTIONS[0];
}
