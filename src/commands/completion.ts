import { Command } from "commander";
import { SHELLS, type CompletedCommand, type Listed } from "../output/completion.ts";
import { DONE } from "../base/errors.ts";
import type { Io } from "../platform/ports/io.ts";
import type { CommandRow, DefineCommand } from "./command.ts";

/** Defines `rollstamp completion` for all commands. */
export const defineCompletion =
  (rows: readonly CommandRow[]): DefineCommand =>
  (command, io, done) => {
    command
      .addArgument(command.createArgument("<shell>", "the shell").choices(Object.keys(SHELLS)))
      .addHelpText("after", COMPLETION_HELP)
      .action(async (shell: string) => {
        const commands = await Promise.all(rows.map((row) => completed(row, io)));
        await io.writeStdout(SHELLS[shell]?.(commands) ?? "");
        done(DONE);
      });
  };

const COMPLETION_HELP = `
Prints a script that makes a shell complete commands, options and their values, including names of
applications (--app) and revisions (--git).

Examples:
  echo 'eval "$(rollstamp completion bash)"' >> ~/.bashrc
  echo 'source <(rollstamp completion zsh)' >> ~/.zshrc
  rollstamp completion fish > ~/.config/fish/completions/rollstamp.fish
`;

/** Options whose values a repository has. */
const LISTED: ReadonlyMap<string, Listed> = new Map([
  ["--app", "applications"],
  ["--git", "ranges"],
]);

/** The arguments and options of a command, from its definition. */
async function completed({ name, summary, load }: CommandRow, io: Io): Promise<CompletedCommand> {
  const command = new Command(name);
  (await load())(command, io, () => undefined);
  return {
    name,
    summary,
    choices: command.registeredArguments[0]?.argChoices ?? [],
    options: command
      .createHelp()
      .visibleOptions(command)
      .flatMap(({ long, short, description, required, optional, argChoices }) =>
        long === undefined || long === null
          ? []
          : [
              {
                long,
                short: short ?? undefined,
                summary: description,
                takesValue: required || optional,
                choices: argChoices ?? [],
                listed: LISTED.get(long),
              },
            ],
      ),
  };
}
