import type { Writable } from "node:stream";
import { failed, gitError, lacking } from "./git.ts";
import { runGit } from "./git-options.ts";
import type { ChildRun } from "./processes.ts";
import type { GitOptions, HistoryOptions, RevisionPath } from "../platform/ports/git.ts";

/** Receives the requested objects, in order, while git prints them. */
export interface ObjectTaker {
  /** Starts the i-th object; false if its content is not needed. */
  readonly begin: (i: number, size: number, type: string) => boolean;
  /** The next chunk of a content. */
  readonly take: (piece: Buffer) => void;
  /** After each object. */
  readonly end?: (i: number) => void;
  /** The i-th object does not exist. */
  readonly missing: (i: number) => void;
}

/** Reads objects with one run of git. Errors of the receiver are thrown when git has ended. */
export async function readObjects(names: readonly string[], taker: ObjectTaker, options: GitOptions): Promise<void> {
  if (names.length === 0) return;
  const reader = objectReader(names, taker);
  let thrown: { readonly cause: unknown } | undefined;
  // Only if a path needs it, because git has this option since 2.38. The output is the same.
  const isOdd = names.some((name) => /[\r\n]/u.test(name));
  const run = await runGit(["cat-file", "--batch", ...(isOdd ? ["-z"] : [])], {
    cwd: options.cwd,
    environment: options.environment,
    input: names.map((name) => `${name}${isOdd ? "\0" : "\n"}`).join(""),
    most: Number.MAX_SAFE_INTEGER,
    take: (piece) => {
      // An error thrown in this callback could not be caught.
      if (thrown !== undefined) return;
      try {
        reader.take(piece);
      } catch (cause) {
        thrown = { cause };
      }
    },
  });
  if (thrown !== undefined) throw thrown.cause;
  if (run.is !== "done") throw gitError(run);
  if (!reader.isWhole()) throw failed("It did not print all objects.");
}

/** A run of git that reads objects until it is closed: a start for each request would take longer than reading them. */
export interface ObjectSession {
  /** Reads objects, one request after another. Errors of the receiver are thrown. */
  readonly read: (names: readonly string[], taker: ObjectTaker) => Promise<void>;
  readonly close: () => void;
}

/** Opens a session, for names without line breaks. Git starts with the first request, and again if it has ended. */
export function objectSession(options: GitOptions): ObjectSession {
  let running: RunningSession | undefined;
  const readNow = async (names: readonly string[], taker: ObjectTaker): Promise<void> => {
    running = running?.isOpen() === true ? running : runSession(options);
    await running.read(objectReader(names, taker), `${names.join("\n")}\n`);
  };
  let last: Promise<void> = Promise.resolve();
  return {
    read: (names, taker) => {
      if (names.length > 0) last = last.catch(() => undefined).then(() => readNow(names, taker));
      return last;
    },
    close: () => running?.close(),
  };
}

interface RunningSession {
  readonly isOpen: () => boolean;
  readonly read: (reader: ObjectReader, request: string) => Promise<void>;
  readonly close: () => void;
}

function runSession({ cwd, environment }: GitOptions): RunningSession {
  let input: Writable | undefined;
  let current: { readonly reader: ObjectReader; readonly end: (cause?: unknown) => void } | undefined;
  // What git has not read of a request is not answered.
  const close = (): void => {
    input?.destroy();
    input = undefined;
  };
  const over = (run: ChildRun): void => {
    input = undefined;
    current?.end(run.is === "done" ? failed("It did not print all objects.") : gitError(run));
  };
  void runGit(["cat-file", "--batch"], {
    cwd,
    environment,
    most: Number.MAX_SAFE_INTEGER,
    feed: (stdin) => {
      input = stdin;
    },
    take: (piece) => {
      if (current === undefined) return;
      const { reader, end } = current;
      try {
        reader.take(piece);
        if (reader.isWhole()) end();
      } catch (cause) {
        // The rest of the answer is not read.
        close();
        end(cause);
      }
    },
  }).then(over);
  return {
    isOpen: () => input !== undefined,
    read: (reader, request) =>
      new Promise((resolve, reject) => {
        current = {
          reader,
          end: (cause) => {
            current = undefined;
            if (cause === undefined) resolve();
            else reject(cause);
          },
        };
        input?.write(request);
      }),
    close,
  };
}

interface ObjectReader {
  readonly take: (piece: Buffer) => void;
  readonly isWhole: () => boolean;
}

// `<id> <type> <size>`: a longer line is not an answer.
const LONGEST_HEAD = 200;

/** Reads the output of `git cat-file --batch` in chunks: a line with type and size, the content, a line break. */
export function objectReader(names: readonly string[], taker: ObjectTaker): ObjectReader {
  let next = 0;
  /** The beginning of an incomplete line. */
  let incomplete: Buffer = Buffer.alloc(0);
  /** The remaining bytes of the current object, including the line break after it. */
  let left = 0;
  let isWanted = false;
  const content = (piece: Buffer, offset: number): number => {
    const until = Math.min(piece.length, offset + left);
    const ofContent = Math.min(until, offset + left - 1);
    if (isWanted && ofContent > offset) taker.take(piece.subarray(offset, ofContent));
    left -= until - offset;
    if (left === 0) {
      taker.end?.(next);
      next += 1;
    }
    return until;
  };
  /** Reads a line and returns its length; undefined if it is incomplete. */
  const line = (bytes: Buffer): number | undefined => {
    // Git repeats the name as it was requested, whatever it contains.
    const missing = Buffer.from(`${names[next] ?? ""} missing\n`, "utf8");
    const there = bytes.subarray(0, missing.length);
    if (there.equals(missing)) {
      taker.missing(next);
      next += 1;
      return missing.length;
    }
    if (there.equals(missing.subarray(0, there.length))) return undefined;
    const end = bytes.indexOf(10);
    if (end > LONGEST_HEAD || (end < 0 && bytes.length > LONGEST_HEAD)) throw failed("Its output is invalid.");
    if (end < 0) return undefined;
    const [, type = "", size = ""] = bytes.toString("latin1", 0, end).split(" ");
    // The following objects can't be found either.
    if (!/^\d+$/u.test(size)) throw failed("Its output is invalid.");
    isWanted = taker.begin(next, Number(size), type);
    left = Number(size) + 1;
    return end + 1;
  };
  return {
    take: (piece) => {
      for (let offset = 0; offset < piece.length && next < names.length;) {
        if (left > 0) {
          offset = content(piece, offset);
          continue;
        }
        const rest = piece.subarray(offset);
        const bytes = incomplete.length === 0 ? rest : Buffer.concat([incomplete, rest]);
        const took = line(bytes);
        if (took === undefined) {
          incomplete = bytes;
          return;
        }
        offset += took - incomplete.length;
        incomplete = Buffer.alloc(0);
      }
    },
    isWhole: () => next === names.length,
  };
}

/** The texts of files at revisions; undefined for a missing or too large file. */
export async function textsAt(
  files: readonly RevisionPath[],
  options: HistoryOptions,
): Promise<readonly (string | undefined)[]> {
  const texts: (string | undefined)[] = [];
  await eachText(files, (text) => texts.push(text), options);
  return texts;
}

/** Passes the texts of blobs to `use`, one by one and in order. */
export async function eachText(
  blobs: readonly (string | RevisionPath)[],
  use: (text: string | undefined, i: number) => void,
  { cwd, environment, limits, isRequired = false }: HistoryOptions & { readonly isRequired?: boolean },
): Promise<void> {
  const names = blobs.map((blob) => (typeof blob === "string" ? blob : `${blob.commit}:${blob.path}`));
  let pieces: Buffer[] = [];
  let isText = false;
  const taker = {
    begin: (_i: number, size: number, type: string) => (isText = type === "blob" && size <= limits.inputSize),
    take: (piece: Buffer) => {
      pieces.push(piece);
    },
    end: (i: number) => {
      const text = isText ? Buffer.concat(pieces).toString("utf8") : undefined;
      pieces = [];
      use(text, i);
    },
    missing: (i: number) => {
      const blob = blobs[i];
      // A path may not exist at a revision.
      if (isRequired && typeof blob === "string") throw lacking(blob);
      use(undefined, i);
    },
  };
  await readObjects(names, taker, { cwd, environment });
}
