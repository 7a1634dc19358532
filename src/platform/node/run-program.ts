import { RollstampError } from "../../base/errors.ts";
import { tooLarge, tooLate } from "../../base/limits.ts";
import type { ProgramOptions, ProgramRun } from "../ports/programs.ts";
import { runChild } from "./child-processes.ts";
import { runInLane } from "./program-lanes.ts";
import { decodeUtf8 } from "./utf8.ts";

/**
 * Runs a program from PATH, without a shell, as part of what the host runs. Throws a RollstampError where it can't be
 * started, prints too much, or doesn't end.
 */
export async function runProgram(
  program: string,
  args: readonly string[],
  { limits, inLane, ...options }: ProgramOptions,
): Promise<ProgramRun> {
  const most = limits.inputSize;
  const timeoutMs = limits.renderTime * 1000;
  const lane =
    inLane === true && options.input === undefined
      ? await runInLane(program, args, { ...options, most, timeoutMs })
      : undefined;
  const run = lane ?? (await runChild(program, args, { ...options, most, timeoutMs, inOurGroup: true }));
  if (run.is === "done")
    return { failure: undefined, stdout: decodeUtf8(run.stdout, options.prints), stderr: run.stderr };
  if (run.is === "failed") return { failure: run.how, stdout: "", stderr: run.stderr };
  if (run.is === "timedOut") throw tooLate(options.prints, limits);
  throw run.is === "notStarted" ? notStarted(program, run.code) : tooLarge(`the output of ${program}`, most);
}

function notStarted(program: string, code: string): RollstampError {
  return code === "ENOENT"
    ? new RollstampError("system", `${program} is not on PATH`, { remedy: `Install ${program} beside rollstamp.` })
    : new RollstampError("system", `${program} can't be started (${code})`);
}
