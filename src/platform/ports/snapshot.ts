import type { Limits } from "../../base/limits.ts";
import type { SharedStage } from "./applications.ts";
import type { FileRead, LeftFile } from "./files.ts";
import type { GitOptions, RevisionRange } from "./git.ts";
import type { RenderCache } from "./programs.ts";

export interface SnapshotEntry {
  /** `module`: a Git submodule, whose files are in another repository. */
  readonly is: "file" | "folder" | "link" | "module";
  /** Identifies the content: entries with the same id in two snapshots of one repository have the same content. */
  readonly id: string;
  /** A name on its path is not UTF-8. The path has it escaped, and the file can't be read. */
  readonly isMisnamed?: true;
}

/** The contents of files and links by their ids. The snapshots of one repository share them. */
export interface Contents {
  /** Loads contents; those that are loaded already cost nothing. */
  readonly fetch: (ids: Iterable<string>) => Promise<void>;
  /** Whether a content is loaded. */
  readonly has: (id: string) => boolean;
  /** The text of a loaded content; `shown` is its name in messages. */
  readonly text: (id: string, shown: string) => FileRead;
}

/** Tests text. Use one function for each question: a snapshot may cache the answers. */
export type TextTest = (text: string) => boolean;

/**
 * The files of a repository at one state: a revision, a worktree or a folder. Paths start at the root and use slashes. Code
 * that takes a snapshot works the same for all of them.
 */
export interface Snapshot {
  /** Its name in messages: the revision as the user wrote it, or "the worktree". */
  readonly name: string;
  /** The commit; "" if the files are not those of a commit. */
  readonly commit: string;
  /** Every file, link and folder except the root. */
  readonly entries: ReadonlyMap<string, SnapshotEntry>;
  /** The files that no ignore file excludes, in path order. */
  readonly files: readonly string[];
  /** Paths that can't be read as files: links that lead outside, pipes, folders without permission. */
  readonly left: readonly LeftFile[];
  readonly contents: Contents;
  /** Reads a file that may hold manifests. Other files have to be loaded first, by their ids. */
  readonly read: (path: string) => FileRead;
  /** Tests the text of a file; false for a file that can't be read. */
  readonly says: (path: string, test: TextTest) => boolean;
  /** Makes files, links and whole folders available on disk; a trailing slash means the folder alone. Missing ones are skipped. */
  readonly export: (paths: Iterable<string>) => Promise<ExportedFiles>;
  readonly limits: Limits;
}

/** The files of a snapshot on disk. */
export interface ExportedFiles {
  /** A real path. */
  readonly root: string;
  /** A folder in which its kustomizations are staged together; undefined if the files may change meanwhile. */
  readonly together?: SharedStage;
}

/** Two revisions of one repository. */
export interface Revisions {
  readonly base: Snapshot;
  readonly head: Snapshot;
  /** The path of the current folder from the root; "" for the root itself. */
  readonly prefix: string;
  /** Whether the worktree has uncommitted changes. */
  readonly isDirty: boolean;
  /** Caches renderings of this run in a temporary folder. */
  readonly kept: RenderCache;
}

/** The commits of a repository, which are opened one after another. */
export interface OpenHistory {
  /** Opens a commit. The last few stay open; the exported files of others are removed. */
  readonly open: (commit: string) => Promise<Snapshot>;
  /** The path of the current folder from the root; "" for the root itself. */
  readonly prefix: string;
  /** Caches renderings of this run in a temporary folder. */
  readonly kept: RenderCache;
}

/** Opens snapshots. Throws RollstampErrors. */
export interface Snapshots {
  /** The files of a folder as they are on disk: the root of a repository, or any other folder. */
  readonly ofFolder: (folder: string, limits: Limits) => Promise<Snapshot>;
  /**
   * Opens two revisions without a checkout, so that no filter or hook of the repository runs. Their exported files are
   * removed when `use` ends, even if it fails.
   */
  readonly ofRevisions: <T>(
    range: RevisionRange,
    options: GitOptions & { readonly limits: Limits },
    use: (revisions: Revisions) => Promise<T>,
  ) => Promise<T>;
  /** Opens commits as `ofRevisions` does; what they share is read once. */
  readonly ofHistory: <T>(
    options: GitOptions & { readonly limits: Limits },
    use: (history: OpenHistory) => Promise<T>,
  ) => Promise<T>;
}
