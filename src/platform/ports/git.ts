import type { Limits } from "../../base/limits.ts";
import type { Environment } from "./environment.ts";

/** Two revisions as the user wrote them: `A..B`, or `A...B`, which compares B with its merge base with A. */
export interface RevisionRange {
  readonly base: string;
  readonly head: string;
  readonly sinceMergeBase: boolean;
}

/** A revision that is checked out in a folder of its own. */
export interface Checkout {
  /** As it was asked for. */
  readonly revision: string;
  readonly commit: string;
  /** The folder that is there what the current one is in the worktree. */
  readonly folder: string;
  /** The checkout's own root. */
  readonly root: string;
}

export interface Checkouts {
  readonly base: Checkout;
  readonly head: Checkout;
  /** The worktree has changes that no commit has: neither checkout shows them. */
  readonly isDirty: boolean;
}

export interface GitOptions {
  readonly cwd: string;
  readonly environment: Environment;
}

/** Three versions of a file to merge, and how conflicts are written. */
export interface ThreeFiles {
  readonly base: string;
  readonly ours: string;
  readonly theirs: string;
}

export interface MergeOptions extends GitOptions {
  /** The names of ours, the base and theirs beside the markers. */
  readonly labels: readonly [ours: string, base: string, theirs: string];
  /** How many characters a marker has. */
  readonly markerSize: number;
  /** What the result may not be more than. */
  readonly limits: Limits;
}

/** A text in which git has merged two others. */
export interface MergedText {
  readonly text: string;
  readonly conflicts: number;
}

export interface HistoryOptions extends GitOptions {
  readonly limits: Limits;
}

/** A file at a revision, from the root of the repository. */
export interface RevisionPath {
  readonly commit: string;
  readonly path: string;
}

/** A file that a commit changed; undefined where it is not before, or not behind it. */
export interface ChangedFile {
  readonly path: string | undefined;
  readonly before: string | undefined;
  /** The names of what is in it: one for one content. */
  readonly blob: string | undefined;
  readonly blobBefore: string | undefined;
}

/** A commit that changed a file. */
export interface HistoryStep extends ChangedFile {
  readonly commit: string;
  readonly parents: readonly string[];
  /** RFC 3339, as the author's clock had it. */
  readonly date: string;
  readonly author: string;
  readonly subject: string;
}

/** The history of a repository. */
export interface GitHistory {
  /** Where a path is, from the root. Throws a RollstampError outside of a repository. */
  readonly pathInRepository: (path: string, options: HistoryOptions) => Promise<string>;
  /** The commits that changed a file, the newest first, back through its renames. */
  readonly historyOf: (path: string, from: string, options: HistoryOptions) => Promise<readonly HistoryStep[]>;
  /** What each commit changed against its first parent. */
  readonly changedFilesOf: (
    commits: readonly string[],
    options: HistoryOptions,
  ) => Promise<ReadonlyMap<string, readonly ChangedFile[]>>;
  /** The files of a revision, below a path, that hold a text. */
  readonly filesWith: (text: string, at: RevisionPath, options: HistoryOptions) => Promise<readonly string[]>;
  /** The texts of files at revisions; undefined for one that is not there. */
  readonly textsAt: (
    files: readonly RevisionPath[],
    options: HistoryOptions,
  ) => Promise<readonly (string | undefined)[]>;
  /** The files of HEAD that the worktree has no more, or with another text; none where there is no commit yet. */
  readonly changedSinceHead: (options: HistoryOptions) => Promise<readonly string[]>;
  /**
   * Gives the texts of blobs to `use`, in their order, one by one: thousands of revisions are no size to hold at once.
   * A blob is named by its own name, or by where it is; undefined for what is not there, is too large or is no blob.
   */
  readonly eachText: (
    blobs: readonly (string | RevisionPath)[],
    use: (text: string | undefined, i: number) => void,
    options: HistoryOptions,
  ) => Promise<void>;
  /** True where the clone has not all of the history. */
  readonly isShallow: (options: HistoryOptions) => Promise<boolean>;
}

export interface Git {
  readonly history: () => Promise<GitHistory>;
  /** What the clone of a folder says of its wiring. Throws a RollstampError where it is in none. */
  readonly wiring: (options: GitOptions) => Promise<GitWiring>;
  /** The addresses of the clone's remotes; none outside of a clone. */
  readonly remotes: (options: GitOptions) => Promise<readonly string[]>;
  /** Sets values in the configuration of the clone. */
  readonly configure: (settings: readonly GitSetting[], options: GitOptions) => Promise<void>;
  /** Merges texts as git merges a file. */
  readonly mergeTexts: (texts: ThreeFiles, options: MergeOptions) => Promise<MergedText>;
  /** Merges the files at three paths into that of ours, whatever is in them; gives how many conflicts there are. */
  readonly mergeFiles: (paths: ThreeFiles, options: MergeOptions) => Promise<number>;
  /**
   * Checks two revisions out into temporary worktrees, and takes them away again whatever happens:
   * also when `use` throws, and when a signal ends the process.
   */
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

/** What a clone's git says of itself. */
export interface GitWiring {
  /** What is set about us, by the key in lower case. */
  readonly config: ReadonlyMap<string, string>;
  /** The folder of its hooks, from the folder that the command was given; undefined where others share it. */
  readonly hooks: string | undefined;
  /** The same, for messages. */
  readonly hooksShown: string;
}
