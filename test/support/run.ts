import { FUNCTIONS } from "../../functions/functions.ts";
import { RollstampError, BAD, type ExitStatus } from "../../src/base/errors.ts";
import { statusOf } from "../../src/findings/catalogue/finding.ts";
import { contextForLibrary } from "../../src/node/environment.ts";
import type { RunContext } from "../../src/stamping/function/krm-function.ts";
import { errorText, findingLines } from "../../src/findings/results/terminal.ts";
import { runFunctionOnText } from "../../src/stamping/function/run.ts";
import type { Finding } from "../../src/findings/catalogue/finding.ts";

export interface RunResult {
  readonly text: string;
  /** The findings as lines, or the error. */
  readonly messages: string;
  readonly findings: readonly Finding[];
  readonly status: ExitStatus;
}

/** Runs the function in this process; `config` is the text of a functionConfig. */
export function run(
  text: string,
  config?: string,
  context: RunContext = contextForLibrary("correct horse battery staple"),
): RunResult {
  try {
    const given =
      config === undefined ? undefined : { read: () => ({ text: config, file: "config.yaml" }), forLists: false };
    const output = runFunctionOnText(FUNCTIONS, { text, file: "input.yaml" }, given, context);
    return {
      text: output.text,
      findings: output.findings,
      messages: findingLines(output.findings),
      status: statusOf(output.findings),
    };
  } catch (cause) {
    if (!(cause instanceof RollstampError)) throw cause;
    return { text: "", findings: [], messages: `${errorText(cause)}\n`, status: BAD };
  }
}
