import { isAscii, isUtf8 } from "node:buffer";
import { readdirSync, type Dirent } from "node:fs";
import { RollstampError } from "../base/errors.ts";

/** The first bytes of a file that git-crypt has encrypted (git-crypt, commands.cpp). */
const GIT_CRYPT = Buffer.from("\0GITCRYPT\0", "latin1");

/** Decodes UTF-8, keeping a byte order mark. Throws a RollstampError that names the place. */
export function decodeUtf8(bytes: Uint8Array, file: string): string {
  // Buffer's decoder keeps the mark, and is faster than a new TextDecoder for small files.
  const buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (buffer[0] === 0 && buffer.subarray(0, GIT_CRYPT.length).equals(GIT_CRYPT)) {
    throw new RollstampError("input", "the file is encrypted by git-crypt", {
      place: { file },
      remedy: "'git-crypt unlock' decrypts the files of a worktree. Revisions contain the encrypted files.",
    });
  }
  // Most manifests are ASCII, whose bytes are only copied.
  if (isAscii(buffer)) return buffer.toString("latin1");
  const text = buffer.toString("utf8");
  if (isUtf8(buffer)) return text;
  const before = text.slice(0, Math.max(text.indexOf("\uFFFD"), 0)).split("\n");
  throw new RollstampError("input", "the input is not valid UTF-8", {
    place: { file, line: before.length, column: [...(before.at(-1) ?? "")].length + 1 },
    remedy: "Save the file as UTF-8; binary content belongs in binaryData, as base64.",
  });
}

/** The entries of a folder that can be opened, and those whose names are not UTF-8, escaped. */
export function namedEntries(folder: string): {
  readonly entries: readonly Dirent[];
  readonly wrong: readonly { readonly name: string; readonly isFolder: boolean }[];
} {
  const entries = readdirSync(folder, { withFileTypes: true });
  if (!entries.some(({ name }) => name.includes("\uFFFD"))) return { entries, wrong: [] };
  const all = readdirSync(folder, { withFileTypes: true, encoding: "buffer" });
  const valid = new Set(all.flatMap(({ name }) => (isUtf8(name) ? [name.toString("utf8")] : [])));
  const wrong = all.filter(({ name }) => !isUtf8(name));
  return {
    entries: entries.filter(({ name }) => valid.has(name)),
    wrong: wrong.map((entry) => ({ name: escapedName(entry.name), isFolder: entry.isDirectory() })),
  };
}

/** Throws a RollstampError if a name in a folder is not UTF-8: the file could not be opened, and would be skipped silently. */
export function checkNames(names: readonly string[], folder: string, shown: string): void {
  if (!names.some((name) => name.includes("\uFFFD"))) return;
  const [wrong] = namedEntries(folder).wrong;
  if (wrong !== undefined) throw misnamed(shown === "." ? wrong.name : `${shown}/${wrong.name}`);
}

/** The error for a path with a name that is not UTF-8. */
export function misnamed(path: string): RollstampError {
  return new RollstampError("input", "the name is not valid UTF-8", {
    place: { file: path },
    remedy: String.raw`Rename it: the bytes that are shown as \xHH are not UTF-8, and it can't be read.`,
  });
}

/** A path as git lists it, with the names that are not UTF-8 escaped; two paths never become one. */
export function pathOfBytes(bytes: Buffer): { readonly path: string; readonly isMisnamed?: true } {
  if (isUtf8(bytes)) return { path: bytes.toString("utf8") };
  // A slash is one byte in every part, so the parts can be cut as latin1.
  const parts = bytes
    .toString("latin1")
    .split("/")
    .map((part) => Buffer.from(part, "latin1"));
  return {
    path: parts.map((part) => (isUtf8(part) ? part.toString("utf8") : escapedName(part))).join("/"),
    isMisnamed: true,
  };
}

/** A name that is not UTF-8: every byte that is not ASCII is escaped, and the backslash too. */
function escapedName(name: Buffer): string {
  return name
    .toString("latin1")
    .replace(/[\\\u0080-\u00ff]/gu, (byte) => `\\x${byte.charCodeAt(0).toString(16).padStart(2, "0")}`);
}
