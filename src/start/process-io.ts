import { systemContext } from "../adapters/environment.ts";
import { readStdin, writeStderr, writeStdout } from "../adapters/stdio.ts";
import { isTerminal } from "../adapters/terminals.ts";
import type { Io } from "../commands/command.ts";
import type { KrmFunction } from "../krm/krm-function.ts";

/** The world as this process has it. */
export function processIo(functions: readonly [KrmFunction, ...KrmFunction[]]): Io {
  return {
    readStdin,
    writeStdout,
    writeStderr,
    confirm: async (question) => (await import("../adapters/confirm.ts")).confirm(question),
    environment: process.env,
    get stdinIsTerminal() {
      return isTerminal(0);
    },
    get stdoutIsTerminal() {
      return isTerminal(1);
    },
    get stderrIsTerminal() {
      return isTerminal(2);
    },
    context: systemContext(process.env),
    functions,
  };
}
