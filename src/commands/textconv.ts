import { DONE } from "../base/exit-status.ts";
import { withoutOwnEntries } from "../stamping/merge/merge-texts.ts";
import type { DefineCommand } from "./command.ts";

/** Defines `rollstamp textconv`. */
export const defineTextconv: DefineCommand = (command, io, done) => {
  command
    .argument("<file>", "a file with manifests")
    .addHelpText("after", TEXTCONV_HELP)
    .action(async (file: string) => {
      const { limits } = io.context;
      await io.writeStdout(withoutOwnEntries(io.readNamed(file, limits), limits));
      done(DONE);
    });
};

const TEXTCONV_HELP = `
Prints a file without stamps, rollstamp.dev/restartedAt and rollstamp.dev/waiting, for git diff, git show
and git log -p. What can't be read as YAML is printed as it is.

Examples:
  git -c diff.rollstamp.textconv='rollstamp textconv' diff     once, behind rollstamp init git
  rollstamp init git --hide-stamps                             always; git diff --no-textconv shows all
`;
