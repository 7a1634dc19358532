import { writeStderr } from "./adapters/stdio.ts";
import { isTerminal } from "./adapters/terminals.ts";
import { loadCommands, loadFunction } from "./bundles.ts";
import { BAD } from "./exit-status.ts";
import { functionCall } from "./function-call.ts";

const args = process.argv.slice(2);
const call = functionCall(args, { environment: process.env, stdinIsTerminal: isTerminal(0) });

try {
  const running = call === undefined ? loadCommands().runCommands(args) : loadFunction().runFunctionCall(call);
  void running.then((status) => {
    process.exitCode = status;
    // The function has written all, and what is open is V8's own: to wait for its compiler, and to give
    // its memory back piece by piece, costs milliseconds in every render. On Windows pipes are slower
    // than that (https://nodejs.org/api/process.html#a-note-on-process-io); commands may still be writing.
    if (call !== undefined && process.platform !== "win32") process.exit();
  });
} catch (cause) {
  if (!(cause instanceof Error && "code" in cause && cause.code === "MODULE_NOT_FOUND")) throw cause;
  const [message] = cause.message.split("\n");
  writeStderr(
    `rollstamp: error: ${message}\n  rollstamp.cjs needs the other files of its folder: copy them with it.\n`,
  );
  process.exitCode = BAD;
}
