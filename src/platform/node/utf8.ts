import { isAscii, isUtf8 } from "node:buffer";
import { readdirSync } from "node:fs";
import { RollstampError } from "../../base/errors.ts";

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

/** Throws a RollstampError if a name in a folder is not UTF-8: the file could not be opened, and would be skipped silently. */
export function checkNames(names: readonly string[], folder: string, shown: string): void {
  if (!names.some((name) => name.includes("\uFFFD"))) return;
  const wrong = readdirSync(folder, { encoding: "buffer" }).find((name) => !isUtf8(name));
  if (wrong === undefined) return;
  throw new RollstampError("input", `this folder contains a name that is not UTF-8: '${wrong.toString("utf8")}'`, {
    place: { file: shown },
    remedy: "Rename it. It can't be read.",
  });
}
