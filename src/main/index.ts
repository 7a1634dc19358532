import { API_VERSION } from "../base/keys.ts";
import { FUNCTIONS } from "../../functions/functions.ts";
import { contextForLibrary } from "../node/environment.ts";
import type { ConfigHashOptions, LabelSelectorOption, WorkloadOption } from "../base/config-hash-options.ts";
import { RollstampError, type ErrorCode, type Place } from "../base/errors.ts";
import { checkSize, limitsWith, type Limits } from "../base/limits.ts";
import type { Json } from "../yaml/read/node.ts";
import { krmResult, type KrmResult } from "../findings/results/krm-results.ts";
import { runFunctionOnText, type GivenConfig } from "../stamping/function/run.ts";

export interface StampInput {
  /** The key of `secrets: Keyed`. */
  readonly hmacKey?: string | Uint8Array;
  /** The name of the text in messages; "stdin" by default. */
  readonly file?: string;
  /** Limits on the text that differ from the defaults (docs/why/limits.md). */
  readonly limits?: Partial<Limits>;
}

export interface StampOutput {
  /** The same text with updated stamps. */
  readonly text: string;
  readonly results: readonly KrmResult[];
}

/**
 * Stamps a ResourceList or a YAML stream. The options apply unless a ResourceList has a functionConfig. Reads no file,
 * no clock and no environment. Throws a RollstampError for invalid input or options, and for exceeded limits.
 */
export function stamp(text: string, options: ConfigHashOptions = {}, input: StampInput = {}): StampOutput {
  const config: GivenConfig = {
    read: () => ({
      text: JSON.stringify({ apiVersion: API_VERSION, kind: "ConfigHash", spec: options }),
      file: "options",
    }),
    forLists: true,
  };
  const file = input.file ?? "stdin";
  const limits = limitsWith(input.limits ?? {});
  checkSize(text, file, limits);
  const run = runFunctionOnText(FUNCTIONS, { text, file }, config, contextForLibrary(input.hmacKey, limits));
  return { text: run.text, results: run.findings.map(krmResult) };
}

export { RollstampError };
export type { ConfigHashOptions, LabelSelectorOption, WorkloadOption };
/** The output of `rollstamp plan -o json` (schemas/plan.json). */
export type { PlanReport } from "../reports/plan/plan-report.ts";
export type { PlannedWorkload } from "../reports/plan/planned-workload.ts";
export type { ErrorCode, Json, KrmResult, Limits, Place };
