import { FUNCTIONS } from "../../functions/functions.ts";
import { runCli } from "./cli.ts";
import { HELM_PLUGIN, runHelmPlugin } from "../commands/helm-plugin.ts";
import type { ExitStatus } from "../base/exit-status.ts";
import { commandIo } from "./command-io.ts";

/** Runs any command in this process. */
export function runCommands(args: readonly string[]): Promise<ExitStatus> {
  const [first, ...rest] = args;
  const io = commandIo(FUNCTIONS);
  return first === HELM_PLUGIN ? runHelmPlugin(rest, io, runCli) : runCli(args, io);
}
