import { RollstampError } from "../ground/errors.ts";
import { tooLarge, type Limits } from "../ground/limits.ts";
import { runChild } from "./child-processes.ts";

/** How a program ended, and what it printed. */
export interface ProgramRun {
  /** `status 1` or `the signal SIGKILL`; undefined where it succeeded. */
  readonly failure: string | undefined;
  readonly stdout: Buffer;
  readonly stderr: string;
}

export interface ProgramOptions {
  readonly cwd: string;
  readonly environment: NodeJS.ProcessEnv;
  /** What it may not print more than. */
  readonly limits: Limits;
  /** What it reads from standard input; nothing where undefined. */
  readonly input?: string | undefined;
}

/** Runs a program from PATH, without a shell. Throws a RollstampError where it can't be started, or prints too much. */
export async function runProgram(
  program: string,
  args: readonly string[],
  { limits, ...options }: ProgramOptions,
): Promise<ProgramRun> {
  const most = limits.inputSize;
  const run = await runChild(program, args, { ...options, most });
  if (run.is === "done") return { failure: undefined, stdout: run.stdout, stderr: run.stderr };
  if (run.is === "failed") return { failure: run.how, stdout: run.stdout, stderr: run.stderr };
  throw run.is === "notStarted" ? notStarted(program, run.code) : tooLarge(`the output of ${program}`, most);
}

function notStarted(program: string, code: string): RollstampError {
  return code === "ENOENT"
    ? new RollstampError("system", `${program} is not on PATH`, { remedy: `Install ${program} beside rollstamp.` })
    : new RollstampError("system", `${program} can't be started (${code})`);
}
