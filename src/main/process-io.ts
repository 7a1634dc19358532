import { systemContext } from "../platform/node/environment.ts";
import { helmAbove, writeParentStderr } from "../platform/node/parent-stderr.ts";
import { readNamed } from "../platform/node/repository-files.ts";
import { readStdin, writeStderr, writeStdout } from "../platform/node/stdio.ts";
import type { FunctionIo } from "../platform/ports/io.ts";
import type { KrmFunction } from "../stamping/function/krm-function.ts";

/** The world as the function has it: nothing that only other commands need is loaded for it. */
export function processIo(functions: readonly [KrmFunction, ...KrmFunction[]]): FunctionIo {
  const helm = helmAbove();
  return {
    readStdin,
    writeStdout,
    writeStderr,
    // Helm 3 shows what a post-renderer writes to standard error only where that fails (pkg/postrender/exec.go).
    showWarnings: helm === undefined ? undefined : (text) => writeParentStderr(text, helm),
    readNamed,
    environment: process.env,
    context: systemContext(process.env),
    functions,
  };
}
