import { Command, CommanderError } from "commander";
import { colorOption, quietOption } from "../commands/options.ts";
import { FUNCTIONS } from "../../functions/functions.ts";
import { HELM_PLUGIN, runHelmPlugin } from "../commands/helm-plugin.ts";
import { runCli } from "./cli.ts";
import { commandIo } from "./command-io.ts";
import type { Io } from "../platform/ports/io.ts";
import { COMMANDS } from "../commands/commands.ts";
import { lineText, printable } from "../findings/results/terminal.ts";
import { BAD, DONE, type ExitStatus } from "../base/errors.ts";
import { LIMIT_FLAGS, readLimit, type Limits } from "../base/limits.ts";
import { VERSION } from "../base/version.ts";

/** Runs a command in this process. */
export function runCommands(args: readonly string[]): Promise<ExitStatus> {
  const io = commandIo(FUNCTIONS);
  const [first, ...rest] = args;
  return first === HELM_PLUGIN ? runHelmPlugin(rest, io, runAnyCommand) : runCommandLine(args, io);
}

/** Runs the function or a command with the given io. */
export function runAnyCommand(args: readonly string[], io: Io): Promise<ExitStatus> {
  return runCli(args, io, () => runCommandLine(args, io));
}

/**
 * Parses the arguments and runs the command that they name. For an unknown command, the error names the nearest one.
 */
async function runCommandLine(given: readonly string[], io: Io): Promise<ExitStatus> {
  const args = withoutUnknownHelp(withCommandFirst(given));
  const forAll: ForAll = { limits: {}, isQuiet: false };
  const set = withForAll(io, forAll);
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
      writeErr: (text) => io.writeStderr(usageText(text, args)),
    })
    .addHelpText("after", EXAMPLES);
  for (const { name, summary, isMore, load } of COMMANDS) {
    const command = program.command(name).description(summary);
    command.helpGroup(isMore === true ? MORE : "Commands:");
    command.copyInheritedSettings(program);
    if (!args.includes(name)) continue;
    (await load())(command, set, (ended) => (status = ended));
    addForAll(command, forAll);
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

/** What the options of every command set, filled while the arguments are parsed. */
export interface ForAll {
  readonly limits: { -readonly [limit in keyof Limits]?: number };
  isQuiet: boolean;
}

/** The io of a command: its limits, and whether it is quiet, are known after its arguments are parsed. */
function withForAll(io: Io, forAll: ForAll): Io {
  const errors = errorsOnly();
  return {
    ...io,
    writeStderr: (text) => {
      const shown = forAll.isQuiet ? errors(text) : text;
      if (shown !== "") io.writeStderr(shown);
    },
    get stderrIsTerminal() {
      // Progress is only for terminals.
      return io.stderrIsTerminal && !forAll.isQuiet;
    },
    get context() {
      return { ...io.context, limits: { ...io.context.limits, ...forAll.limits } };
    },
  };
}

/** Drops messages that are not errors. A message may have several lines; only its first begins with the program. */
function errorsOnly(): (text: string) => string {
  let isError = true;
  return (text) =>
    (text.match(/[^\n]*\n|[^\n]+$/gu) ?? [])
      .filter((line) => {
        if (line.startsWith("rollstamp: ")) isError = line.startsWith("rollstamp: error: ");
        return isError;
      })
      .join("");
}

/** Adds the options of every command: color, quiet, and the limits, which few users need. */
export function addForAll(command: Command, forAll: ForAll): void {
  if (!command.options.some(({ long }) => long === "--color")) command.addOption(colorOption(command));
  command.addOption(
    quietOption(command).argParser(() => {
      forAll.isQuiet = true;
    }),
  );
  for (const row of LIMIT_FLAGS) {
    const option = command.createOption(`${row.flag} <${row.unit}>`, row.summary).hideHelp();
    command.addOption(
      option.argParser((text) => {
        forAll.limits[row.limit] = readLimit(row, text);
      }),
    );
  }
  for (const subcommand of command.commands) addForAll(subcommand, forAll);
}

/** The options of every command with a value. They may be before its name, too. */
const FOR_ALL: readonly string[] = ["--color", ...LIMIT_FLAGS.map(({ flag }) => flag)];
const QUIET: readonly string[] = ["-q", "--quiet"];

const ABOUT_ALL: readonly string[] = ["-h", "--help", "-V", "--version"];

/** Moves the name of the command to the front. `rollstamp --config FILE` means `rollstamp fn --config FILE`. */
export function withCommandFirst(args: readonly string[]): readonly string[] {
  let index = 0;
  while (isForAll(args[index])) index += hasValueAfter(args[index]) ? 2 : 1;
  const [next] = args.slice(index);
  if (next === undefined ? index > 0 : next.startsWith("-") && !ABOUT_ALL.includes(next)) return ["fn", ...args];
  return next === undefined || index === 0 ? args : [next, ...args.slice(0, index), ...args.slice(index + 1)];
}

/** Help of an unknown command is the error for that command: commander would print the help of all. */
function withoutUnknownHelp(args: readonly string[]): readonly string[] {
  const [first, second] = args;
  return first === "help" && second !== undefined && !COMMANDS.some(({ name }) => name === second)
    ? args.slice(1)
    : args;
}

function hasValueAfter(argument = ""): boolean {
  return !argument.includes("=") && !QUIET.includes(argument);
}

function isForAll(argument: string | undefined): boolean {
  return [...FOR_ALL, ...QUIET].some((option) => argument === option || argument?.startsWith(`${option}=`) === true);
}

/** The heading of the commands that few users need. */
const MORE = "More commands:";

const EXAMPLES = `
Examples:
  rollstamp init                                   what fits this repository, and why
  rollstamp plan --git main...HEAD                 what the merge of this branch rolls
  kustomize build overlays/prod | rollstamp        stamp a rendering in a pipe
  rollstamp < resourcelist.yaml                    as a KRM function

Limits on input, for each command (docs/why/limits.md):
  ${LIMIT_FLAGS.map(({ flag }) => flag).join(", ")}

Exit status: 0 done; 1 findings of severity error, or --check found something to change;
2 bad input, bad configuration or wrong usage.
`;

/** A message of commander, which quotes arguments as they are: a shell may have found them as names of files. */
function usageText(message: string, args: readonly string[]): string {
  // The value of `--option=value` and of `-ovalue`.
  const parts = args.flatMap((arg) => [arg, arg.slice(arg.indexOf("=") + 1), arg.slice(2)]);
  // A value may have another one in it.
  const quoted = parts.filter((arg) => arg !== printable(arg)).toSorted((a, b) => b.length - a.length);
  return quoted
    .reduce((text, arg) => text.replaceAll(arg, printable(arg)), message.replace(/^error: /u, "rollstamp: error: "))
    .split("\n")
    .map(lineText)
    .join("\n");
}
