import { join, relative, resolve } from "node:path";
import type { NotExamined } from "../../findings/not-examined/not-examined.ts";
import { RollstampError } from "../../base/errors.ts";
import { isInside, leadsOut } from "../../base/inside.ts";
import type { Checkout, Checkouts } from "../../platform/ports/git.ts";
import type { Io } from "../../platform/ports/io.ts";
import {
  IF_MEANT,
  readSide,
  refuseEmpty,
  renderedSide,
  type PlanInputOptions,
  type PlanInputs,
  type SideReader,
} from "./plan-side-reader.ts";
import { joinSides, streamSide, type PlanSide } from "./plan-sides.ts";
import { waitingFor } from "../inputs/progress.ts";
import { gitEnvironment, parseRange } from "../inputs/revision-range.ts";
import { namingFiles, type NameOf } from "../inputs/tell-errors.ts";

/** Reads what two revisions hold, or what a command renders in a checkout of each. */
export async function readRevisions(
  reader: SideReader,
  paths: readonly string[],
  git: string,
): Promise<PlanInputs | undefined> {
  const { io, options } = reader;
  const place = { cwd: io.files.here(), environment: gitEnvironment(io.environment) };
  return io.git.withCheckouts(parseRange(git), place, async (checkouts) => {
    tellDirty(io, checkouts);
    const { base, head } = checkouts;
    const nameOf = namesByRevision([base, head]);
    const sides = await namingFiles(nameOf, () => readCheckouts({ ...reader, nameOf }, paths, checkouts));
    if (sides === undefined) return undefined;
    refuseEmpty(options, { side: sides.base, name: base.revision }, { side: sides.head, name: head.revision });
    return { ...joinSides(sides.base, sides.head), nameOf };
  });
}

/** Tells of changes that no plan sees. */
export function tellDirty(io: Io, { isDirty }: Pick<Checkouts, "isDirty">): void {
  if (isDirty)
    io.writeStderr("rollstamp: warning: the worktree has changes that are not committed: the plan doesn't see them\n");
}

/** Names of files in folders of ours as people know them: `main:deploy/web.yaml`. */
export function namesByRevision(checkouts: readonly Pick<Checkout, "folder" | "revision">[]): NameOf {
  return (text) =>
    checkouts.reduce((named, { folder, revision }) => named.replaceAll(`${folder}/`, `${revision}:`), text);
}

interface Sides {
  readonly base: PlanSide;
  readonly head: PlanSide;
}

async function readCheckouts(
  reader: SideReader,
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
      const [before = streamSide(undefined), after = streamSide(undefined)] = await Promise.all(renders);
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
  { io, options }: SideReader,
  command: string,
  checkout: Checkout,
  signal: AbortSignal,
): Promise<PlanSide> {
  const { revision, folder, root } = checkout;
  if (io.files.kindOf(folder) === undefined) return missing(options, "the current folder", revision);
  // A revision is not yet trusted: the command is run in what it has checked out, nowhere else.
  if (!isInside(io.files.realPath(root) ?? root, io.files.realPath(folder) ?? root))
    throw leadsOut(`${revision}:.`, "The render command is run in the folder itself: make it one in that revision.");
  const text = await io.programs.render(command, {
    cwd: folder,
    environment: gitEnvironment(io.environment),
    limits: io.context.limits,
    of: revision,
    allowEmpty: options.allowEmpty === true,
    signal,
  });
  return renderedSide(text, `the rendering of ${revision}`, io, options);
}

/** Reads the manifests at some paths of a checkout; undefined where some can't be read, which is told. */
export async function readCheckout(
  reader: SideReader,
  paths: readonly string[],
  { revision, folder, root }: Checkout,
): Promise<PlanSide | undefined> {
  const { files } = reader.io;
  const there = paths.filter((path) => files.kindOf(join(folder, path)) !== undefined);
  const absent = paths.find((path) => !there.includes(path));
  if (absent !== undefined) missing(reader.options, absent, revision);
  // A revision is not yet trusted: a folder that it makes a link would show what is on this machine.
  const outside = there.find(
    (path) => !isInside(files.realPath(root) ?? root, files.realPath(join(folder, path)) ?? root),
  );
  if (outside !== undefined) throw leadsOut(`${revision}:${outside}`);
  if (there.length === 0) return streamSide(undefined);
  const inSide = (path: string): string => fromFolder(folder, path);
  const side = await readSide(
    reader,
    there.map((path) => join(folder, path)),
    { inSide, shown: inSide },
  );
  return side === undefined
    ? undefined
    : { ...side, read: { ...side.read, notExamined: side.read.notExamined.map(rebuilt) } };

  // What a temporary checkout calls the folder of a kustomization, people know from where they are.
  function rebuilt({ builtFrom, ...row }: NotExamined): NotExamined {
    if (builtFrom === undefined) return row;
    const real = resolve(files.here(), builtFrom);
    return { ...row, builtFrom: relative(files.realPath(folder) ?? folder, real) || "." };
  }
}

function fromFolder(folder: string, path: string): string {
  if (path === folder) return ".";
  return path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;
}

/** What a revision lacks is nothing, if that may be. */
function missing({ allowEmpty }: PlanInputOptions, what: string, revision: string): PlanSide {
  if (allowEmpty === true) return streamSide(undefined);
  throw new RollstampError("input", `${what} is not in ${revision}`, { remedy: IF_MEANT });
}
