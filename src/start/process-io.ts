import { systemContext } from "../adapters/environment.ts";
import { readNamed } from "../adapters/repository-files.ts";
import { readStdin, writeStderr, writeStdout } from "../adapters/stdio.ts";
import type { FunctionIo } from "../io/io.ts";
import type { KrmFunction } from "../krm/krm-function.ts";

/** The world as the function has it: nothing that only other commands need is loaded for it. */
export function processIo(functions: readonly [KrmFunction, ...KrmFunction[]]): FunctionIo {
  return {
    readStdin,
    writeStdout,
    writeStderr,
    readNamed,
    environment: process.env,
    context: systemContext(process.env),
    functions,
  };
}
