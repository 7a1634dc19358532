import type { Snapshot, SnapshotEntry } from "../../../src/platform/ports/snapshot.ts";
import { inPathOrder } from "../../../src/applications/discover/paths.ts";
import { RollstampError } from "../../../src/base/errors.ts";
import { DEFAULT_LIMITS } from "../../../src/base/limits.ts";

/** A repository that is in memory only. */
export function treeOf(files: Readonly<Record<string, string>>): Snapshot {
  const texts = new Map(Object.entries(files));
  return {
    name: "memory",
    commit: "",
    entries: new Map<string, SnapshotEntry>([
      ...[...texts.keys()].flatMap(foldersOf).map((path) => [path, { is: "folder", id: path }] as const),
      ...[...texts.keys()].map((path) => [path, { is: "file", id: path }] as const),
    ]),
    contents: { fetch: never, has: never, text: never },
    export: never,
    files: inPathOrder([...texts.keys()], (path) => path),
    left: [],
    read: (path) => {
      const text = texts.get(path);
      return text === undefined
        ? {
            is: "refused",
            because: "missing",
            code: "ENOENT",
            error: new RollstampError("system", "the file can't be read (ENOENT)"),
          }
        : { is: "text", text };
    },
    says: (path, test) => {
      const text = texts.get(path);
      return text !== undefined && test(text);
    },
    limits: DEFAULT_LIMITS,
  };
}

/** The folders around a file. */
function foldersOf(path: string): string[] {
  const names = path.split("/").slice(0, -1);
  return names.map((_, i) => names.slice(0, i + 1).join("/"));
}

function never(): never {
  throw new Error("not used");
}
