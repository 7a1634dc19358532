import { quietly, RollstampError, DONE, FOUND, type ExitStatus } from "../base/errors.ts";
import type { MergeOptions, ThreeFiles } from "../platform/ports/git.ts";
import type { Io } from "../platform/ports/io.ts";
import { withoutOwnHunks } from "../stamping/merge/conflict-hunks.ts";
import type { Merged } from "../stamping/merge/merge-texts.ts";
import { mergeWithCopies } from "../stamping/merge/own-copies.ts";
import { readConfigs } from "../applications/inputs/config-file.ts";
import { readConfigHash } from "../stamping/function/config-hash.ts";
import { errorText, pathText } from "../findings/results/terminal.ts";
import type { DefineCommand } from "./command.ts";

interface MergeDriverOptions extends ThreeFiles {
  readonly markerSize: string;
}

/** Defines `rollstamp merge-driver`. */
export const defineMergeDriver: DefineCommand = (command, io, done) => {
  command
    .argument("<base>", "the file before both sides changed it: %O of git")
    .argument("<ours>", "our side, which is overwritten with the result: %A")
    .argument("<theirs>", "their side: %B")
    .argument("<path>", "the path in the repository, for messages: %P")
    .option("--marker-size <n>", "the length of conflict markers: %L", "7")
    .option("--base <label>", "the name of the base in conflicts: %S", "base")
    .option("--ours <label>", "the name of our side: %X", "ours")
    .option("--theirs <label>", "the name of their side: %Y", "theirs")
    .addHelpText("after", MERGE_DRIVER_HELP)
    .action(async (base: string, ours: string, theirs: string, path: string, options: MergeDriverOptions) => {
      done(await runMergeDriver(io, { base, ours, theirs }, path, options));
    });
};

const MERGE_DRIVER_HELP = `
Merges a file as git does, except that stamps, rollstamp.dev/restartedAt and rollstamp.dev/waiting never
conflict: it keeps the stamps of either side and the later restart. Run 'rollstamp stamp' after the merge
to update the stamps. Other conflicts get markers, and the status is 1. Git runs this command once
'rollstamp init git' has set it up.

Examples:
  # What 'rollstamp init git' configures
  rollstamp merge-driver --marker-size %L --base %S --ours %X --theirs %Y -- %O %A %B %P
`;

async function runMergeDriver(
  io: Io,
  paths: ThreeFiles,
  path: string,
  options: MergeDriverOptions,
): Promise<ExitStatus> {
  const limits = io.context.limits;
  const how: MergeOptions = {
    cwd: io.files.here(),
    environment: io.environment,
    limits,
    markerSize: /^[1-9]\d{0,2}$/u.test(options.markerSize) ? Number(options.markerSize) : 7,
    labels: [label(options.ours, "ours"), label(options.base, "base"), label(options.theirs, "theirs")],
  };
  try {
    const three = {
      base: io.readNamed(paths.base, limits),
      ours: io.readNamed(paths.ours, limits),
      theirs: io.readNamed(paths.theirs, limits),
    };
    const merged = await mergeWithCopies(three, (texts) => io.git.mergeTexts(texts, how), {
      limits,
      isVersioned: isVersioned(io, path),
    });
    if (merged !== undefined) return await write(io, paths.ours, three.ours, withoutOwnHunks(merged, limits));
  } catch (cause) {
    // Git alone merges what can't be read.
    if (!(cause instanceof RollstampError)) throw cause;
  }
  try {
    return (await io.git.mergeFiles(paths, how)) > 0 ? FOUND : DONE;
  } catch (cause) {
    if (!(cause instanceof RollstampError)) throw cause;
    // Keep our side and report a conflict, as git does for binary files.
    io.writeStderr(`rollstamp: ${pathText(path)}: ${errorText(cause)}\n`);
    return FOUND;
  }
}

/** Whether the configuration of a file asks for copies. An invalid one is reported by the commands that need it. */
function isVersioned(io: Io, path: string): boolean {
  const config = quietly(() => readConfigHash(readConfigs(io, [path], undefined).forKind("ConfigHash").config));
  return config?.layout === "Versioned";
}

async function write({ files }: Io, path: string, before: string, { text, conflicts }: Merged): Promise<ExitStatus> {
  const real = files.realPath(path) ?? path;
  const errors = text === before ? [] : await files.replace([{ path, real, before, text }], { keepGoing: false });
  const [error] = errors;
  if (error !== undefined) throw error;
  return conflicts > 0 ? FOUND : DONE;
}

/** Older versions of git pass an unknown placeholder through. */
function label(given: string, fallback: string): string {
  return given === "" || /^%[SXY]$/u.test(given) ? fallback : given;
}
