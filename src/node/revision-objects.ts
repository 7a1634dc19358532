import { refused, decoded } from "./repository-files.ts";
import { closeSync, openSync, readSync, writeSync } from "node:fs";
import { join } from "node:path";
import { errorCode, RollstampError } from "../base/errors.ts";
import { tooLarge } from "../base/limits.ts";
import type { FileRead } from "../platform/ports/files.ts";
import type { ObjectSession } from "./git-batch.ts";
import { lacking } from "./git.ts";

// Contents go from git into one temporary file, because a file for each would be slow.

/** Contents of files by their ids. */
export interface GitObjects {
  readonly fetch: (ids: Iterable<string>) => Promise<void>;
  readonly has: (id: string) => boolean;
  /** The size of a loaded content. */
  readonly sizeOf: (id: string) => number;
  /**
   * The bytes of a loaded content; undefined if it is larger than the limit. Throws a RollstampError that names the path if the
   * clone lacks it.
   */
  readonly bytes: (id: string, shown: string) => Buffer | undefined;
  readonly text: (id: string, shown: string) => FileRead;
  readonly close: () => void;
}

interface Kept {
  /** Undefined if it is larger than the limit. */
  readonly offset: number | undefined;
  readonly size: number;
  /** The clone lacks it. */
  readonly isMissing?: true;
}

/** Creates an empty store in a temporary folder. */
export function gitObjects(folder: string, session: ObjectSession, most: number): GitObjects {
  const file = openSync(join(folder, "contents"), "wx+", 0o600);
  const kept = new Map<string, Kept>();
  let end = 0;
  const bytes = (id: string, shown: string): Buffer | undefined => {
    const content = kept.get(id);
    if (content === undefined) throw new Error("the content is not loaded");
    if (content.isMissing === true) throw lacking(id, shown);
    if (content.offset === undefined) return undefined;
    const buffer = Buffer.allocUnsafe(content.size);
    for (let done = 0; done < content.size;) {
      const read = readSync(file, buffer, done, content.size - done, content.offset + done);
      if (read === 0) throw new Error("the file of contents is incomplete");
      done += read;
    }
    return buffer;
  };
  const fetchNow = async (ids: Iterable<string>): Promise<void> => {
    const wanted = [...new Set(ids)].filter((id) => !kept.has(id));
    if (wanted.length === 0) return;
    const taker = {
      begin: (i: number, size: number) => {
        kept.set(wanted[i] ?? "", { offset: size > most ? undefined : end, size });
        return size <= most;
      },
      take: (piece: Buffer) => {
        try {
          writeAll(file, piece, end);
        } catch (cause) {
          throw notKept(cause);
        }
        end += piece.length;
      },
      missing: (i: number) => {
        kept.set(wanted[i] ?? "", { offset: undefined, size: 0, isMissing: true });
      },
    };
    await session.read(wanted, taker);
  };
  // One after another, because all runs write to the same file.
  let last: Promise<void> = Promise.resolve();
  let running = 0;
  return {
    fetch: (ids) => {
      const wanted = [...new Set(ids)].filter((id) => !kept.has(id));
      // A chain of promises would keep everything that requested them until a full garbage collection.
      if (wanted.length === 0 && running === 0) return Promise.resolve();
      running += 1;
      last = last
        .catch(() => undefined)
        .then(() => fetchNow(wanted))
        .finally(() => (running -= 1));
      return last;
    },
    has: (id) => kept.has(id),
    sizeOf: (id) => kept.get(id)?.size ?? 0,
    bytes,
    text: (id, shown) => {
      if (kept.get(id)?.isMissing === true)
        return { is: "refused", because: "unreadable", code: "EIO", error: lacking(id, shown) };
      const read = bytes(id, shown);
      return read === undefined
        ? refused("tooLarge", tooLarge(shown, most))
        : decoded({ is: "bytes", bytes: read }, shown);
    },
    close: () => closeSync(file),
  };
}

function notKept(cause: unknown): RollstampError {
  return new RollstampError("system", `contents of files can't be written (${errorCode(cause)})`, {
    remedy: "Files of a revision are written to the folder that TMPDIR names: it needs free space.",
  });
}

function writeAll(file: number, piece: Buffer, at: number): void {
  for (let done = 0; done < piece.length;) done += writeSync(file, piece, done, piece.length - done, at + done);
}
