import { FUNCTIONS_AT_START } from "../../functions/functions-at-start.ts";
import { runFn } from "../commands/fn.ts";
import type { ExitStatus } from "../base/exit-status.ts";
import { reportingFailures } from "./failures.ts";
import type { FunctionCall } from "./function-call.ts";
import { processIo } from "./process-io.ts";

/** Runs the function in this process: it is what every render calls, and loads nothing of the other commands. */
export function runFunctionCall({ configFile }: FunctionCall): Promise<ExitStatus> {
  const io = processIo(FUNCTIONS_AT_START);
  return reportingFailures(io, () => runFn(io, configFile));
}
