import { systemContext } from "../node/environment.ts";
import { readNamed } from "../node/repository-files.ts";
import { isTerminal, readStdin, writeStderr, writeStdout } from "../node/stdio.ts";
import { expectLittleInput, expectMuchInput } from "../node/v8-flags.ts";
import type { FunctionIo, KrmFunctions } from "../stamping/function/krm-function.ts";

/** A run over less input (in characters) ends before V8's optimized code pays: measured with Node 20 to 24. */
const SHORT = 131_072;

/** This process as the function uses it. */
export function processIo(functions: KrmFunctions): FunctionIo {
  return {
    readStdin: async (limits) => {
      const text = await readStdin(limits);
      if (text.length < SHORT) expectLittleInput();
      else expectMuchInput();
      return text;
    },
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
