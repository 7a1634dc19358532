import { RollstampError } from "../../base/errors.ts";
import type { RepositoryTree } from "../discover/repository-tree.ts";
import { foldersAround } from "../discover/paths.ts";
import type { Revision, RevisionEntry, Revisions } from "../../platform/ports/revisions.ts";

/** What closures of a worktree are worked out from. */
export interface TreeRevision {
  readonly revision: Revision;
  readonly contents: Pick<Revisions, "fetch" | "has" | "text" | "limits">;
}

/** The files of a worktree as those of a revision: their paths stand for their ids, so that two trees don't compare. */
export function treeRevision(tree: RepositoryTree): TreeRevision {
  const entries = new Map<string, RevisionEntry>();
  for (const path of tree.files) {
    entries.set(path, { is: "file", id: path });
    for (const folder of foldersAround(path)) {
      if (folder === "." || entries.has(folder)) break;
      entries.set(folder, { is: "folder", id: folder });
    }
  }
  return {
    revision: { revision: "the worktree", commit: "", entries },
    contents: {
      limits: tree.limits,
      fetch: () => Promise.resolve(),
      has: () => true,
      text: (id, shown) => {
        const read = tree.read(id);
        if (read.is === "text") return read;
        const error = new RollstampError("system", "the file can't be read", { place: { file: shown } });
        return { is: "refused", because: "unreadable", code: "EACCES", error };
      },
    },
  };
}
