import { realpathSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { foldersAround } from "../applications/discover/paths.ts";
import type { Limits } from "../base/limits.ts";
import { once } from "../base/grouped.ts";
import type { Snapshot, SnapshotEntry } from "../platform/ports/snapshot.ts";
import { findFiles } from "./find-files.ts";
import { readInPlace, readInside } from "./repository-files.ts";
import { expectManyApplications } from "./v8-flags.ts";

/** The files of a folder as they are on disk. Throws a RollstampError if the folder can't be read. */
export function folderSnapshot(folder: string, limits: Limits): Snapshot {
  expectManyApplications();
  const root = realpathSync(folder);
  const { files: found, left, errors } = findFiles([root], { kustomizeInput: true, all: true, limits });
  const [error] = errors;
  if (error !== undefined) throw error;
  const slashed = (path: string): string => relative(root, path).split(sep).join("/");
  const reals = new Map(found.map(({ path, real }) => [slashed(path), real]));
  const read: Snapshot["read"] = (path) => {
    const real = reals.get(path);
    return real === undefined
      ? readInside(join(root, path), { root, shown: path, most: limits.inputSize })
      : readInPlace(real, path, limits.inputSize);
  };
  const files = [...reals.keys()];
  const entries = once(() => entriesOf(files));
  return {
    name: "the worktree",
    commit: "",
    get entries() {
      return entries();
    },
    files,
    left: left.map(({ path, ...more }) => ({ path: slashed(path), ...more })),
    contents: { fetch: () => Promise.resolve(), has: () => true, text: read },
    read,
    says: (path, test) => {
      const text = read(path);
      return text.is === "text" && test(text.text);
    },
    export: () => Promise.resolve({ root }),
    limits,
  };
}

/** The path of a file serves as its id: files on disk are compared with no other snapshot. */
function entriesOf(files: readonly string[]): ReadonlyMap<string, SnapshotEntry> {
  const entries = new Map<string, SnapshotEntry>();
  for (const path of files) {
    entries.set(path, { is: "file", id: path });
    for (const folder of foldersAround(path)) {
      if (folder === "." || entries.has(folder)) break;
      entries.set(folder, { is: "folder", id: folder });
    }
  }
  return entries;
}
