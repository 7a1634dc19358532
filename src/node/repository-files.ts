import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  openSync,
  readSync,
  realpathSync,
  statSync,
  type Stats,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { RollstampError, errorCode, recovered } from "../base/errors.ts";
import { isInGitFolder, isInside, leadsOut, gitFolderError } from "../base/inside.ts";
import { tooLarge, type Limits } from "../base/limits.ts";
import { textOf, type FileRead, type Refusal, type RefusedFile } from "../platform/ports/files.ts";
import { realPath } from "./real-path.ts";
import { decodeUtf8 } from "./utf8.ts";

// The only module that reads what a repository supplies: manifests, ignore files, values, charts, configuration,
// kustomizations. The author of a commit is not the user who runs the command: a link may lead to secrets, a pipe
// blocks its reader, a device never ends. Lint forbids every other way (.oxlintrc.json).

/** The repository that contains a folder; undefined if there is none. */
export function repositoryOf(folder: string): string | undefined {
  for (let current = folder; ; current = dirname(current)) {
    if (existsSync(join(current, ".git"))) return current;
    if (dirname(current) === current) return undefined;
  }
}

export interface ReadOptions {
  /** The real path of the folder that links must stay in. */
  readonly root: string | undefined;
  /** The name for messages. */
  readonly shown: string;
  /** The limit in bytes. */
  readonly most: number;
}

/** Reads a file by its path, behind links that stay in the root. */
export function readInside(path: string, options: ReadOptions): FileRead {
  return decoded(bytesInside(path, options), options.shown);
}

/** As readInside, with one byte in each character: for what git reads as bytes. */
export function readBytesInside(path: string, options: ReadOptions): FileRead {
  const read = bytesInside(path, options);
  return read.is === "refused" ? read : { is: "text", text: read.bytes.toString("latin1") };
}

/**
 * The bytes of a file, behind links that stay in the root. They are valid until the next file is read. Throws a
 * RollstampError.
 */
export function rawBytesInside(path: string, options: ReadOptions): Buffer {
  const read = bytesInside(path, options);
  if (read.is === "bytes") return read.bytes;
  throw read.error;
}

/** Reads a file by its real path, which is known to be in the root. Links are not followed. */
export function readInPlace(real: string, shown: string, most: number): FileRead {
  return decoded(regularBytes(real, { shown, most }), shown);
}

/**
 * Reads a file that the user names, for example with --config. In a repository, it must be a file of the repository;
 * elsewhere it may also be a pipe (`--config <(…)`). Throws a RollstampError.
 */
export function readNamed(path: string, { inputSize: most }: Limits): string {
  const root = repositoryOf(dirname(resolve(path)));
  if (root === undefined && isSpecial(path)) return textOf(decoded(ownBytes(path, most), path));
  return readFound(path, { inputSize: most });
}

/**
 * Reads a file that the user did not name, such as the nearest rollstamp.yaml: a regular file, in a repository one of
 * its own. Throws a RollstampError.
 */
export function readFound(path: string, { inputSize: most }: Pick<Limits, "inputSize">): string {
  const root = repositoryOf(dirname(resolve(path)));
  return textOf(readInside(path, { root: root === undefined ? undefined : realpathSync(root), shown: path, most }));
}

type BytesRead = { readonly is: "bytes"; readonly bytes: Buffer } | RefusedFile;

function bytesInside(path: string, { root, shown, most }: ReadOptions): BytesRead {
  let real: string;
  try {
    real = realPath(path);
  } catch (cause) {
    return unreadable(shown, cause);
  }
  if (root !== undefined && !isInside(root, real)) return refused("leadsOut", leadsOut(shown));
  // The user may name such a file, but a commit may not link to one.
  if (root !== undefined && isInGitFolder(root, real) && !isInGitFolder(root, resolve(path)))
    return refused("leadsOut", gitFolderError(shown));
  return regularBytes(real, { shown, most });
}

// The file may have been replaced since it was found. With O_NONBLOCK, opening a pipe does not block; with O_NOFOLLOW,
// a link is not opened; with O_NOCTTY, a terminal does not become ours. Windows has none of these.
const FLAGS =
  constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0) | (constants.O_NOCTTY ?? 0);

/** Opens a real path, and reads it only if the open file is regular and not too large. */
function regularBytes(real: string, { shown, most }: Omit<ReadOptions, "root">): BytesRead {
  let descriptor: number;
  try {
    descriptor = openSync(real, FLAGS);
  } catch (cause) {
    return unreadable(shown, cause);
  }
  try {
    const stats = fstatSync(descriptor);
    if (stats.isDirectory()) return refused("folder", noFile(shown, "a folder"));
    if (!stats.isFile()) return refused("special", noFile(shown, kindOf(stats)));
    if (stats.size > most) return refused("tooLarge", tooLarge(shown, most));
    const bytes = readToEnd(descriptor, stats.size, most);
    return bytes === undefined ? refused("tooLarge", tooLarge(shown, most)) : { is: "bytes", bytes };
  } catch (cause) {
    return unreadable(shown, cause);
  } finally {
    closeSync(descriptor);
  }
}

// One buffer for thousands of small files.
const shared: Buffer = Buffer.allocUnsafeSlow(1 << 16);
const CHUNK = 1 << 20;

/** Reads to the end, even if the file grows meanwhile; undefined if it is too large. */
function readToEnd(descriptor: number, size: number, most: number): Buffer | undefined {
  const full: Buffer[] = [];
  let into = size < shared.length ? shared : Buffer.allocUnsafe(size + 1);
  let length = 0;
  for (let total = 0; ;) {
    const count = readSync(descriptor, into, length, into.length - length, null);
    length += count;
    total += count;
    if (total > most) return undefined;
    if (count === 0 || total === size) break;
    if (length < into.length) continue;
    full.push(into === shared ? Buffer.from(into) : into);
    into = Buffer.allocUnsafe(CHUNK);
    length = 0;
  }
  const last = into.subarray(0, length);
  return full.length === 0 ? last : Buffer.concat([...full, last]);
}

/** The text of bytes that were read. */
export function decoded(read: BytesRead, shown: string): FileRead {
  if (read.is === "refused") return read;
  return recovered(
    (): FileRead => ({ is: "text", text: decodeUtf8(read.bytes, shown) }),
    (error) => refused("notUtf8", error),
  );
}

function isSpecial(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats !== undefined && !stats.isFile() && !stats.isDirectory();
}

/** Reads a pipe of the user: waits for it, up to the limit of any input. */
function ownBytes(path: string, most: number): BytesRead {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, "r");
    const bytes = readToEnd(descriptor, 0, most);
    return bytes === undefined ? refused("tooLarge", tooLarge(path, most)) : { is: "bytes", bytes };
  } catch (cause) {
    return unreadable(path, cause);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** The error codes of the system. */
const CODES: Readonly<Record<Exclude<Refusal, "unreadable" | "longIgnoreFile" | "unlisted">, string>> = {
  missing: "ENOENT",
  folder: "EISDIR",
  special: "ENXIO",
  leadsOut: "ELOOP",
  tooLarge: "EFBIG",
  notUtf8: "EILSEQ",
};

export function refused(because: keyof typeof CODES, error: RollstampError): RefusedFile {
  return { is: "refused", because, code: CODES[because], error };
}

function kindOf(stats: Stats): string {
  if (stats.isFIFO()) return "a pipe";
  return stats.isSocket() ? "a socket" : "a device";
}

/** The error for something else in the place of a file. */
export function noFile(file: string, what: string): RollstampError {
  return new RollstampError("input", `this is ${what}; expected a file`, {
    place: { file },
    remedy: "Give the path of a file, or pass the output of a program on standard input.",
  });
}

function unreadable(file: string, cause: unknown): RefusedFile {
  const code = errorCode(cause);
  const error = new RollstampError("system", `the file can't be read (${code})`, {
    place: { file },
    remedy: "Check the path and its permissions.",
  });
  return { is: "refused", because: REFUSALS.get(code) ?? "unreadable", code, error };
}

const REFUSALS: ReadonlyMap<string, Refusal> = new Map([
  ["ENOENT", "missing"],
  ["ENXIO", "special"],
  ["ELOOP", "leadsOut"],
]);
