import { DONE } from "../base/errors.ts";
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
and git log -p. A file that is not YAML is printed unchanged.

Examples:
  # Hide stamps in one diff, after 'rollstamp init git'
  git -c diff.rollstamp.textconv='rollstamp textconv' diff

  # Hide stamps in all diffs of this clone; git diff --no-textconv shows them
  rollstamp init git --hide-stamps
`;
