import { join, relative, resolve } from "node:path";
import type { Files } from "../../platform/ports/files.ts";
import { RollstampError } from "../../base/errors.ts";
import { isInside, leadsOut } from "../../base/inside.ts";
import type { Checkout, Checkouts } from "../../platform/ports/git.ts";
import type { Io } from "../../platform/ports/io.ts";
import { comparedRange } from "./compared-range.ts";
import {
  ALLOW_EMPTY_REMEDY,
  joinSides,
  type PlanInputOptions,
  type PlanSide,
  type PlanSides,
  readSide,
  refuseEmpty,
  renderedSide,
  type SideReader,
  streamSide,
} from "./plan-sides.ts";
import { waitingFor } from "../inputs/progress.ts";
import { gitEnvironment, parseRange } from "../inputs/revision-range.ts";

/** Reads the manifests of two revisions, or those that a command renders in a checkout of each. */
export async function readRevisions(
  reader: SideReader,
  paths: readonly string[],
  git: string,
): Promise<PlanSides | undefined> {
  const { io, options } = reader;
  const place = { cwd: io.files.here(), environment: gitEnvironment(io.environment) };
  const range = parseRange(git);
  return io.git.withCheckouts(range, place, async (checkouts) => {
    reportDirty(io, checkouts);
    const { base, head } = checkouts;
    const sides = await readCheckouts(reader, paths, checkouts);
    if (sides === undefined) return undefined;
    refuseEmpty(options, { side: sides.base, name: base.revision }, { side: sides.head, name: head.revision });
    const prefix = relative(head.root, head.folder);
    const compared = await comparedRange(io, range, { base: base.commit, head: head.commit, prefix });
    return { ...joinSides(sides.base, sides.head, io.files.areSame), compared };
  });
}

/** Warns of uncommitted changes, which no plan includes. */
export function reportDirty(io: Io, { isDirty }: Pick<Checkouts, "isDirty">): void {
  if (isDirty)
    io.writeStderr("rollstamp: warning: the worktree has uncommitted changes, which the plan doesn't include\n");
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
      // If one has failed, end the other one, and wait for it before its folder is removed.
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
  // A revision is not trusted yet: the command runs in its checkout, and nowhere else.
  if (!isInside(io.files.realPath(root) ?? root, io.files.realPath(folder) ?? root))
    throw leadsOut(`${revision}:.`, "The render command runs in this folder: make it a folder in that revision.");
  const text = await io.programs.render(command, {
    cwd: folder,
    environment: gitEnvironment(io.environment),
    limits: io.context.limits,
    revision,
    allowEmpty: options.allowEmpty === true,
    signal,
  });
  return renderedSide(text, `the rendering of ${revision}`, io, options);
}

/** Reads the manifests at some paths of a checkout. Undefined if some can't be read; the errors have been printed. */
async function readCheckout(
  reader: SideReader,
  paths: readonly string[],
  { revision, folder, root }: Checkout,
): Promise<PlanSide | undefined> {
  const { files } = reader.io;
  const there = paths.filter((path) => files.kindOf(join(folder, path)) !== undefined);
  const absent = paths.find((path) => !there.includes(path));
  if (absent !== undefined) missing(reader.options, absent, revision);
  // A revision is not trusted yet: a link in it could show other files of this machine.
  const outside = there.find(
    (path) => !isInside(files.realPath(root) ?? root, files.realPath(join(folder, path)) ?? root),
  );
  if (outside !== undefined) throw leadsOut(`${revision}:${outside}`);
  if (there.length === 0) return streamSide(undefined);
  const inSide = (path: string): string => path.slice(revision.length + 1);
  return readSide(
    { ...reader, io: { ...reader.io, files: filesOfCheckout(files, { revision, folder }) } },
    there.map((path) => join(folder, path)),
    { inSide, shown: inSide },
  );
}

/**
 * Files whose paths in a checkout are found as `main:deploy/web.yaml`, so that no message contains the path of the temporary
 * folder.
 */
function filesOfCheckout(files: Files, { revision, folder }: Pick<Checkout, "revision" | "folder">): Files {
  const named = <T extends { readonly path: string }>(found: T): T => ({ ...found, path: nameOf(found.path) });
  const nameOf = (path: string): string => `${revision}:${relative(folder, path) || "."}`;
  const withName = (error: RollstampError): RollstampError => {
    const { code, message, place, remedy } = error;
    return place === undefined
      ? error
      : new RollstampError(code, message, { place: { ...place, file: nameOf(place.file) }, remedy });
  };
  return {
    ...files,
    find: (paths, options) => {
      const found = files.find(paths, options);
      return {
        files: found.files.map(named),
        kustomizeInput: found.kustomizeInput.map(({ builtFrom, ...row }) => ({
          ...named(row),
          ...(builtFrom === undefined ? {} : { builtFrom: builtIn(builtFrom) }),
        })),
        charts: found.charts.map(nameOf),
        left: found.left.map(({ error, ...row }) => ({ ...named(row), ...(error && { error: withName(error) }) })),
        errors: found.errors.map(withName),
      };
    },
  };

  function builtIn(builtFrom: string): string {
    return relative(files.realPath(folder) ?? folder, resolve(files.here(), builtFrom)) || ".";
  }
}

/** With --allow-empty, something that a revision doesn't have counts as empty. */
function missing({ allowEmpty }: PlanInputOptions, what: string, revision: string): PlanSide {
  if (allowEmpty === true) return streamSide(undefined);
  throw new RollstampError("input", `${what} is not in ${revision}`, { remedy: ALLOW_EMPTY_REMEDY });
}
