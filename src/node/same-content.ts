import { lstatSync, readdirSync, readlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { rawBytesInside } from "./repository-files.ts";

/** Larger files count as different. */
const MOST_BYTES = 1024 ** 3;

/** Whether two files or folders have the same content; links are compared by where they lead. False if one can't be read. */
export function areSame(one: string, other: string): boolean {
  try {
    return areSameEntries(one, other);
  } catch {
    return false;
  }
}

function areSameEntries(one: string, other: string): boolean {
  const [a, b] = [lstatSync(one), lstatSync(other)];
  if (a.isSymbolicLink() && b.isSymbolicLink()) return readlinkSync(one) === readlinkSync(other);
  // The bytes of a file are valid until the next one is read.
  if (a.isFile() && b.isFile()) return a.size === b.size && Buffer.from(bytesOf(one)).equals(bytesOf(other));
  if (!a.isDirectory() || !b.isDirectory()) return false;
  const names = namesIn(one);
  if (names.join("\0") !== namesIn(other).join("\0")) return false;
  return names.every((name) => areSameEntries(join(one, name), join(other, name)));
}

/** The entries of a folder, without git's own: nothing is rendered from these. */
function namesIn(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => name !== ".git")
    .sort();
}

function bytesOf(path: string): Buffer {
  return rawBytesInside(path, { root: dirname(path), shown: path, most: MOST_BYTES });
}
