import type { Environment } from "./environment.ts";

/** Two revisions as they were asked for: `A..B`, or `A...B` for what B has since it left A. */
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

export interface Git {
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
