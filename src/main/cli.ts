import type { Io } from "../platform/ports/io.ts";
import { runFn } from "../commands/fn.ts";
import type { ExitStatus } from "../base/exit-status.ts";
import { reportingFailures } from "./failures.ts";
import { functionCall } from "./function-call.ts";

/**
 * Runs the command line: arguments in, exit status out. Never throws and never exits: what a
 * person should know is on stderr.
 */
export function runCli(args: readonly string[], io: Io): Promise<ExitStatus> {
  return reportingFailures(io, async () => {
    const call = functionCall(args, io);
    if (call !== undefined) return runFn(io, call.configFile);
    const { runCommandLine } = await import("./command-line.ts");
    return runCommandLine(args, io);
  });
}
