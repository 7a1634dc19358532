import { spawn } from "node:child_process";
import { RollstampError } from "../ground/errors.ts";
import { tooLarge } from "../ground/limits.ts";
import { collectOutput, collectWords } from "./collect-output.ts";
import { errorCode } from "./system-errors.ts";

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
  /** Aborted when this process is told to end: the program has to end as well. */
  readonly signal: AbortSignal;
  /** What it reads from standard input; nothing where undefined. */
  readonly input?: string | undefined;
}

/** Runs a program from PATH, without a shell. Throws a RollstampError where it can't be started, or prints too much. */
export function runProgram(
  program: string,
  args: readonly string[],
  { cwd, environment, signal, input }: ProgramOptions,
): Promise<ProgramRun> {
  return new Promise((resolve, reject) => {
    // Whoever ends us gives little time: a program that ignores a polite request must not outlive us.
    const child = spawn(program, args, {
      cwd,
      env: environment,
      stdio: ["pipe", "pipe", "pipe"],
      signal,
      killSignal: "SIGKILL",
    });
    const stdout = collectOutput(child.stdout, () => child.kill("SIGKILL"));
    const said = collectWords(child.stderr);
    // One that ends without reading is no failure of ours: its status tells.
    child.stdin.on("error", () => undefined);
    child.stdin.end(input ?? "");
    child.once("error", (cause) => reject(notStarted(program, cause)));
    child.once("close", (code, killedBy) => {
      if (stdout.isTooLarge()) return reject(tooLarge(`the output of ${program}`));
      resolve({
        failure: code === 0 ? undefined : code === null ? `the signal ${killedBy ?? "unknown"}` : `status ${code}`,
        stdout: stdout.bytes(),
        stderr: said(),
      });
    });
  });
}

function notStarted(program: string, cause: Error): RollstampError {
  const code = errorCode(cause);
  return code === "ENOENT"
    ? new RollstampError("system", `${program} is not on PATH`, { remedy: `Install ${program} beside rollstamp.` })
    : new RollstampError("system", `${program} can't be started (${code})`);
}
