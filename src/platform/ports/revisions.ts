import type { Limits } from "../../base/limits.ts";
import type { SharedStage } from "./applications.ts";
import type { FileRead } from "./files.ts";
import type { Environment } from "./environment.ts";
import type { RenderCache } from "./render-cache.ts";

// Two revisions as git has them: names and ids of all files, contents where they are asked for. Nothing is checked
// out, and nothing that a repository or a person has configured for checkouts runs.

/** What stands at a path of a revision. */
export interface RevisionEntry {
  /** `module`: another repository, of which git has no file. */
  readonly is: "file" | "folder" | "link" | "module";
  /** git's id of its content: of a folder of all that is below it. */
  readonly id: string;
}

/** A revision; paths are from the root of the repository, with slashes. */
export interface Revision {
  /** As it was asked for. */
  readonly revision: string;
  readonly commit: string;
  /** Every file and folder but the root, by its path. */
  readonly entries: ReadonlyMap<string, RevisionEntry>;
}

export interface Revisions {
  readonly base: Revision;
  readonly head: Revision;
  /** The way from the root to the current folder; "" for the root itself. */
  readonly prefix: string;
  /** The worktree has changes that no commit has. */
  readonly isDirty: boolean;
  readonly limits: Limits;
  /** Gets the contents of files and links, by their ids; what is known already costs nothing. */
  readonly fetch: (ids: Iterable<string>) => Promise<void>;
  /** The text of a file whose content was got, or of a link; `shown` is its name for messages. */
  readonly text: (id: string, shown: string) => FileRead;
  /** True where its content was got. */
  readonly has: (id: string) => boolean;
  /**
   * Writes files and folders of a revision into a folder of our own, each once, and gives that. What is not there is left
   * out.
   */
  readonly writeOut: (revision: Revision, paths: Iterable<string>) => Promise<WrittenTree>;
  /** Renderings of this run, in a folder of our own. */
  readonly kept: RenderCache;
}

/** Files of a revision, written out. */
export interface WrittenTree {
  /** A real path. */
  readonly root: string;
  /** Where kustomizations of it are staged. */
  readonly together: SharedStage;
}

export interface RevisionsOptions {
  readonly cwd: string;
  readonly environment: Environment;
  readonly limits: Limits;
}

/** Two revisions as they were asked for: `A..B`, or `A...B` for what B has since it left A. */
export interface RevisionRange {
  readonly base: string;
  readonly head: string;
  readonly sinceMergeBase: boolean;
}

/** Opens two revisions; what was written of them goes when `use` ends, whatever happens. */
export type WithRevisions = <T>(
  range: RevisionRange,
  options: RevisionsOptions,
  use: (revisions: Revisions) => Promise<T>,
) => Promise<T>;
