import { RollstampError, BAD, type ExitStatus } from "../base/errors.ts";
import { errorText, lineText } from "../findings/results/terminal.ts";
import type { FunctionIo } from "../stamping/function/krm-function.ts";
import { runFunction } from "../stamping/function/run.ts";

/**
 * Runs the function, or the command that the arguments name, and returns the exit status. Never throws: errors go to
 * stderr.
 */
export async function runCli(
  args: readonly string[],
  io: FunctionIo,
  runCommand: (args: readonly string[]) => Promise<ExitStatus>,
): Promise<ExitStatus> {
  try {
    const call = functionCall(args, io);
    return await (call === undefined ? runCommand(args) : runFunction(io, call.configFile));
  } catch (cause) {
    io.writeStderr(`rollstamp: error: ${describeFailure(cause, io)}\n`);
    return BAD;
  }
}

interface FunctionCall {
  readonly configFile: string | undefined;
}

/** How a host calls the function, without options; undefined for every other command line. */
function functionCall(args: readonly string[], io: FunctionIo): FunctionCall | undefined {
  const pluginConfig = legacyPluginConfig(args, io);
  if (pluginConfig !== undefined) return { configFile: pluginConfig };
  if (args.length === 0 && !io.stdinIsTerminal) return { configFile: undefined };
  return args.length === 1 && args[0] === "fn" ? { configFile: undefined } : undefined;
}

/**
 * kustomize calls a legacy exec plugin with a temporary file that contains its configuration, and sends the manifests as
 * a plain stream (kustomize api/internal/plugins/execplugin).
 */
function legacyPluginConfig(args: readonly string[], { environment }: FunctionIo): string | undefined {
  if (environment["KUSTOMIZE_PLUGIN_CONFIG_ROOT"] === undefined) return undefined;
  // A command that a plugin runs inherits the variable: only a path is a configuration file.
  return args[0]?.includes("/") === true ? args[0] : undefined;
}

function describeFailure(cause: unknown, { environment }: FunctionIo): string {
  if (cause instanceof RollstampError) return errorText(cause);
  if (isFolderGone(cause))
    return "the current folder no longer exists\n  Change to a folder that exists, and run the command again.";
  const detail = cause instanceof Error ? cause : new Error(String(cause));
  const head = `internal error: ${detail.name}`;
  // The message of a library may quote its input, which could be a secret: it is shown on demand only.
  return (environment["ROLLSTAMP_DEBUG"] ?? "") === ""
    ? `${head}\n  Set ROLLSTAMP_DEBUG=1 to see the stack trace, and report this error.`
    : `${head}\n${(detail.stack ?? detail.message).split("\n").map(lineText).join("\n")}`;
}

/** Any module may ask for the current folder: path.resolve of Node does, too. */
function isFolderGone(cause: unknown): boolean {
  return cause instanceof Error && "syscall" in cause && cause.syscall === "uv_cwd";
}
