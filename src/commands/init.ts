import { dirname, join, relative } from "node:path";
import { isInside, leadsOut } from "../base/inside.ts";
import { RollstampError } from "../base/errors.ts";
import { BAD, DONE, type ExitStatus } from "../base/exit-status.ts";
import type { FileProposal, InitChoices, InitOption, InitTarget } from "../setup/init/init-target.ts";
import { surveyOf } from "../setup/init/survey.ts";
import { INIT_TARGETS } from "../setup/init/init-targets.ts";
import { coloredDiff, unifiedDiff } from "../findings/results/file-diff.ts";
import { shellWord } from "../base/words.ts";
import { VERSION } from "../base/version.ts";
import { lineText, printable } from "../findings/results/terminal.ts";
import { wholeNumber } from "./options.ts";
import { wantsColor, type ColorWhen } from "./color.ts";
import type { Files } from "../platform/ports/files.ts";
import type { Io } from "../platform/ports/io.ts";
import type { DefineCommand } from "./command.ts";
import { beside, refuseIdleOptions, without, type Given, type IdleOption } from "./idle-options.ts";
import { NOTHING_WRITTEN, tellErrors } from "../applications/inputs/read-inputs.ts";

interface Options extends InitChoices {
  readonly color?: ColorWhen;
  readonly yes?: boolean;
}

/** Defines `rollstamp init`. */
export const defineInit: DefineCommand = (command, io, done) => {
  const width = Math.max(...INIT_TARGETS.map(({ name }) => name.length));
  refuseIdleOptions(command, IDLE);
  command
    .addArgument(command.createArgument("<host>", "what to wire it into").choices(INIT_TARGETS.map(({ name }) => name)))
    .argument("[folder]", "the folder that the host renders", ".")
    .option("-y, --yes", "write without asking")
    .option("--image <image>", `${takersOf("image")}: run this container image instead of the command`)
    .option("--plugin", `${takersOf("plugin")}: the legacy plugin, which kubectl kustomize can run`)
    .option("--restarts", `${takersOf("restarts")}: a job for scheduled restarts as well`)
    .option("--restamp", `${takersOf("restamp")}: a job that stamps a branch again as well`)
    .option("--plan", `${takersOf("plan")}: jobs that plan what a pull request rolls as well, as one comment`)
    .option("--shards <n>", `${takersOf("shards")}: by how many jobs (default: by the number of applications)`, shards)
    .option("--hide-stamps", `${takersOf("hide-stamps")}: git diff shows no stamps in this clone`)
    .addHelpText(
      "after",
      `
Hosts:
${INIT_TARGETS.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`).join("\n")}

Shows what it is to change and asks. What is wired already stays as it is.

Examples:
  rollstamp init kustomize overlays/prod
  rollstamp init github --restarts --yes
  rollstamp init gitlab --plan             what a merge request rolls, by one job or by several
`,
    )
    .action(async (name: string, folder: string, options: Options) => {
      done(await runInit(io, name, folder, options));
    });
};

const MOST_SHARDS = 100;

function shards(text: string): number {
  const n = wholeNumber(text);
  if (n >= 1 && n <= MOST_SHARDS) return n;
  throw new RollstampError("usage", `--shards ${text}: 1 to ${MOST_SHARDS} jobs plan`, {
    remedy: "Write a number such as 3.",
  });
}

/** The hosts that take an option. */
function takersOf(option: InitOption): string {
  return INIT_TARGETS.filter(({ takes }) => takes.includes(option))
    .map(({ name }) => name)
    .join(", ");
}

const IDLE: readonly IdleOption[] = [
  ...(["image", "plugin", "restarts", "restamp", "plan", "shards", "hide-stamps"] as const).map((option) => ({
    options: [`--${option}`],
    when: `but for ${takersOf(option)}`,
    isIdle: ({ args: [host] }: Given) =>
      !INIT_TARGETS.some(({ name, takes }) => name === host && takes.includes(option)),
  })),
  without("--plan", "--shards"),
  // The legacy plugin is a program: no container runs it.
  beside("--plugin", "--image"),
];

async function runInit(io: Io, name: string, folder: string, options: Options): Promise<ExitStatus> {
  const target = INIT_TARGETS.find((row) => row.name === name);
  if (target === undefined) throw new Error(`there is no host ${name}`);
  const from = io.files.realPath(folder);
  if (from === undefined || io.files.kindOf(from) !== "folder") {
    throw new RollstampError("usage", "there is no such folder", {
      place: { file: folder },
      remedy: "Give the folder that the host renders.",
    });
  }
  const initial = await io.files.initFolder(folder, io.context.limits);
  const survey =
    target.looks === true ? await surveyOf(io, join(folder, initial.repository), options.plan === true) : undefined;
  const git = { cwd: from, environment: io.environment };
  const wiring = target.takes.includes("hide-stamps") ? await io.git.wiring(git) : undefined;
  const {
    files,
    notes,
    settings = [],
    because = [],
  } = target.propose(initial, {
    ...options,
    version: VERSION,
    survey: () => given(survey),
    git: () => given(wiring),
  });
  io.writeStderr(because.map((line) => `rollstamp: ${lineText(printable(line))}\n`).join(""));
  if (files.length + settings.length === 0) {
    io.writeStderr(`rollstamp: ${target.name} is wired already\n${asNotes(notes)}`);
    return DONE;
  }
  const diff = unifiedDiff(files.map((file) => ({ ...file, path: relative(io.files.here(), join(from, file.path)) })));
  await io.writeStdout(wantsColor(options.color ?? "auto", io) ? coloredDiff(diff) : diff);
  await io.writeStdout(settings.map(({ key, value }) => `git config ${key} ${shellWord(value)}\n`).join(""));
  if (!(await isWanted(io, target, options))) {
    io.writeStderr(NOTHING_WRITTEN);
    return io.stdinIsTerminal ? DONE : BAD;
  }
  const status = await writeAll(io, from, files);
  if (status !== DONE) return status;
  await io.git.configure(settings, git);
  io.writeStderr(asNotes(notes));
  return status;
}

function given<T>(survey: T | undefined): T {
  if (survey === undefined) throw new Error("a host that looks at the repository says so");
  return survey;
}

function asNotes(notes: readonly string[]): string {
  return notes.map((note) => `  ${note}\n`).join("");
}

async function isWanted(io: Io, target: InitTarget, { yes }: Options): Promise<boolean> {
  if (yes === true) return true;
  if (io.stdinIsTerminal) return io.confirm(`Wire rollstamp into ${target.name} so?`);
  io.writeStderr("rollstamp: this is no terminal to ask on: give --yes\n");
  return false;
}

async function writeAll(
  { files: disk, writeStderr }: Io,
  folder: string,
  files: readonly FileProposal[],
): Promise<ExitStatus> {
  const root = disk.repositoryOf(folder) ?? folder;
  for (const { path } of files) refuseOutside(disk, root, join(folder, path), path);
  // New files first: nothing may refer to one that could not be written.
  for (const { path, before, after, executable } of files) {
    if (before === undefined) disk.create({ path: join(folder, path), text: after, executable: executable === true });
  }
  const known = files.flatMap(({ path, before, after }) =>
    before === undefined
      ? []
      : [{ path, real: disk.realPath(join(folder, path)) ?? join(folder, path), before, text: after }],
  );
  const errors = await disk.replace(known, { keepGoing: false });
  tellErrors({ writeStderr }, errors);
  return errors.length > 0 ? BAD : DONE;
}

/** A link in the folder must not lead a file of ours to where nobody expects it. */
function refuseOutside(disk: Files, root: string, file: string, shown: string): void {
  let at = file;
  while (disk.realPath(at) === undefined) at = dirname(at);
  if (!isInside(disk.realPath(root) ?? root, disk.realPath(at) ?? at)) throw leadsOut(shown);
}
