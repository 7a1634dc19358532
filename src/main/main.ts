import { isTerminal } from "../platform/node/stdio.ts";
import { functionCall } from "./function-call.ts";
import { runFunctionCall } from "./main-function.ts";

const args = process.argv.slice(2);
const call = functionCall(args, { environment: process.env, stdinIsTerminal: isTerminal(0) });
const running = call === undefined ? loadCommands().runCommands(args) : runFunctionCall(call);

void running.then((status) => {
  // Only the exit code is set: process.exit would cut off what a slow reader has not taken yet.
  process.exitCode = status;
  // The function has written all, and what is open is V8's own: to wait for its compiler, and to give
  // its memory back piece by piece, costs milliseconds in every render. On Windows pipes are slower
  // than that (https://nodejs.org/api/process.html#a-note-on-process-io); commands may still be writing.
  if (call !== undefined && process.platform !== "win32") process.exit();
});

/** All commands but the function, which is in this bundle: every render calls it. */
function loadCommands(): typeof import("./main-commands.ts") {
  return require("./commands.cjs");
}
