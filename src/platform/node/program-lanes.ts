import { randomBytes } from "node:crypto";
import { accessSync, constants } from "node:fs";
import { Socket } from "node:net";
import { delimiter, isAbsolute, join } from "node:path";
import type { Environment } from "../ports/environment.ts";
import { spawnAlone, type ChildRun } from "./child-processes.ts";
import { atTheEnd } from "./at-the-end.ts";

// To start a program Node copies itself: the system copies the tables of all its memory, and Node stands still until the
// program has begun. Of a process of 120 MB that is 2 to 6 ms, a fifth of what a small rendering takes. A shell is some
// hundred kilobytes: it is started once, and starts the programs, one behind another. It gets no text of a repository
// as a program of its own: all that is not ours stands between single quotes, and is of plain characters.

export interface LaneOptions {
  readonly cwd: string;
  /** All that the program gets: a shell may add `_` and `SHLVL`, and nothing else. */
  readonly environment: Environment;
  /** The bytes that it may print; more than that ends it. */
  readonly most: number;
  /** After so long it is ended. */
  readonly timeoutMs: number;
}

interface Lane {
  readonly isOpen: () => boolean;
  readonly run: (
    line: string,
    mark: string,
    ends: Pick<LaneOptions, "most" | "timeoutMs">,
  ) => Promise<ChildRun | undefined>;
  /** Nobody waits for it to end. */
  readonly rest: () => void;
}

let hasNoShell: boolean = process.platform === "win32";
const resting: Lane[] = [];

/**
 * Runs a program from PATH to its end, by a shell that runs many, and in our process group. It is one that starts no
 * other: what that would print behind it would be the next one's. Undefined where it has to be run
 * by itself, which also tells why it can't be: of texts with other than plain characters, where there is no shell, where
 * the program isn't found or ended by a signal.
 */
export async function runInLane(
  program: string,
  args: readonly string[],
  { cwd, environment, most, timeoutMs }: LaneOptions,
): Promise<ChildRun | undefined> {
  if (hasNoShell) return undefined;
  const mark = nextMark();
  const line = lineOf(program, args, { cwd, environment, mark });
  if (line === undefined) return undefined;
  const lane = resting.pop() ?? openLane();
  const run = await lane.run(line, mark, { most, timeoutMs });
  if (lane.isOpen()) {
    lane.rest();
    resting.push(lane);
  }
  return run;
}

const MARK_BYTES = 16;
let random: Buffer = Buffer.alloc(0);

/** A text that nobody knows. What is random is asked for by hundreds: each time costs what a small program's line does. */
function nextMark(): string {
  if (random.length < MARK_BYTES) random = randomBytes(256 * MARK_BYTES);
  const mark = random.toString("hex", 0, MARK_BYTES);
  random = random.subarray(MARK_BYTES);
  return mark;
}

/** What the shell is told: one line, which is no whole one where we end while it is written. */
function lineOf(
  program: string,
  args: readonly string[],
  { cwd, environment, mark }: Pick<LaneOptions, "cwd" | "environment"> & { readonly mark: string },
): string | undefined {
  const found = whereIs(program, environment["PATH"]);
  const variables = Object.entries(environment).flatMap(([name, value]) =>
    value === undefined ? [] : [{ name, value }],
  );
  const texts = [cwd, ...args, ...variables.map(({ value }) => value)];
  if (found === undefined || !isAbsolute(cwd) || !texts.every((text) => PLAIN.test(text))) return undefined;
  if (!variables.every(({ name }) => NAME.test(name))) return undefined;
  const words = [...variables.map(({ name, value }) => `${name}=${quoted(value)}`), ...[found, ...args].map(quoted)];
  const marks = `printf %s ${mark}; printf %s ${mark} >&2`;
  return (
    `{ cd ${quoted(cwd)} && unset PWD OLDPWD && { ${marks}; ${words.join(" ")} </dev/null 3>&- & ` +
    `printf 'p%s\\n' "$!" >&3; wait "$!"; s=$?; ${marks}; printf 's%s\\n' "$s" >&3; } || exit 1; }\n`
  );
}

const PLAIN = /^[\x20-\x7e]*$/u;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/u;

/** A word of the shell's: between single quotes nothing means anything to it. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

// Programs don't move while we run.
const found: Map<string, string | undefined> = new Map();

function whereIs(program: string, path = ""): string | undefined {
  const key = `${program}\0${path}`;
  if (!found.has(key)) {
    const files = path.split(delimiter).map((folder) => join(folder, program));
    found.set(key, files.find(isProgram));
  }
  return found.get(key);
}

function isProgram(file: string): boolean {
  if (!isAbsolute(file) || !PLAIN.test(file)) return false;
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const MOST_WORDS = 1 << 16;

/** What runs in a lane at the moment. */
interface Running {
  readonly stdout: Marked;
  readonly stderr: Marked;
  readonly most: number;
  readonly resolve: (run: ChildRun | undefined) => void;
  readonly clock: NodeJS.Timeout;
  pid: number | undefined;
  status: number | undefined;
}

function openLane(): Lane {
  const shell = spawnAlone("/bin/sh", ["-s"], { cwd: "/", env: {}, stdio: ["pipe", "pipe", "pipe", "pipe"] });
  const pipes = shell.stdio.filter((stream) => stream instanceof Socket);
  const [stdin, stdout, stderr, told] = pipes;
  let isOpen = pipes.length === 4;
  if (!isOpen) {
    // Under Bun, in the single executable, a child's pipes are no sockets: one at rest would keep us from ending.
    hasNoShell = true;
    shell.kill("SIGKILL");
  }
  let words = "";
  let running: Running | undefined;
  const pending = atTheEnd(() => endProgram(running));
  const over = (run: ChildRun | undefined): void => {
    const { resolve, clock } = running ?? {};
    clearTimeout(clock);
    running = undefined;
    resolve?.(run);
  };
  const close = (run: ChildRun | undefined): void => {
    isOpen = false;
    endProgram(running);
    shell.kill("SIGKILL");
    for (const pipe of pipes) pipe.destroy();
    over(run);
  };
  const look = (): void => {
    if (running === undefined) return;
    const { most, status, stdout: out, stderr: err } = running;
    if (out.size() > most) return close({ is: "tooMuch" });
    if (status === undefined || !out.isWhole() || !err.isWhole()) return;
    const [printed, said] = [out.bytes(), err.bytes()];
    // What another one's child has written late.
    if (printed === undefined || said === undefined) return close(undefined);
    const ended = { stdout: printed, stderr: said.toString("utf8") };
    // The shell's word for a signal, for a program that it can't start.
    if (status >= 126) return over(undefined);
    over(status === 0 ? { is: "done", ...ended } : { is: "failed", how: `status ${status}`, ...ended });
  };
  const takes = (to: "stdout" | "stderr") => (piece: Buffer) => {
    if (running === undefined) return close(undefined);
    running[to].take(piece);
    look();
  };
  stdout?.on("data", takes("stdout"));
  stderr?.on("data", takes("stderr"));
  told?.on("data", (piece: Buffer) => {
    const lines = `${words}${piece.toString("latin1")}`.split("\n");
    words = lines.pop() ?? "";
    for (const line of lines) {
      if (running === undefined) break;
      if (line.startsWith("p")) running.pid = Number(line.slice(1));
      else running.status = Number(line.slice(1));
    }
    look();
  });
  for (const pipe of pipes) pipe.on("error", () => undefined);
  const gone = (): void => {
    pending.now();
    close(undefined);
  };
  shell.once("error", () => {
    hasNoShell = true;
    gone();
  });
  shell.once("exit", gone);
  return {
    isOpen: () => isOpen,
    run: (line, mark, { most, timeoutMs }) =>
      new Promise((resolve) => {
        if (!isOpen) return resolve(undefined);
        running = {
          stdout: marked(mark, most),
          stderr: marked(mark, MOST_WORDS),
          most,
          resolve,
          clock: setTimeout(() => close({ is: "timedOut", stderr: "" }), timeoutMs),
          pid: undefined,
          status: undefined,
        };
        shell.ref();
        for (const pipe of pipes) pipe.ref();
        stdin?.write(line);
      }),
    rest: () => {
      shell.unref();
      for (const pipe of pipes) pipe.unref();
    },
  };
}

/** Ends what runs in a lane. The shell asks for its status, so that its number is no other's until we are told. */
function endProgram(running: Running | undefined): void {
  if (running?.pid === undefined || running.status !== undefined) return;
  try {
    process.kill(running.pid, "SIGKILL");
  } catch {
    // It has just ended.
  }
}

/** What is printed between two marks, which nobody knows but us. */
interface Marked {
  readonly take: (piece: Buffer) => void;
  /** Without the marks. */
  readonly size: () => number;
  readonly isWhole: () => boolean;
  /** What stands between them, as much as is kept of it; undefined where something stands before the first one. */
  readonly bytes: () => Buffer | undefined;
}

function marked(text: string, keep: number): Marked {
  const mark = Buffer.from(text, "latin1");
  const pieces: Buffer[] = [];
  let kept = 0;
  let total = 0;
  let tail: Buffer = Buffer.alloc(0);
  return {
    take: (piece) => {
      total += piece.length;
      if (kept < keep + 2 * mark.length) {
        pieces.push(piece);
        kept += piece.length;
      }
      tail =
        piece.length < mark.length ? Buffer.concat([tail, piece]).subarray(-mark.length) : piece.subarray(-mark.length);
    },
    size: () => total - 2 * mark.length,
    isWhole: () => total >= 2 * mark.length && tail.equals(mark),
    bytes: () => {
      const all = Buffer.concat(pieces);
      if (!all.subarray(0, mark.length).equals(mark)) return undefined;
      return all.subarray(mark.length, Math.min(mark.length + keep, total - mark.length));
    },
  };
}
