import { FUNCTIONS } from "../functions/functions.ts";
import { systemContext } from "./adapters/environment.ts";
import { writeParentStderr } from "./adapters/parent-stderr.ts";
import { readStdin, writeStderr, writeStdout } from "./adapters/stdio.ts";
import { runCli } from "./cli.ts";
import type { Io } from "./commands/command.ts";
import { HELM_PLUGIN, runHelmPlugin } from "./commands/helm-plugin.ts";

const io: Io = {
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
};
const [first, ...rest] = process.argv.slice(2);
const running =
  first === HELM_PLUGIN
    ? runHelmPlugin(rest, io, runCli, writeParentStderr)
    : runCli(first === undefined ? [] : [first, ...rest], io);

// Only the exit code is set: process.exit would cut off what a slow reader has not taken yet.
void running.then((status) => {
  process.exitCode = status;
});
