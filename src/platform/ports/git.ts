import type { Limits } from "../../base/limits.ts";
import type { Environment } from "./environment.ts";

/** Two revisions as the user wrote them: `A..B`, or `A...B`, which compares B with its merge base with A. */
export interface RevisionRange {
  readonly base: string;
  readonly head: string;
  readonly sinceMergeBase: boolean;
}

/** A revision that is checked out into a temporary folder. */
export interface Checkout {
  /** The revision as the user wrote it. */
  readonly revision: string;
  readonly commit: string;
  /** The folder that corresponds to the current folder in the worktree. */
  readonly folder: string;
  /** The root of the checkout. */
  readonly root: string;
}

export interface Checkouts {
  readonly base: Checkout;
  readonly head: Checkout;
  /** Whether the worktree has uncommitted changes, which the checkouts don't include. */
  readonly isDirty: boolean;
}

export interface GitOptions {
  readonly cwd: string;
  readonly environment: Environment;
}

/** Three versions of a file to merge. */
export interface ThreeFiles {
  readonly base: string;
  readonly ours: string;
  readonly theirs: string;
}

export interface MergeOptions extends GitOptions {
  /** The names next to conflict markers. */
  readonly labels: readonly [ours: string, base: string, theirs: string];
  /** The length of conflict markers. */
  readonly markerSize: number;
  /** Limits the size of the result. */
  readonly limits: Limits;
}

/** The result of a merge. */
export interface MergedText {
  readonly text: string;
  readonly conflicts: number;
}

export interface HistoryOptions extends GitOptions {
  readonly limits: Limits;
}

/** A file at a revision; the path starts at the root of the repository. */
export interface RevisionPath {
  readonly commit: string;
  readonly path: string;
}

/** A file that a commit changed; paths are undefined if it did not exist before or after the commit. */
export interface ChangedFile {
  readonly path: string | undefined;
  readonly before: string | undefined;
  /** The ids of its contents. */
  readonly blob: string | undefined;
  readonly blobBefore: string | undefined;
}

/** A commit that changed a file. */
export interface HistoryStep extends ChangedFile {
  readonly commit: string;
  readonly parents: readonly string[];
  /** The date of the author, in RFC 3339. */
  readonly date: string;
  readonly author: string;
  readonly subject: string;
}

/** A commit that changed a file. */
export interface FileChange {
  readonly commit: string;
  /** Its first parent; undefined for the first commit. */
  readonly parent: string | undefined;
}

/** A commit of a history that follows first parents. */
export interface HistoryCommit {
  readonly commit: string;
  /** Its first parent; undefined for the first commit, and where a shallow clone ends. */
  readonly parent: string | undefined;
  /** The date of the author, in RFC 3339. */
  readonly date: string;
}

export interface GitHistory {
  /** The path from the root. Throws a RollstampError outside of a repository. */
  readonly pathInRepository: (path: string, options: HistoryOptions) => Promise<string>;
  /** The commits that changed a file, newest first, including its renames. */
  readonly historyOf: (path: string, from: string, options: HistoryOptions) => Promise<readonly HistoryStep[]>;
  /** The commits on the way from one to its first parents that changed a file, newest first. */
  readonly changesOf: (
    path: string,
    from: { readonly commit: string; readonly most: number },
    options: HistoryOptions,
  ) => Promise<readonly FileChange[]>;
  /** HEAD and its first parents, newest first; none before the first commit. Throws a RollstampError outside of a repository. */
  readonly firstParents: (options: HistoryOptions) => Promise<readonly HistoryCommit[]>;
  /** The files that each commit changed, compared with its first parent. */
  readonly changedFilesOf: (
    commits: readonly string[],
    options: HistoryOptions,
  ) => Promise<ReadonlyMap<string, readonly ChangedFile[]>>;
  /** The files of a revision below a path that contain text. */
  readonly filesWith: (text: string, at: RevisionPath, options: HistoryOptions) => Promise<readonly string[]>;
  /** The texts of files at revisions; undefined for a missing or too large file. */
  readonly textsAt: (
    files: readonly RevisionPath[],
    options: HistoryOptions,
  ) => Promise<readonly (string | undefined)[]>;
  /** The files of HEAD that the worktree has changed or deleted; none if there is no commit yet. */
  readonly changedSinceHead: (options: HistoryOptions) => Promise<readonly string[]>;
  /**
   * Passes the texts of blobs to `use`, one by one and in order, so that they are not all in memory. Blobs are named by id or by
   * path. The text is undefined for a blob that is missing or too large; with `isRequired` it throws for an id that is missing.
   */
  readonly eachText: (
    blobs: readonly (string | RevisionPath)[],
    use: (text: string | undefined, i: number) => void,
    options: HistoryOptions & { readonly isRequired?: boolean },
  ) => Promise<void>;
  readonly isShallow: (options: HistoryOptions) => Promise<boolean>;
}

export interface Git {
  readonly history: () => Promise<GitHistory>;
  /** How rollstamp is set up in the clone of a folder. Throws a RollstampError outside of a clone. */
  readonly wiring: (options: GitOptions) => Promise<GitWiring>;
  /** The range that a plan most likely wants: this branch since it left the default one. Undefined outside of a clone. */
  readonly likelyRange: (options: GitOptions) => Promise<string | undefined>;
  /** The name of the current branch; "HEAD" if none is checked out. */
  readonly branch: (options: GitOptions) => Promise<string>;
  /** The addresses of the clone's remotes; none outside of a clone. */
  readonly remotes: (options: GitOptions) => Promise<readonly string[]>;
  /** Sets values in the configuration of the clone. */
  readonly configure: (settings: readonly GitSetting[], options: GitOptions) => Promise<void>;
  /** Merges texts like git merges a file. */
  readonly mergeTexts: (texts: ThreeFiles, options: MergeOptions) => Promise<MergedText>;
  /** Merges three files of any content into the file of `ours`; returns the number of conflicts. */
  readonly mergeFiles: (paths: ThreeFiles, options: MergeOptions) => Promise<number>;
  /** Checks out two revisions into temporary worktrees, which are removed even if `use` fails or a signal ends the process. */
  readonly withCheckouts: <T>(
    range: RevisionRange,
    options: GitOptions,
    use: (checkouts: Checkouts) => Promise<T>,
  ) => Promise<T>;
}

/** A value in the configuration of a clone. */
export interface GitSetting {
  readonly key: string;
  readonly value: string;
}

/** The Git setup of a clone. */
export interface GitWiring {
  /** The settings for rollstamp, by their lowercase keys. */
  readonly config: ReadonlyMap<string, string>;
  /**
   * The folder of hooks, relative to the given folder, and the real folder that contains it: of the worktree or of the
   * repository. Undefined if it is shared with other clones.
   */
  readonly hooks: { readonly path: string; readonly root: string } | undefined;
  /** The folder of hooks in messages. */
  readonly hooksShown: string;
}
