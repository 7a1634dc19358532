import { systemContext } from "../node/environment.ts";
import { readNamed } from "../node/repository-files.ts";
import { isTerminal, readStdin, writeStderr, writeStdout } from "../node/stdio.ts";
import type { FunctionIo, KrmFunctions } from "../stamping/function/krm-function.ts";

/** This process as the function uses it. */
export function processIo(functions: KrmFunctions): FunctionIo {
  return {
    readStdin,
    writeStdout,
    writeStderr,
    get stdinIsTerminal() {
      return isTerminal(0);
    },
    readNamed,
    environment: process.env,
    context: systemContext(process.env),
    functions,
  };
}
