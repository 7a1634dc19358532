import { posix } from "node:path";
import { onceFor, onceForPair } from "../../base/grouped.ts";
import { givenText, type GitOpsObject } from "./objects.ts";
import { folderOf } from "./paths.ts";
import type { Snapshot } from "../../platform/ports/snapshot.ts";

// What Flux's source-controller excludes from an artifact (fluxcd/pkg/sourceignore, artifact/storage, Archive), as
// data; source-artifact.ts in render matches paths.

export const SOURCE_IGNORE_FILE = ".sourceignore";

/** A line of a .sourceignore, or of a source's `spec.ignore`. Later lines take precedence. */
export interface IgnoreLine {
  /** The folder that it applies to. */
  readonly folder: string;
  readonly pattern: string;
}

/** The lines for a source; empty if only the defaults of Flux apply. */
export function ignoredBy(source: GitOpsObject | undefined, tree: Snapshot): readonly IgnoreLine[] {
  return source === undefined ? ofFiles(tree) : ofSource(source, tree);
}

const ofSource = onceForPair((source: GitOpsObject, tree: Snapshot): readonly IgnoreLine[] => {
  const ownLines = givenText(source.spec["ignore"]);
  const committed = ofFiles(tree);
  return ownLines === undefined ? committed : [...committed, ...ignoreLines(ownLines, ".")];
});

/** The lines of files: those of a folder before those of the folders in it, which are sorted by name. */
const ofFiles: (tree: Snapshot) => readonly IgnoreLine[] = onceFor((tree: Snapshot) =>
  tree.files
    .filter((path) => posix.basename(path) === SOURCE_IGNORE_FILE)
    .map(folderOf)
    .sort((a, b) => comparePaths(a, b))
    .flatMap((folder) => {
      const read = tree.read(posix.join(folder, SOURCE_IGNORE_FILE));
      return read.is === "text" ? ignoreLines(read.text, folder) : [];
    }),
);

/** The patterns that a file of this format has, for its folder. */
export function ignoreLines(text: string, folder: string): readonly IgnoreLine[] {
  return text
    .split("\n")
    .map((line) => line.replace(/\r$/u, ""))
    .filter((line) => !line.startsWith("#") && line.trim() !== "")
    .map((pattern) => ({ folder, pattern }));
}

function comparePaths(a: string, b: string): number {
  const [left, right] = [a, b].map((path) => (path === "." ? [] : path.split("/")));
  for (const [i, name] of (left ?? []).entries()) {
    const other = right?.[i];
    if (other === undefined) return 1;
    if (name !== other) return Buffer.compare(Buffer.from(name), Buffer.from(other));
  }
  return (left?.length ?? 0) - (right?.length ?? 0);
}
