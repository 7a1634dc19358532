import { FUNCTIONS } from "../../functions/functions.ts";
import { systemContext } from "../../src/node/environment.ts";
import { readNamed } from "../../src/node/repository-files.ts";
import { runAnyCommand } from "../../src/main/command-line.ts";
import { ADAPTERS } from "../../src/main/command-io.ts";
import type { Io } from "../../src/platform/ports/io.ts";
import type { ExitStatus } from "../../src/base/errors.ts";

export interface CliResult {
  readonly status: ExitStatus;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliWorld {
  readonly stdin?: string | Promise<string>;
  readonly environment?: Readonly<Record<string, string>>;
  readonly terminal?: boolean;
  /** How wide the terminal is. */
  readonly columns?: number;
  /** How many there are. */
  readonly processors?: number;
  /** How much faster than the clock the commands sleep. */
  readonly haste?: number;
}

/** Runs a command line in this process, with a world of its own: no terminal, no environment. */
export async function cli(args: readonly string[], world: CliWorld = {}): Promise<CliResult> {
  let stdout = "";
  let stderr = "";
  const io = testIo(world, {
    writeStdout: (text) => {
      stdout += text;
      return Promise.resolve();
    },
    writeStderr: (text) => {
      stderr += text;
    },
  });
  const status = await runAnyCommand(args, io);
  return { status, stdout, stderr };
}

/** The io of such a world, with its streams. */
export function testIo(world: CliWorld, streams: Pick<Io, "writeStdout" | "writeStderr">): Io {
  const environment = world.environment ?? {};
  const terminal = world.terminal ?? false;
  return {
    readStdin: () => Promise.resolve(world.stdin ?? ""),
    ...streams,
    ...ADAPTERS,
    sleep: (milliseconds, signal) => ADAPTERS.sleep(milliseconds / (world.haste ?? 1), signal),
    processors: () => world.processors ?? ADAPTERS.processors(),
    readNamed,
    environment,
    stdinIsTerminal: terminal,
    stdoutIsTerminal: terminal,
    stderrIsTerminal: terminal,
    stdoutColumns: world.columns,
    stderrColumns: world.columns,
    context: systemContext(environment),
    functions: FUNCTIONS,
  };
}
