import { type ChildProcess, spawn, type SpawnOptions, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import process from "node:process";
import type { Readable } from "node:stream";
import { setFlagsFromString } from "node:v8";
import { errorCode } from "../../base/errors.ts";
import type { Environment } from "../ports/environment.ts";
import type { Interrupts } from "../ports/io.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Something that is to be done once: now, or when the process ends before. */
export interface Pending {
  readonly now: () => void;
}

// The last one first: a program is ended before the folder goes that it works in.
const pendingActions = new Set<() => void>();

/**
 * Does something when it is told to, when a signal ends the process, or when that exits. A signal then has the
 * effect that it has without us: the parent sees what it expects.
 */
export function atTheEnd(act: () => void): Pending {
  if (pendingActions.size === 0) {
    for (const name of SIGNALS) process.on(name, onSignal);
    process.on("exit", doAll);
  }
  const own = (): void => act();
  pendingActions.add(own);
  return {
    now: () => {
      if (!pendingActions.delete(own)) return;
      if (pendingActions.size === 0) letGo();
      act();
    },
  };
}

function onSignal(name: NodeJS.Signals): void {
  doAll();
  process.kill(process.pid, name);
}

function doAll(): void {
  letGo();
  const all = [...pendingActions].toReversed();
  pendingActions.clear();
  for (const act of all) {
    try {
      act();
    } catch {
      // The others have to be done all the same, and there is nobody left to tell.
    }
  }
}

function letGo(): void {
  for (const name of SIGNALS) process.removeListener(name, onSignal);
  process.removeListener("exit", doAll);
}

// The one place that starts programs: kustomize, helm, git, render commands, what gets credentials. Each has a
// process group of its own, and nothing of it outlives its time, its use or this process. A shell that is
// ended by itself would leave behind what it has started. Lint forbids every other way (.oxlintrc.json).

export interface ChildOptions {
  readonly cwd: string;
  readonly environment: Environment;
  /** The program is a line for the shell. */
  readonly shell?: boolean;
  /** What it reads from standard input; nothing where undefined. */
  readonly input?: string | undefined;
  /** Ends it with all that it has started. */
  readonly signal?: AbortSignal | undefined;
  /** After so long it is ended. */
  readonly timeoutMs?: number | undefined;
  /** The bytes that it may print; more than that ends it. */
  readonly most: number;
  /** Takes what it prints as it comes; the run has no bytes then. */
  readonly take?: ((chunk: Buffer) => void) | undefined;
  /**
   * It stays in our process group, and is ended by itself. So it is where a host ends us by SIGKILL, of which we
   * learn nothing, and then our group: Argo CD's plugin server does so (cmpserver/plugin/plugin.go).
   */
  readonly inOurGroup?: boolean;
}

/** How a program ended. */
export type ChildRun =
  | { readonly is: "done"; readonly stdout: Buffer; readonly stderr: string }
  /** `how`: `status 1`, `the signal SIGKILL`. */
  | { readonly is: "failed"; readonly how: string; readonly stdout: Buffer; readonly stderr: string }
  | { readonly is: "timedOut"; readonly stderr: string }
  | { readonly is: "tooMuch" }
  | { readonly is: "notStarted"; readonly code: string };

/** Runs a program to its end. Never throws. */
export function runChild(program: string, args: readonly string[], options: ChildOptions): Promise<ChildRun> {
  const { cwd, environment, shell = false, input, signal, timeoutMs, most, take, inOurGroup = false } = options;
  return new Promise((resolve) => {
    let child: ChildProcess;
    try {
      const spawned: SpawnOptions = {
        cwd,
        env: { ...environment },
        shell,
        stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
      };
      child = inOurGroup ? spawnAlone(program, args, spawned) : spawnInGroup(program, args, spawned);
    } catch (cause) {
      // A text with a NUL, an environment that is too large: told at once, not by an event.
      resolve({ is: "notStarted", code: errorCode(cause) });
      return;
    }
    const end = (): void => {
      if (inOurGroup) child.kill("SIGKILL");
      else endGroup(child);
      // One that has left the group may hold on to the pipes: nobody waits for it.
      child.stdout?.destroy();
      child.stderr?.destroy();
    };
    const stdout = collectOutput(child.stdout, most, end, take);
    const stderr = collectWords(child.stderr);
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
    // One that ends without reading is no failure of ours: its status tells.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(input);
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

/** Runs a program where nothing can be waited for: as the process ends. What comes of it is nobody's business. */
export function runAtTheEnd(
  program: string,
  args: readonly string[],
  options: Pick<ChildOptions, "cwd" | "environment">,
): void {
  spawnSync(program, args, { cwd: options.cwd, env: { ...options.environment }, stdio: "ignore", timeout: 30_000 });
}

// Windows has no process groups, and opens a window for a process that is detached.
const HAS_GROUPS = process.platform !== "win32";

/**
 * Starts a program in a process group of its own, which ends with this process. When the program has ended and
 * nobody writes to its pipes any more, what is left of the group ends too.
 */
export function spawnInGroup(program: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  const child = spawn(program, args, { ...options, detached: HAS_GROUPS });
  if (child.pid === undefined) return child;
  const pending = atTheEnd(() => endGroup(child));
  child.once("close", pending.now);
  return child;
}

/** Starts a program in our process group; it ends with this process. */
export function spawnAlone(program: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  const child = spawn(program, args, options);
  if (child.pid === undefined) return child;
  const pending = atTheEnd(() => void child.kill("SIGKILL"));
  child.once("exit", pending.now);
  return child;
}

/** Ends a program with all that it has started, whatever they would rather do. */
export function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(HAS_GROUPS ? -pid : pid, "SIGKILL");
  } catch {
    // All of it has ended by itself.
  }
}

/** What a program prints, as it comes in. */
interface Collected {
  readonly bytes: () => Buffer;
  /** It printed more than it may, and was ended for it. */
  readonly isTooLarge: () => boolean;
}

/** Collects what a program prints, or gives it to `take`; `end` ends one that prints too much. */
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

const MOST_WORDS = 1 << 16;

/** Collects what a program says on standard error: of one that talks without end, its first words. */
function collectWords(stream: Readable | null): () => string {
  const chunks: Buffer[] = [];
  let total = 0;
  stream?.on("data", (chunk: Buffer) => {
    if (total < MOST_WORDS) chunks.push(chunk.subarray(0, MOST_WORDS - total));
    total += chunk.length;
  });
  return () => Buffer.concat(chunks).toString("utf8");
}

/** Takes the signals that end a process until `done`; the second one has the effect that it has without us. */
export function interrupts(): Interrupts {
  const controller = new AbortController();
  let came: NodeJS.Signals | undefined;
  const ignoreSignals = (): void => {
    for (const name of SIGNALS) process.removeListener(name, abortOnSignal);
  };
  const abortOnSignal = (name: NodeJS.Signals): void => {
    came = name;
    ignoreSignals();
    controller.abort();
  };
  for (const name of SIGNALS) process.on(name, abortOnSignal);
  return {
    signal: controller.signal,
    done: () => {
      ignoreSignals();
      if (came !== undefined) process.kill(process.pid, came);
    },
  };
}

// How V8's nursery grows, the memory for young objects. V8 has no other word for it once it runs, and takes this one in
// Node 20 to 24; Bun takes it for nothing.

/**
 * What is read stays until the end: the nursery, which copies it while it is small, is let grow at once. Takes a tenth off
 * the time of 5,000 files.
 */
export function growYoungMemory(): void {
  setFlagsFromString("--semi-space-growth-factor=16");
}

/**
 * What is made lives as long as one of many applications: the nursery stays as it is. It would become 32 MB, a quarter of
 * what a plan over hundreds of applications takes, and be no faster (docs/benchmarks.md).
 */
export function keepYoungMemory(): void {
  setFlagsFromString("--semi-space-growth-factor=1");
}

/** The words of a command line that runs this program: Node and its file, or an executable that is both. */
export function thisProgram(): readonly string[] {
  const [, file] = process.argv;
  // An executable names a file in itself, or itself.
  const isFile = file !== undefined && file !== process.execPath && existsSync(file);
  return isFile ? [process.execPath, file] : [process.execPath];
}
