import { FUNCTIONS_AT_START } from "../../functions/functions-at-start.ts";
import { runCli } from "./cli.ts";
import { processIo } from "./process-io.ts";

let isFunction = true;

void runCli(process.argv.slice(2), processIo(FUNCTIONS_AT_START), (args) => {
  isFunction = false;
  return loadCommands().runCommands(args);
}).then((status) => {
  // Only the exit code is set: process.exit would cut off output that a slow reader has not read yet.
  process.exitCode = status;
  // The function has written all its output. Only V8's own work is pending (its compiler, freeing its memory), which
  // costs milliseconds in every render. On Windows, writes to pipes may still be pending
  // (https://nodejs.org/api/process.html#a-note-on-process-io), as may those of a command.
  if (isFunction && process.platform !== "win32") process.exit();
});

/** The commands are a separate file, so that a render does not load them. */
function loadCommands(): typeof import("./command-line.ts") {
  return require("./commands.cjs");
}
