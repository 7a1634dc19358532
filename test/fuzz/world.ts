// A command in this process, over a folder of its own: what the fuzzer's targets run.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { FUNCTIONS } from "../../functions/functions.ts";
import { systemContext } from "../../src/node/environment.ts";
import { readNamed } from "../../src/node/repository-files.ts";
import type { ExitStatus } from "../../src/base/errors.ts";
import type { Io } from "../../src/platform/ports/io.ts";
import { runAnyCommand } from "../../src/main/command-line.ts";
import { ADAPTERS } from "../../src/main/command-io.ts";

/** What a command line left behind. */
export interface Ran {
  readonly status: ExitStatus;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command line without a terminal; `more` takes the place of what is behind some interfaces. */
export async function ran(args: readonly string[], stdin: string, more: Partial<Io> = {}): Promise<Ran> {
  let stdout = "";
  let stderr = "";
  const environment = more.environment ?? {};
  const io: Io = {
    readStdin: () => Promise.resolve(stdin),
    writeStdout: (text) => {
      stdout += text;
      return Promise.resolve();
    },
    writeStderr: (text) => {
      stderr += text;
    },
    ...ADAPTERS,
    readNamed,
    environment,
    stdinIsTerminal: false,
    stdoutIsTerminal: false,
    stderrIsTerminal: false,
    stdoutColumns: undefined,
    stderrColumns: undefined,
    context: systemContext(environment),
    functions: FUNCTIONS,
    ...more,
  };
  const status = await runAnyCommand(args, io);
  if (stderr.includes("internal error")) throw new Error(`${args.join(" ")}: ${stderr}`);
  return { status, stdout, stderr };
}

/** Runs work in a new folder of files, which is removed afterwards. */
export async function inFolder<T>(
  files: Readonly<Record<string, string>>,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "rollstamp-fuzz-")));
  const before = process.cwd();
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    process.chdir(folder);
    return await work(folder);
  } finally {
    process.chdir(before);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Takes the fuzzer's bytes one after another; 0 at the end. */
export class Bytes {
  #at = 0;
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** A number below `most`. */
  below(most: number): number {
    return (this.#bytes[this.#at++] ?? 0) % most;
  }

  pick<T>(from: readonly [T, ...T[]]): T {
    return from[this.below(from.length)] ?? from[0];
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }
}
