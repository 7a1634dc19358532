import type { Snapshot } from "../../../src/platform/ports/snapshot.ts";
import { inPathOrder } from "../../../src/applications/discover/paths.ts";
import { RollstampError } from "../../../src/base/errors.ts";
import { DEFAULT_LIMITS } from "../../../src/base/limits.ts";

/** A repository that is in memory only. */
export function treeOf(files: Readonly<Record<string, string>>): Snapshot {
  const texts = new Map(Object.entries(files));
  return {
    name: "memory",
    commit: "",
    entries: new Map([...texts.keys()].map((path) => [path, { is: "file", id: path }])),
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

function never(): never {
  throw new Error("not used");
}
