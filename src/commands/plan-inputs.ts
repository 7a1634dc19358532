import { existsSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { readNamed } from "../adapters/repository-files.ts";
import { leadsOut } from "../adapters/repository-files.ts";
import { gitEnvironment, parseRange, withCheckouts, type Checkout, type Checkouts } from "../adapters/git.ts";
import { readManifestFiles, STDIN } from "../adapters/manifest-files.ts";
import { render } from "../adapters/render.ts";
import { isInside } from "../ground/inside.ts";
import { RollstampError } from "../ground/errors.ts";
import { readManifests, type Manifests } from "../manifest/items.ts";
import { kindOf } from "../manifest/node.ts";
import { readTree } from "../manifest/tree.ts";
import { findingLines } from "../results/terminal.ts";
import type { Io } from "./command.ts";
import { tellErrors } from "./file-changes.ts";
import { progressOf, waitingFor } from "./progress.ts";

/** The two renderings that a plan compares. */
export interface PlanInputs {
  readonly base: readonly Manifests[];
  readonly head: readonly Manifests[];
  /** Names of files in temporary folders as people know them: `main:deploy/web.yaml`. */
  readonly nameOf: (text: string) => string;
}

export interface InputOptions {
  readonly git?: string;
  readonly render?: string;
  readonly allowEmpty?: boolean;
  readonly kustomizeInput?: boolean;
  /** BASE is the cluster. */
  readonly live?: boolean;
}

/** Reads both renderings; undefined where one can't be read, which is told. */
export async function readInputs(
  io: Io,
  paths: readonly string[],
  options: InputOptions,
  configFile: string | undefined,
): Promise<PlanInputs | undefined> {
  refuseContradictions(paths, options);
  const reader: Reader = { io, options, configFile, nameOf: (text) => text };
  if (options.git !== undefined) return readRevisions(reader, paths, options.git);
  if (options.live === true) return readHead(reader, paths[0] ?? "");
  const [basePath = "", headPath = ""] = paths;
  const base = await readSides(reader, [basePath]);
  const head = await readSides(reader, [headPath]);
  if (base === undefined || head === undefined) return undefined;
  refuseEmpty(options, base, basePath === STDIN ? "standard input" : basePath);
  refuseEmpty(options, head, headPath === STDIN ? "standard input" : headPath);
  return { base, head, nameOf: reader.nameOf };
}

/** The rendering that is compared with the cluster. */
async function readHead(reader: Reader, path: string): Promise<PlanInputs | undefined> {
  const head = await readSides(reader, [path]);
  if (head === undefined) return undefined;
  refuseEmpty(reader.options, head, path === STDIN ? "standard input" : path);
  return { base: [], head, nameOf: (text) => text };
}

interface Reader {
  readonly io: Io;
  readonly options: InputOptions;
  /** The real path of the configuration, which is no manifest. */
  readonly configFile: string | undefined;
  readonly nameOf: PlanInputs["nameOf"];
}

function refuseContradictions(paths: readonly string[], { git, render: command, live }: InputOptions): void {
  const wrong = (message: string, remedy: string): RollstampError => new RollstampError("usage", message, { remedy });
  if (live === true) {
    const remedy = "Give one file or folder, or - for standard input: what would be applied.";
    if (git !== undefined || command !== undefined)
      throw wrong("--live can't go together with --git or --render", remedy);
    if (paths.length !== 1)
      throw wrong(`plan --live compares one rendering with the cluster, and ${paths.length} are given`, remedy);
    return;
  }
  if (git === undefined) {
    const remedy = "Give two files or folders, - for standard input, or --git A..B with --render 'COMMAND'.";
    if (command !== undefined) throw wrong("--render needs --git: it runs in a checkout of each revision", remedy);
    if (paths.length !== 2)
      throw wrong(
        `plan compares two renderings, and ${paths.length === 0 ? "none is" : paths.length === 1 ? "one is" : `${paths.length} are`} given`,
        remedy,
      );
    if (paths.every((path) => path === STDIN))
      throw wrong("only one of the two renderings can be standard input", remedy);
    return;
  }
  const remedy =
    "Give the command that renders them (--render 'kustomize build overlays/prod'), or the files and folders that hold them.";
  if (command !== undefined && paths.length > 0) throw wrong("--render can't go together with paths", remedy);
  if (command === undefined && paths.length === 0) throw wrong("--git needs to know where the manifests are", remedy);
  if (paths.includes(STDIN)) throw wrong("standard input has no revisions", remedy);
}

/** Reads the manifests of one side; undefined where some can't be read, which is told. */
async function readSides(
  { io, options, configFile, nameOf }: Reader,
  paths: readonly string[],
): Promise<readonly Manifests[] | undefined> {
  const [only] = paths;
  if (only !== undefined && paths.length === 1) {
    // One that is given by itself is read wherever it stands: also beside a kustomization.
    if (only === STDIN) return readOne(await io.readStdin(io.context.limits), "stdin", io, options);
    if (existsSync(only) && statSync(only).isFile())
      return readOne(readNamed(only, io.context.limits.inputSize), only, io, options);
  }
  const progress = progressOf(io, "reading manifests");
  const read = await readManifestFiles(paths, {
    limits: io.context.limits,
    kustomizeInput: options.kustomizeInput === true,
    onProgress: progress.report,
    ...(configFile === undefined ? {} : { except: new Set([configFile]) }),
  });
  progress.end();
  tellErrors(
    io,
    read.errors.map((error) => renamed(error, nameOf)),
  );
  const findings = read.findings.map((finding) => ({
    ...finding,
    params: { paths: finding.params.paths.map(nameOf) },
  }));
  io.writeStderr(findingLines(findings));
  return read.errors.length > 0 ? undefined : read.files.map(({ manifests }) => manifests);
}

function readOne(text: string, file: string, { context }: Io, { allowEmpty }: InputOptions): readonly Manifests[] {
  const tree = readTree(text, file, context.limits);
  const isEmpty = tree.documents.every((root) => kindOf(tree, root) === "null");
  return isEmpty && allowEmpty === true ? [] : [readManifests(tree)];
}

function refuseEmpty({ allowEmpty }: InputOptions, side: readonly Manifests[], name: string): void {
  if (allowEmpty === true || side.some(({ items }) => items.length > 0)) return;
  throw new RollstampError("input", `there are no Kubernetes manifests in ${name}`, {
    remedy: "Everything would count as created or deleted. If that is meant, give --allow-empty.",
  });
}

async function readRevisions(reader: Reader, paths: readonly string[], git: string): Promise<PlanInputs | undefined> {
  const { io, options } = reader;
  const environment = { ...io.environment };
  return withCheckouts(parseRange(git), { cwd: process.cwd(), environment }, async (checkouts) => {
    if (checkouts.isDirty) {
      io.writeStderr(
        "rollstamp: warning: the worktree has changes that are not committed: the plan doesn't see them\n",
      );
    }
    const { base, head } = checkouts;
    const nameOf = (text: string): string =>
      text.replaceAll(`${base.folder}/`, `${base.revision}:`).replaceAll(`${head.folder}/`, `${head.revision}:`);
    const sides = await namingFiles(nameOf, () => readCheckouts({ ...reader, nameOf }, paths, checkouts));
    if (sides === undefined) return undefined;
    refuseEmpty(options, sides.base, base.revision);
    refuseEmpty(options, sides.head, head.revision);
    return { ...sides, nameOf };
  });
}

type Sides = Pick<PlanInputs, "base" | "head">;

async function readCheckouts(
  reader: Reader,
  paths: readonly string[],
  checkouts: Checkouts,
): Promise<Sides | undefined> {
  const { base, head } = checkouts;
  const command = reader.options.render;
  if (command !== undefined) {
    const controller = new AbortController();
    const renders = [base, head].map((checkout) => renderOne(reader, command, checkout, controller.signal));
    const progress = waitingFor(reader.io, `rendering ${base.revision} and ${head.revision}`);
    try {
      const [before = [], after = []] = await Promise.all(renders);
      return { base: before, head: after };
    } finally {
      progress.end();
      // Where one has failed the other one has nothing left to do; its folder goes when it has ended.
      controller.abort();
      await Promise.allSettled(renders);
    }
  }
  const before = await readCheckout(reader, paths, base);
  const after = await readCheckout(reader, paths, head);
  return before === undefined || after === undefined ? undefined : { base: before, head: after };
}

async function renderOne(
  { io, options }: Reader,
  command: string,
  checkout: Checkout,
  signal: AbortSignal,
): Promise<readonly Manifests[]> {
  const { revision, folder } = checkout;
  if (!existsSync(folder)) return missing(options, "the current folder", revision);
  const text = await render(command, {
    cwd: folder,
    environment: gitEnvironment({ ...io.environment }),
    limits: io.context.limits,
    of: revision,
    allowEmpty: options.allowEmpty === true,
    signal,
  });
  return readOne(text, `the rendering of ${revision}`, io, options);
}

async function readCheckout(
  reader: Reader,
  paths: readonly string[],
  { revision, folder, root }: Checkout,
): Promise<readonly Manifests[] | undefined> {
  const there = paths.filter((path) => existsSync(join(folder, path)));
  const absent = paths.find((path) => !there.includes(path));
  if (absent !== undefined) missing(reader.options, absent, revision);
  // A revision is not yet trusted: a folder that it makes a link would show what is on this machine.
  const outside = there.find((path) => !isInside(realpathSync(root), realpathSync(join(folder, path))));
  if (outside !== undefined) throw leadsOut(`${revision}:${outside}`);
  return there.length === 0
    ? []
    : readSides(
        reader,
        there.map((path) => join(folder, path)),
      );
}

/** What a revision lacks is nothing, if that may be. */
function missing({ allowEmpty }: InputOptions, what: string, revision: string): readonly Manifests[] {
  if (allowEmpty === true) return [];
  throw new RollstampError("input", `${what} is not in ${revision}`, {
    remedy: "Everything would count as created or deleted. If that is meant, give --allow-empty.",
  });
}

/** Runs something whose errors may name files in temporary folders. */
export async function namingFiles<T>(nameOf: (text: string) => string, run: () => T | Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (cause) {
    throw cause instanceof RollstampError ? renamed(cause, nameOf) : cause;
  }
}

function renamed({ code, message, place, remedy }: RollstampError, nameOf: PlanInputs["nameOf"]): RollstampError {
  return new RollstampError(code, nameOf(message), {
    ...(place === undefined ? {} : { place: { ...place, file: nameOf(place.file) } }),
    ...(remedy === undefined ? {} : { remedy: nameOf(remedy) }),
  });
}
