import type { RollstampError } from "../../base/errors.ts";
import type { Limits } from "../../base/limits.ts";

/** Whether a text says something. One function for each question: a tree may keep the answers. */
export type TextTest = (text: string) => boolean;

/** What comes of reading a file. */
export type TreeRead =
  | { readonly is: "text"; readonly text: string }
  | { readonly is: "refused"; readonly because: string; readonly error: RollstampError };

/**
 * The files of a repository, of its worktree or of a revision; paths are from its root, with slashes. What a folder or
 * file is called there is all that is known of it before it is read.
 */
export interface RepositoryTree {
  /** Every file that no ignore file names, in the order of their paths. */
  readonly files: readonly string[];
  /** What was met and is no file that may be read: links out, pipes, folders without permission. */
  readonly left: readonly { readonly path: string; readonly because: string; readonly error?: RollstampError }[];
  /** Also one that is not among `files`, if it is inside. */
  readonly read: (path: string) => TreeRead;
  /** Whether the text of a file says something; one that can't be read says nothing. */
  readonly says: (path: string, test: TextTest) => boolean;
  readonly limits: Limits;
}
