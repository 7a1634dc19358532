import {
  type ChildProcess,
  spawn,
  type SpawnOptions,
  spawnSync,
  type SpawnSyncOptionsWithBufferEncoding,
  type SpawnSyncReturns,
} from "node:child_process";
import { existsSync } from "node:fs";
import process from "node:process";
import type { Readable, Writable } from "node:stream";
import { absolutePath } from "../applications/tools/program-environment.ts";
import { errorCode } from "../base/errors.ts";
import { HMAC_KEY_FILE_VARIABLE, HMAC_KEY_VARIABLE } from "../base/keys.ts";
import { MOST_STDERR } from "../base/limits.ts";
import type { Environment } from "../platform/ports/environment.ts";
import { runAtExit } from "./process-end.ts";

// Only this module starts programs: kustomize, helm, git, render commands, credential plugins. Each gets its own process
// group, because killing only a shell would leave its children running. The whole group ends with its timeout, with its
// use, or with this process. Lint forbids other ways to start programs (.oxlintrc.json).

export interface ChildOptions {
  readonly cwd: string;
  readonly environment: Environment;
  readonly shell?: boolean;
  /** Standard input; nothing if undefined. */
  readonly input?: string | undefined;
  /** Takes standard input in place of `input`, to write to it while the program runs, and to end it. */
  readonly feed?: ((input: Writable) => void) | undefined;
  /** Kills the program and its children. */
  readonly signal?: AbortSignal | undefined;
  /** When the program is killed. */
  readonly timeoutMs?: number | undefined;
  /** The most bytes that it may print; it is killed if it prints more. */
  readonly most: number;
  /** Receives the output as it arrives; the run then has no bytes. */
  readonly take?: ((chunk: Buffer) => void) | undefined;
  /**
   * Stays in our process group, and is killed alone. For hosts that kill us and then our group with SIGKILL, which we can't
   * catch: Argo CD's plugin server does so (cmpserver/plugin/plugin.go).
   */
  readonly inOurGroup?: boolean;
}

/** How a program ended. */
export type ChildRun =
  | { readonly is: "done"; readonly stdout: Buffer; readonly stderr: string }
  /** `how` is `status 1` or `the signal SIGKILL`. */
  | { readonly is: "failed"; readonly how: string; readonly stdout: Buffer; readonly stderr: string }
  | { readonly is: "timedOut"; readonly stderr: string }
  | { readonly is: "tooMuch" }
  | { readonly is: "notStarted"; readonly code: string };

/**
 * The environment of a program, without the key of our digests: only a shell command of the user may need it. Programs are
 * searched in absolute folders only: in a relative one, such as `node_modules/.bin`, a commit can put a program named git.
 */
function programsEnvironment(environment: Environment): NodeJS.ProcessEnv {
  const { PATH: path, ...others } = withoutKey(environment);
  if (path === undefined) return others;
  // Without PATH, the system would search its own folders.
  return { ...others, PATH: process.platform === "win32" ? path : (absolutePath(path) ?? "/nonexistent") };
}

/** An environment without the key of our digests. */
export function withoutKey(environment: Environment): Environment {
  const { [HMAC_KEY_VARIABLE]: _, [HMAC_KEY_FILE_VARIABLE]: __, ...others } = environment;
  return others;
}

/** Runs a program to its end. Never throws. */
export function runChild(program: string, args: readonly string[], options: ChildOptions): Promise<ChildRun> {
  const { cwd, environment, shell = false, input, feed, signal, timeoutMs, most, take, inOurGroup = false } = options;
  return new Promise((resolve) => {
    let child: ChildProcess;
    try {
      const spawned: SpawnOptions = {
        cwd,
        env: shell ? { ...environment } : programsEnvironment(environment),
        shell,
        stdio: [input === undefined && feed === undefined ? "ignore" : "pipe", "pipe", "pipe"],
      };
      child = inOurGroup ? spawnAlone(program, args, spawned) : spawnInGroup(program, args, spawned);
    } catch (cause) {
      // A string with a NUL or a large environment throws instead of emitting an event.
      resolve({ is: "notStarted", code: errorCode(cause) });
      return;
    }
    const end = (): void => {
      if (inOurGroup) child.kill("SIGKILL");
      else endGroup(child);
      // A process that left the group may keep the pipes open: nobody waits for it.
      child.stdout?.destroy();
      child.stderr?.destroy();
    };
    const stdout = collectOutput(child.stdout, most, end, take);
    const stderr = collectStderr(child.stderr);
    let isLate = false;
    const clock =
      timeoutMs === undefined
        ? undefined
        : setTimeout(() => {
            isLate = true;
            end();
          }, timeoutMs);
    if (signal?.aborted === true) end();
    else signal?.addEventListener("abort", end, { once: true });
    // A program may end without reading its input: its status decides.
    child.stdin?.on("error", () => undefined);
    if (child.stdin !== null && feed !== undefined) feed(child.stdin);
    else child.stdin?.end(input);
    const over = (): void => {
      clearTimeout(clock);
      signal?.removeEventListener("abort", end);
    };
    child.once("error", (cause) => {
      over();
      resolve({ is: "notStarted", code: errorCode(cause) });
    });
    child.once("close", (code, endedBy) => {
      over();
      if (stdout.isTooLarge()) return resolve({ is: "tooMuch" });
      if (isLate) return resolve({ is: "timedOut", stderr: stderr() });
      if (code === 0) return resolve({ is: "done", stdout: stdout.bytes(), stderr: stderr() });
      const how = code === null ? `the signal ${endedBy ?? "unknown"}` : `status ${code}`;
      resolve({ is: "failed", how, stdout: stdout.bytes(), stderr: stderr() });
    });
  });
}

/** Runs a program while the process ends, when nothing can be awaited. Its result is ignored. */
export function runAtTheEnd(
  program: string,
  args: readonly string[],
  options: Pick<ChildOptions, "cwd" | "environment">,
): void {
  runNow(program, args, { ...options, stdio: "ignore", timeout: 30_000 });
}

/** The time of a program that only lists something. */
export const QUICK_MS = 10_000;

/**
 * The output of a program for callers that can't wait. It failed also if it prints more than `most` bytes, or takes more than
 * ten seconds.
 */
export function outputAtOnce(
  program: string,
  args: readonly string[],
  { cwd, environment, most }: Pick<ChildOptions, "cwd" | "environment" | "most">,
): Buffer | "notStarted" | "failed" {
  const { status, stdout, error } = runNow(program, args, {
    cwd,
    environment,
    stdio: ["ignore", "pipe", "ignore"],
    maxBuffer: most,
    timeout: QUICK_MS,
  });
  if (status === 0) return stdout;
  return error !== undefined && errorCode(error) === "ENOENT" ? "notStarted" : "failed";
}

function runNow(
  program: string,
  args: readonly string[],
  { environment, ...options }: SpawnSyncOptionsWithBufferEncoding & Pick<ChildOptions, "environment">,
): SpawnSyncReturns<Buffer> {
  return spawnSync(program, args, { ...options, env: programsEnvironment(environment) });
}

// Windows has no process groups, and opens a window for a detached process.
const HAS_GROUPS = process.platform !== "win32";

/**
 * Starts a program in its own process group, which ends with this process. When the program has ended and its pipes are
 * closed, the rest of the group is killed too.
 */
export function spawnInGroup(program: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  const child = spawn(program, args, { ...options, detached: HAS_GROUPS });
  if (child.pid === undefined) return child;
  const pending = runAtExit(() => endGroup(child));
  child.once("close", pending.now);
  return child;
}

/** Starts a program in our process group. It ends with this process. */
export function spawnAlone(program: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  const child = spawn(program, args, options);
  if (child.pid === undefined) return child;
  const pending = runAtExit(() => void child.kill("SIGKILL"));
  child.once("exit", pending.now);
  return child;
}

/** Kills a program and its children. */
export function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(HAS_GROUPS ? -pid : pid, "SIGKILL");
  } catch {
    // The group has already ended.
  }
}

/** The output of a program so far. */
interface Collected {
  readonly bytes: () => Buffer;
  /** The program printed too much and was killed. */
  readonly isTooLarge: () => boolean;
}

/** Collects the output of a program, or passes it to `take`; `end` kills a program that prints too much. */
function collectOutput(
  stream: Readable | null,
  most: number,
  end: () => void,
  take: ((chunk: Buffer) => void) | undefined,
): Collected {
  const chunks: Buffer[] = [];
  const takes = take ?? ((chunk: Buffer): void => void chunks.push(chunk));
  let total = 0;
  stream?.on("data", (chunk: Buffer) => {
    total += chunk.length;
    if (total <= most) takes(chunk);
    else {
      chunks.length = 0;
      end();
    }
  });
  return { bytes: () => Buffer.concat(chunks), isTooLarge: () => total > most };
}

/** Collects what a program prints on standard error, up to a limit. */
function collectStderr(stream: Readable | null): () => string {
  const chunks: Buffer[] = [];
  let total = 0;
  stream?.on("data", (chunk: Buffer) => {
    if (total < MOST_STDERR) chunks.push(chunk.subarray(0, MOST_STDERR - total));
    total += chunk.length;
  });
  return () => Buffer.concat(chunks).toString("utf8");
}

/** The command line that runs this program: Node and its file, or an executable that contains both. */
export function thisProgram(): readonly string[] {
  const [, file] = process.argv;
  // An executable has a file inside itself, or itself, as its first argument.
  const isFile = file !== undefined && file !== process.execPath && existsSync(file);
  return isFile ? [process.execPath, file] : [process.execPath];
}
