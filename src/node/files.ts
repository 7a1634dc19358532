import { randomBytes } from "node:crypto";
import {
  accessSync,
  type BigIntStats,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { errorCode, RollstampError } from "../base/errors.ts";
import { findFiles, findUpwards } from "./find-files.ts";
import { interrupts } from "./process-end.ts";
import { readFound, readInPlace, repositoryOf } from "./repository-files.ts";
import { areSame } from "./same-content.ts";
import type { Files, NewFile, Replacement, ReplaceOptions } from "../platform/ports/files.ts";

/** The files of this machine. */
export const FILES: Files = {
  here: () => realpathSync(process.cwd()),
  kindOf: (path) => {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return undefined;
    return stats.isDirectory() ? "folder" : stats.isFile() ? "file" : "special";
  },
  realPath: (path) => {
    try {
      return realpathSync(path);
    } catch {
      return undefined;
    }
  },
  repositoryOf,
  findUpwards,
  find: findFiles,
  read: ({ real, path }, { inputSize }) => readInPlace(real, path, inputSize),
  areSame,
  readFound,
  chartTemplates: async (...given) => (await import("./setup-files.ts")).readChartTemplates(...given),
  valuesFiles: async (...given) => (await import("./setup-files.ts")).readValuesFiles(...given),
  initFolder: async (...given) => (await import("./setup-files.ts")).initFolder(...given),
  replace: replaceFiles,
  create,
};

function create({ path, text, executable }: NewFile): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    // Never overwrite a file that was created meanwhile.
    writeFileSync(path, text, { flag: "wx", mode: executable ? 0o777 : 0o666 });
  } catch (cause) {
    throw new RollstampError("system", `the file can't be written (${errorCode(cause)})`, {
      place: { file: path },
      remedy: "Check the permissions of its folder.",
    });
  }
}

/**
 * Replaces the text of files and keeps their mode and owner. First every text is written to a new file beside the old one; then
 * each new file is renamed over the old one. So every file is complete at every moment, and a full disk changes none. Returns
 * an error for each file that could not be written; without `keepGoing`, one error means that nothing was written. After an
 * interrupt, either all files are unchanged or all are replaced. A file that has changed since it was read stays as it is:
 * that is checked before anything is written, and again right before its rename.
 *
 * write-file-atomic (7.0.1) is not used: it takes a short write for a whole one, and puts the torn text of a full disk in
 * place. Like git for a worktree, this does not sync to disk: 1,000 files would take seconds. A power cut is not covered.
 */
export async function replaceFiles(
  replacements: readonly Replacement[],
  options: ReplaceOptions,
): Promise<readonly RollstampError[]> {
  const interrupt = interrupts();
  const written: Beside[] = [];
  const errors: RollstampError[] = [];
  const removeAll = (): void => {
    for (const { beside } of written) remove(beside);
  };
  try {
    for (const [i, replacement] of replacements.entries()) {
      try {
        written.push(writeBeside(replacement));
      } catch (cause) {
        errors.push(unwritable(replacement, cause));
        if (!options.keepGoing) break;
      }
      if (i % INTERRUPTIBLE === 0) await setImmediate();
      if (interrupt.signal.aborted) break;
    }
    if ((errors.length > 0 && !options.keepGoing) || interrupt.signal.aborted) {
      removeAll();
      return errors;
    }
    for (const { replacement, beside, state } of written) {
      try {
        if (stateOf(statSync(replacement.real, { bigint: true })) !== state) throw new Changed();
        renameSync(beside, replacement.real);
      } catch (cause) {
        remove(beside);
        errors.push(unwritable(replacement, cause));
      }
    }
    return errors;
  } finally {
    await setImmediate();
    interrupt.done();
  }
}

/** How many files are written between two checks for signals. */
const INTERRUPTIBLE = 64;

/** A new file that waits for its rename. */
interface Beside {
  readonly replacement: Replacement;
  readonly beside: string;
  /** The state of the old file when its content was compared. */
  readonly state: string;
}

/** The file has changed since it was read. */
class Changed extends Error {
  readonly code = "CHANGED";
}

/** The file can't be read again for comparison. */
class Unread extends Error {
  readonly code: string;

  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

/** Changes whenever a file is written or replaced. */
function stateOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs}`;
}

/** Writes text to a new file beside the old one, with its mode and owner. */
function writeBeside(replacement: Replacement): Beside {
  const { path, real, before, text } = replacement;
  const stats = statSync(real, { bigint: true });
  const read = readInPlace(real, path, Buffer.byteLength(before, "utf8"));
  if (read.is === "refused")
    throw read.because === "leadsOut" || read.because === "tooLarge" ? new Changed() : new Unread(read.code);
  if (read.text !== before) throw new Changed();
  // A rename needs only the folder's permission, but a read-only file must stay.
  accessSync(real, constants.W_OK);
  const [mode, uid, gid] = [Number(stats.mode), Number(stats.uid), Number(stats.gid)];
  const beside = join(dirname(real), `.${basename(real)}.rollstamp-${randomBytes(4).toString("hex")}`);
  // It may contain a Secret: nobody else may read it before it has the final mode.
  const descriptor = openSync(beside, "wx", 0o600);
  try {
    try {
      // Unlike writeSync, writeFileSync continues after a short write.
      writeFileSync(descriptor, text, "utf8");
      const created = fstatSync(descriptor);
      if (created.uid !== uid || created.gid !== gid) fchownSync(descriptor, uid, gid);
      fchmodSync(descriptor, mode & 0o7777);
    } finally {
      // A network file system may tell only here that there was no space.
      closeSync(descriptor);
    }
  } catch (cause) {
    remove(beside);
    throw cause;
  }
  return { replacement, beside, state: stateOf(stats) };
}

function remove(file: string): void {
  try {
    unlinkSync(file);
  } catch {
    // It is gone already: there is nothing to clean up.
  }
}

const REMEDIES: Readonly<Record<string, string>> = {
  ENOSPC: "The disk is full. The file was not changed.",
  EDQUOT: "The disk quota is used up. The file was not changed.",
  EPERM: "Its mode and owner can't be kept: run as the owner of the file. The file was not changed.",
  EROFS: "The file system is read-only.",
};

function unwritable({ path }: Replacement, cause: unknown): RollstampError {
  const code = errorCode(cause);
  if (cause instanceof Changed) {
    return new RollstampError("system", "the file has changed since it was read", {
      place: { file: path },
      remedy: "The file was not overwritten. Run the command again.",
    });
  }
  return new RollstampError("system", `the file can't be written (${code})`, {
    place: { file: path },
    remedy: REMEDIES[code] ?? "Check the permissions of the file and its folder. The file was not changed.",
  });
}
