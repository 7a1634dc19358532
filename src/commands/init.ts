import type { Command } from "commander";
import { applicationsIn } from "../applications/compare/applications-in.ts";
import { dirname, join, relative, resolve } from "node:path";
import { isInGitFolder, isInside, leadsOut, gitFolderError } from "../base/inside.ts";
import { RollstampError, BAD, DONE, type ExitStatus } from "../base/errors.ts";
import type { FileProposal, InitChoices, InitOption, InitTarget } from "../setup/init/init-target.ts";
import { fittingPath } from "../setup/init/fitting-path.ts";
import { inventoryOf } from "../setup/init/inventory.ts";
import { surveyOf } from "../setup/init/survey.ts";
import { INIT_TARGETS } from "../setup/init/init-targets.ts";
import { coloredDiff, unifiedDiff } from "../findings/results/file-diff.ts";
import { shellPath, shellWord } from "../base/words.ts";
import { VERSION } from "../base/version.ts";
import { lineText, printable } from "../findings/results/terminal.ts";
import { wantsColor, type ColorWhen } from "./options.ts";
import type { Files } from "../platform/ports/files.ts";
import type { Io } from "../platform/ports/io.ts";
import type { DefineCommand } from "./command.ts";
import { idleWith, refuseIdleOptions, type Given, type IdleOption } from "./idle-options.ts";
import { NOTHING_WRITTEN, reportErrors } from "../applications/inputs/read-inputs.ts";

interface Options extends InitChoices {
  readonly color?: ColorWhen;
  readonly write?: boolean;
  readonly yes?: boolean;
}

/** Defines `rollstamp init`. */
export const defineInit: DefineCommand = (command, io, done) => {
  const width = Math.max(...INIT_TARGETS.map(({ name }) => name.length));
  refuseIdleOptions(command, IDLE);
  command
    .addArgument(
      command
        .createArgument("[host]", "the host to set up (default: what fits the repository)")
        .choices(INIT_TARGETS.map(({ name }) => name)),
    )
    .argument("[folder]", "the folder that the host renders", ".")
    .option("--write", "write the changes (default: only show them)")
    // What scripts pass to most programs that ask.
    .addOption(command.createOption("-y, --yes", "the same as --write").hideHelp())
    .option("--image <image>", `${takersOf("image")}: run this container image instead of the program`)
    .option("--plugin", `${takersOf("plugin")}: use the legacy plugin, which kubectl kustomize can run`)
    .option("--plan", `${takersOf("plan")}: also add a job that comments the rollout plan on pull requests`)
    .addHelpText(
      "after",
      `
Hosts:
${INIT_TARGETS.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`).join("\n")}

Shows the changes as a diff, and writes them with --write. A second run changes nothing.

Examples:
  # Show what fits this repository, and why
  rollstamp init

  # Stamp what kustomize builds from an overlay
  rollstamp init kustomize overlays/prod

  # Check pull requests, and comment the rollout plan on them
  rollstamp init github --plan --write
`,
    )
    .action(async (name: string | undefined, folder: string, options: Options, { args }: Pick<Command, "args">) => {
      if (name === undefined) done(await runFitting(io, options));
      else done(await runInit(io, targetOf(name), { folder, isNamed: args.length > 1 }, options));
    });
};

function takersOf(option: InitOption): string {
  return INIT_TARGETS.filter(({ takes }) => takes.includes(option))
    .map(({ name }) => name)
    .join(", ");
}

const IDLE: readonly IdleOption[] = [
  ...(["image", "plugin", "plan"] as const).map((option) => ({
    options: [`--${option}`],
    when: `for this host; it is for ${takersOf(option)}`,
    isIdle: ({ args: [host] }: Given) =>
      !INIT_TARGETS.some(({ name, takes }) => name === host && takes.includes(option)),
  })),
  // The legacy plugin is a program, not a container.
  idleWith("--plugin", "--image"),
];

function targetOf(name: string): InitTarget {
  const target = INIT_TARGETS.find((row) => row.name === name);
  if (target === undefined) throw new Error(`unknown host ${name}`);
  return target;
}

/** Sets up what fits the repository around the current folder. */
async function runFitting(io: Io, options: Options): Promise<ExitStatus> {
  const initial = await io.files.initFolder(".", io.context.limits);
  const root = join(".", initial.repository);
  const { target, folder, because } = await fittingPath(initial, {
    survey: () => surveyOf(io, root),
    inventory: () => inventoryOf(io, root),
  });
  io.writeStderr(`rollstamp: ${lineText(printable(because))}\n`);
  return runInit(io, target, { folder: join(root, folder), isNamed: false }, options);
}

interface Place {
  readonly folder: string;
  /** Whether the command line names it. */
  readonly isNamed: boolean;
}

async function runInit(io: Io, target: InitTarget, place: Place, options: Options): Promise<ExitStatus> {
  const { folder, isNamed } = place;
  const from = io.files.realPath(folder);
  if (from === undefined || io.files.kindOf(from) !== "folder") {
    throw new RollstampError("usage", from === undefined ? "folder not found" : "not a folder", {
      place: { file: folder },
      remedy:
        from === undefined
          ? "Use the folder that the host renders."
          : `Use its folder: rollstamp init ${target.name} ${shellPath(dirname(folder))}`,
    });
  }
  const initial = await io.files.initFolder(folder, io.context.limits);
  const git = { cwd: from, environment: io.environment };
  const {
    files,
    notes,
    settings = [],
    because = [],
    nothing = `${target.name} is set up already`,
  } = await target.propose(initial, {
    ...options,
    version: VERSION,
    isNamed,
    survey: (isPart, kustomizeInput) => surveyOf(io, join(folder, initial.repository), isPart, kustomizeInput),
    inventory: (isPart) => inventoryOf(io, join(folder, initial.repository), isPart),
    generated: async () => {
      const { applications } = await applicationsIn(io, [join(folder, initial.repository)], { isRendered: false });
      return applications.filter(({ foundBy }) => foundBy === "ApplicationSet");
    },
    git: () => io.git.wiring(git),
  });
  io.writeStderr(because.map((line) => `rollstamp: ${lineText(printable(line))}\n`).join(""));
  if (files.length + settings.length === 0) {
    io.writeStderr(`rollstamp: ${lineText(nothing)}\n${asNotes(notes)}`);
    return DONE;
  }
  const diff = unifiedDiff(files.map((file) => ({ ...file, path: relative(io.files.here(), join(from, file.path)) })));
  await io.writeStdout(wantsColor(options.color ?? "auto", io) ? coloredDiff(diff) : diff);
  await io.writeStdout(settings.map(({ key, value }) => `git config ${key} ${shellWord(value)}\n`).join(""));
  if (options.write !== true && options.yes !== true) {
    io.writeStderr(`${NOTHING_WRITTEN}  To write it: ${printable(commandOf(target, place, options))} --write\n`);
    return DONE;
  }
  const status = await writeAll(io, from, files);
  if (status !== DONE) return status;
  await io.git.configure(settings, git);
  io.writeStderr(asNotes(notes));
  return status;
}

function asNotes(notes: readonly string[]): string {
  return notes.map((note) => `  ${lineText(note)}\n`).join("");
}

/** The command as it was given, without --write. */
function commandOf(target: InitTarget, { folder, isNamed }: Place, { image, plugin, plan }: Options): string {
  const words = [
    "rollstamp",
    "init",
    target.name,
    ...(folder === "." && !isNamed ? [] : [shellPath(folder)]),
    ...(image === undefined ? [] : ["--image", shellWord(image)]),
    ...(plugin === true ? ["--plugin"] : []),
    ...(plan === true ? ["--plan"] : []),
  ];
  return words.join(" ");
}

async function writeAll(
  { files: disk, writeStderr }: Io,
  folder: string,
  files: readonly FileProposal[],
): Promise<ExitStatus> {
  const root = disk.repositoryOf(folder) ?? folder;
  for (const { path, root: within = root } of files) refuseOutside(disk, within, join(folder, path), path);
  // New files first: no file may refer to one that could not be written.
  for (const { path, before, after, executable } of files) {
    if (before === undefined) disk.create({ path: join(folder, path), text: after, executable: executable === true });
  }
  const changed = files.flatMap(({ path, before, after }) =>
    before === undefined
      ? []
      : [{ path, real: disk.realPath(join(folder, path)) ?? join(folder, path), before, text: after }],
  );
  const errors = await disk.replace(changed, { keepGoing: false });
  reportErrors({ writeStderr }, errors);
  return errors.length > 0 ? BAD : DONE;
}

/** A link must not lead a file out of the repository, nor to git's own files: only a proposal itself may name these. */
function refuseOutside(disk: Files, root: string, file: string, shown: string): void {
  let parent = file;
  while (disk.realPath(parent) === undefined) parent = dirname(parent);
  const [realRoot, real] = [disk.realPath(root) ?? root, disk.realPath(parent) ?? parent];
  if (!isInside(realRoot, real)) throw leadsOut(shown);
  if (isInGitFolder(realRoot, real) && !isInGitFolder(realRoot, resolve(file))) throw gitFolderError(shown);
}
