import { formatError, RollstampError } from "./errors.ts";
import { BAD, type ExitStatus } from "./exit-status.ts";
import type { Io } from "./commands/command.ts";
import { runFn } from "./commands/fn.ts";
import { printable } from "./results/terminal.ts";

/**
 * Runs the command line: arguments in, exit status out. Never throws and never exits: what a
 * person should know is on stderr.
 */
export async function runCli(args: readonly string[], io: Io): Promise<ExitStatus> {
  try {
    const pluginConfig = legacyPluginConfig(args, io);
    if (pluginConfig !== undefined) return await runFn(io, pluginConfig);
    // The function's path comes first and loads nothing but itself.
    if (args.length === 0 && !io.stdinIsTerminal) return await runFn(io, undefined);
    if (args.length === 1 && args[0] === "fn") return await runFn(io, undefined);
    const { runCommandLine } = await import("./command-line.ts");
    return await runCommandLine(args, io);
  } catch (cause) {
    io.writeStderr(`rollstamp: error: ${printableLines(describeFailure(cause, io))}\n`);
    return BAD;
  }
}

/**
 * kustomize calls a legacy exec plugin with a temporary file that holds its configuration; the
 * manifests come as a plain stream (kustomize api/internal/plugins/execplugin).
 */
function legacyPluginConfig(args: readonly string[], io: Io): string | undefined {
  if (io.environment["KUSTOMIZE_PLUGIN_CONFIG_ROOT"] === undefined) return undefined;
  // A command that is run from within a plugin inherits the variable: only a path is a config file.
  return args[0]?.includes("/") === true ? args[0] : undefined;
}

function describeFailure(cause: unknown, io: Io): string {
  if (cause instanceof RollstampError) return formatError(cause);
  const detail = cause instanceof Error ? cause : new Error(String(cause));
  const isWanted = (io.environment["ROLLSTAMP_DEBUG"] ?? "") !== "";
  const head = `internal error: ${detail.name}`;
  // A message of a library may quote its input, which could be a secret: only on demand.
  return isWanted
    ? `${head}\n${detail.stack ?? detail.message}`
    : `${head}\n  Set ROLLSTAMP_DEBUG=1 to see its stack trace, and report it.`;
}

function printableLines(text: string): string {
  return text.split("\n").map(printable).join("\n");
}
