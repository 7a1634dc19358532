import { FUNCTIONS } from "../functions/functions.ts";
import { systemContext } from "./adapters/environment.ts";
import { readStdin, writeStderr, writeStdout } from "./adapters/stdio.ts";
import { runCli } from "./cli.ts";

// Only the exit code is set: process.exit would cut off what a slow reader has not taken yet.
void runCli(process.argv.slice(2), {
  readStdin,
  writeStdout,
  writeStderr,
  confirm: async (question) => (await import("./adapters/confirm.ts")).confirm(question),
  environment: process.env,
  stdinIsTerminal: process.stdin.isTTY === true,
  stdoutIsTerminal: process.stdout.isTTY === true,
  stderrIsTerminal: process.stderr.isTTY === true,
  context: systemContext(process.env),
  functions: FUNCTIONS,
}).then((status) => {
  process.exitCode = status;
});
