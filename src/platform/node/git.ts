import { rmSync } from "node:fs";
import { basename, isAbsolute, join } from "node:path";
import { RollstampError } from "../../base/errors.ts";
import type { Checkouts, GitOptions } from "../ports/git.ts";
import type { RevisionRange } from "../ports/revisions.ts";
import { atTheEnd } from "./at-the-end.ts";
import { runAtTheEnd } from "./child-processes.ts";
import { failed, GIT_OPTIONS, gitOutput } from "./git-output.ts";
import { clearLeftBehind, copyPrefix } from "./left-behind.ts";
import { makeTemporaryFolder } from "./temporary-folder.ts";

/**
 * Checks two revisions out into temporary worktrees, and takes them away again whatever happens:
 * also when `use` throws, and when a signal ends the process.
 */
export async function withCheckouts<T>(
  range: RevisionRange,
  options: GitOptions,
  use: (checkouts: Checkouts) => Promise<T>,
): Promise<T> {
  const { prefix, baseCommit, headCommit, isDirty } = await resolvedRange(range, options);
  const gitDir = await gitOutput(options, ["rev-parse", "--git-common-dir"], failed);
  const commonDir = isAbsolute(gitDir) ? gitDir : join(options.cwd, gitDir);
  clearLeftBehind();
  const root = makeTemporaryFolder(copyPrefix("plan"));
  // Git names its own record of a worktree after the folder: no other one has this name.
  const folders = { base: join(root, `${basename(root)}-base`), head: join(root, `${basename(root)}-head`) };
  const removal = atTheEnd(() => removeWorktrees(options, { root, commonDir, folders: Object.values(folders) }));
  try {
    await addWorktree(options, folders.base, baseCommit);
    await addWorktree(options, folders.head, headCommit);
    return await use({
      base: { revision: range.base, commit: baseCommit, folder: join(folders.base, prefix), root: folders.base },
      head: { revision: range.head, commit: headCommit, folder: join(folders.head, prefix), root: folders.head },
      isDirty,
    });
  } finally {
    removal.now();
  }
}

/** A range as commits, and where the current folder is in the worktree. */
export interface ResolvedRange {
  /** The way from the root; "" for the root itself. */
  readonly prefix: string;
  readonly baseCommit: string;
  readonly headCommit: string;
  readonly isDirty: boolean;
}

/** Finds the commits of a range. Throws a RollstampError for one that is not there. */
export async function resolvedRange(range: RevisionRange, options: GitOptions): Promise<ResolvedRange> {
  const prefix = (await gitOutput(options, ["rev-parse", "--show-prefix"], noRepository)).replace(/\/$/u, "");
  const headCommit = await commitOf(options, range.head);
  const baseCommit = await (range.sinceMergeBase
    ? mergeBase(options, range, headCommit)
    : commitOf(options, range.base));
  const isDirty = (await gitOutput(options, ["status", "--porcelain"], failed)) !== "";
  return { prefix, baseCommit, headCommit, isDirty };
}

function commitOf(options: GitOptions, revision: string): Promise<string> {
  return gitOutput(options, ["rev-parse", "--verify", "--quiet", "--end-of-options", `${revision}^{commit}`], () =>
    unknownRevision(revision),
  );
}

async function mergeBase(options: GitOptions, { base, head }: RevisionRange, headCommit: string): Promise<string> {
  return gitOutput(
    options,
    ["merge-base", await commitOf(options, base), headCommit],
    () =>
      new RollstampError("usage", `${base} and ${head} have no common commit here`, {
        remedy: "A shallow clone may lack it: fetch more of the history (git fetch --unshallow; in CI fetch-depth: 0).",
      }),
  );
}

function unknownRevision(revision: string): RollstampError {
  return new RollstampError("usage", `there is no revision '${revision}' here`, {
    remedy:
      "Check its name. A shallow clone has only what was fetched: git fetch --unshallow, in CI fetch-depth: 0; or fetch the branch first.",
  });
}

function noRepository(said: string): RollstampError {
  return new RollstampError("usage", "--git needs a Git worktree, and this is none", { remedy: said });
}

/** A checkout runs no hook: it is none that a person makes. */
async function addWorktree(options: GitOptions, folder: string, commit: string): Promise<void> {
  const args = ["-c", "core.hooksPath=/dev/null", "worktree", "add", "--detach", "--quiet", folder, commit];
  await gitOutput(options, args, failed);
}

interface Worktrees {
  readonly root: string;
  readonly commonDir: string;
  readonly folders: readonly string[];
}

function removeWorktrees(options: GitOptions, { root, commonDir, folders }: Worktrees): void {
  for (const folder of folders) {
    // Twice: one that is being added is locked.
    runAtTheEnd("git", [...GIT_OPTIONS, "worktree", "remove", "--force", "--force", folder], options);
    // Git removes nothing of one whose adding was cut off early.
    rmSync(join(commonDir, "worktrees", basename(folder)), { recursive: true, force: true });
  }
  rmSync(root, { recursive: true, force: true, maxRetries: 3 });
}
