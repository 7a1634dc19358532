import { Command, CommanderError } from "commander";
import type { Io } from "./commands/command.ts";
import { COMMANDS } from "./commands/commands.ts";
import { BAD, DONE, type ExitStatus } from "./exit-status.ts";
import { VERSION } from "./version.ts";

/** Parses the arguments and runs the command that they name. An unknown one names the nearest. */
export async function runCommandLine(args: readonly string[], io: Io): Promise<ExitStatus> {
  let status: ExitStatus = DONE;
  const pending: string[] = [];
  const program = new Command("rollstamp")
    .description("Makes Kubernetes rollouts part of the commit.")
    .version(VERSION, "-V, --version", "print the version")
    .helpOption("-h, --help", "print this help")
    .helpCommand("help [command]", "print the help of a command")
    .showSuggestionAfterError(true)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => pending.push(text),
      writeErr: (text) => io.writeStderr(text.replace(/^error: /u, "rollstamp: error: ")),
    })
    .addHelpText("after", EXAMPLES);
  for (const { name, summary, load } of COMMANDS) {
    const command = program.command(name, { isDefault: name === "fn" }).description(summary);
    command.copyInheritedSettings(program);
    const isCalled = args.includes(name) || (name === "fn" && (args[0]?.startsWith("-") ?? false));
    if (isCalled) (await load())(command, io, (told) => (status = told));
  }
  try {
    if (args.length === 0) program.outputHelp();
    else await program.parseAsync(args, { from: "user" });
  } catch (cause) {
    if (!(cause instanceof CommanderError)) throw cause;
    status = cause.exitCode === 0 ? DONE : BAD;
  }
  if (pending.length > 0) await io.writeStdout(pending.join(""));
  return status;
}

const EXAMPLES = `
Examples:
  kustomize build overlays/prod | rollstamp        stamp a rendering in a pipe
  rollstamp < resourcelist.yaml                    as a KRM function

Exit status: 0 done; 1 findings of severity error, or --check found something to change;
2 bad input, bad configuration or wrong usage.
`;
