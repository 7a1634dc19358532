import type { RepositoryTree } from "../../../src/applications/discover/repository-tree.ts";
import { inPathOrder } from "../../../src/applications/discover/paths.ts";
import { RollstampError } from "../../../src/base/errors.ts";
import { DEFAULT_LIMITS } from "../../../src/base/limits.ts";

/** A repository that is in memory only. */
export function treeOf(files: Readonly<Record<string, string>>): RepositoryTree {
  const texts = new Map(Object.entries(files));
  return {
    files: inPathOrder([...texts.keys()], (path) => path),
    left: [],
    read: (path) => {
      const text = texts.get(path);
      return text === undefined
        ? { is: "refused", because: "missing", error: new RollstampError("system", "the file can't be read (ENOENT)") }
        : { is: "text", text };
    },
    says: (path, test) => {
      const text = texts.get(path);
      return text !== undefined && test(text);
    },
    limits: DEFAULT_LIMITS,
  };
}
