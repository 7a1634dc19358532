import { systemContext } from "../platform/node/environment.ts";
import { readNamed } from "../platform/node/repository-files.ts";
import { readStdin, writeStderr, writeStdout } from "../platform/node/stdio.ts";
import type { FunctionIo } from "../platform/ports/io.ts";
import type { KrmFunction } from "../stamping/function/krm-function.ts";

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
