import { RollstampError } from "../base/errors.ts";
import { DONE, FOUND, type ExitStatus } from "../base/exit-status.ts";
import type { MergeOptions, ThreeFiles } from "../platform/ports/git.ts";
import type { Io } from "../platform/ports/io.ts";
import { mergeOwn, type Merged } from "../stamping/merge/merge-texts.ts";
import { errorText, pathText } from "../findings/results/terminal.ts";
import type { DefineCommand } from "./command.ts";

interface MergeDriverOptions {
  readonly markerSize: string;
  readonly base: string;
  readonly ours: string;
  readonly theirs: string;
}

/** Defines `rollstamp merge-driver`. */
export const defineMergeDriver: DefineCommand = (command, io, done) => {
  command
    .argument("<base>", "the file as both sides had it: git's %O")
    .argument("<ours>", "our side, which gets the result: %A")
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
Merges a file as git does, but that stamps, rollstamp.dev/restartedAt and rollstamp.dev/waiting never
conflict: either side's stay, of two restarts the later. 'rollstamp stamp' puts the digests right behind
it. Other conflicts stay, with markers, and the status is 1. git calls it: rollstamp init git.
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
    const merged = await mergeOwn(three, (texts) => io.git.mergeTexts(texts, how), limits);
    if (merged !== undefined) return await write(io, paths.ours, three.ours, merged);
  } catch (cause) {
    // What can't be read, for whatever reason, is git's alone.
    if (!(cause instanceof RollstampError)) throw cause;
  }
  try {
    return (await io.git.mergeFiles(paths, how)) > 0 ? FOUND : DONE;
  } catch (cause) {
    if (!(cause instanceof RollstampError)) throw cause;
    // Our side stays as it is, and in conflict: so git leaves what is binary.
    io.writeStderr(`rollstamp: ${pathText(path)}: ${errorText(cause)}\n`);
    return FOUND;
  }
}

async function write({ files }: Io, path: string, before: string, { text, conflicts }: Merged): Promise<ExitStatus> {
  const real = files.realPath(path) ?? path;
  const errors = text === before ? [] : await files.replace([{ path, real, before, text }], { keepGoing: false });
  const [error] = errors;
  if (error !== undefined) throw error;
  return conflicts > 0 ? FOUND : DONE;
}

/** Older gits don't know the names, and pass the placeholder as it is. */
function label(given: string, otherwise: string): string {
  return given === "" || /^%[SXY]$/u.test(given) ? otherwise : given;
}
