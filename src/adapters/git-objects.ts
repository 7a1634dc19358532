import type { HistoryOptions, RevisionPath } from "../io/git.ts";
import { runChild } from "./child-processes.ts";
import { GIT_OPTIONS } from "./git-options.ts";
import { failed, gitError } from "./git-output.ts";

/** The texts of files at revisions; undefined for one that is not there, or is no text. */
export async function textsAt(
  files: readonly RevisionPath[],
  options: HistoryOptions,
): Promise<readonly (string | undefined)[]> {
  const texts: (string | undefined)[] = [];
  await eachText(files, (text) => texts.push(text), options);
  return texts;
}

/** Gives the texts of blobs to `use`, in their order, one by one. */
export async function eachText(
  blobs: readonly (string | RevisionPath)[],
  use: (text: string | undefined, i: number) => void,
  { cwd, environment, limits }: HistoryOptions,
): Promise<void> {
  if (blobs.length === 0) return;
  const names = blobs.map((blob) => (typeof blob === "string" ? blob : `${blob.commit}:${blob.path}`));
  const read = objectReader(names, limits.inputSize, use);
  const run = await runChild("git", [...GIT_OPTIONS, "--no-pager", "cat-file", "--batch", "-z"], {
    cwd,
    environment,
    input: names.map((name) => `${name}\0`).join(""),
    most: Infinity,
    take: read.take,
  });
  read.rethrow();
  if (run.is !== "done") throw gitError(run);
  if (!read.isWhole()) throw failed("It gave not all objects.");
}

interface ObjectReader {
  /** Never throws: nobody could catch it. */
  readonly take: (chunk: Buffer) => void;
  /** Throws what `use` has thrown. */
  readonly rethrow: () => void;
  readonly isWhole: () => boolean;
}

/** Reads what `git cat-file --batch` prints, as it comes: a line with type and size, the content, a line break. */
function objectReader(
  names: readonly string[],
  most: number,
  use: (text: string | undefined, i: number) => void,
): ObjectReader {
  let next = 0;
  let held: Buffer[] = [];
  let length = 0;
  // How many bytes are needed to go on, and how many are of an object that is too large.
  let needed = 1;
  let skipped = 0;
  const give = (text: string | undefined): void => {
    use(text, next);
    next += 1;
    needed = 1;
  };
  /** Reads one object from a place on; gives how many bytes that took, or 0 where more have to come. */
  const one = (bytes: Buffer, at: number): number => {
    const missing = Buffer.from(`${names[next] ?? ""} missing\n`, "utf8");
    const there = bytes.subarray(at, at + missing.length);
    if (there.equals(missing)) {
      give(undefined);
      return missing.length;
    }
    const end = bytes.indexOf(10, at);
    if (end < 0 || there.equals(missing.subarray(0, there.length))) return 0;
    const [, type = "", size = ""] = bytes.toString("latin1", at, end).split(" ");
    // It is no answer: none behind it can be told either.
    if (!/^\d+$/u.test(size)) throw failed("It gave no object.");
    const whole = end + 1 - at + Number(size) + 1;
    if (Number(size) > most) {
      give(undefined);
      skipped = whole;
      return Math.min(whole, bytes.length - at);
    }
    if (bytes.length - at < whole) {
      needed = whole;
      return 0;
    }
    give(type === "blob" ? bytes.toString("utf8", end + 1, end + 1 + Number(size)) : undefined);
    return whole;
  };
  const all = (bytes: Buffer): number => {
    let at = Math.min(skipped, bytes.length);
    skipped -= at;
    while (at < bytes.length && skipped === 0 && next < names.length) {
      const took = one(bytes, at);
      if (took === 0) break;
      at += took;
      if (skipped > 0) skipped -= took;
    }
    return at;
  };
  let thrown: { readonly cause: unknown } | undefined;
  return {
    take: (chunk) => {
      if (thrown !== undefined) return;
      held.push(chunk);
      length += chunk.length;
      if (length < needed) return;
      const bytes = Buffer.concat(held);
      try {
        const rest = bytes.subarray(all(bytes));
        held = [rest];
        length = rest.length;
      } catch (cause) {
        thrown = { cause };
      }
    },
    rethrow: () => {
      if (thrown !== undefined) throw thrown.cause;
    },
    isWhole: () => next === names.length && skipped === 0 && length === 0,
  };
}
