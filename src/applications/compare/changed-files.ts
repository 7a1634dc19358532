import type { Snapshot } from "../../platform/ports/snapshot.ts";

/** The files that two snapshots of a repository have with different contents, or that only one of them has. */
export function changedFiles(base: Snapshot, head: Snapshot): readonly string[] {
  return [...new Set([...head.files, ...base.files])].filter(
    (path) => base.entries.get(path)?.id !== head.entries.get(path)?.id,
  );
}
