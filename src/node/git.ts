import { realpathSync, rmSync } from "node:fs";
import { basename, isAbsolute, join, relative, resolve, sep } from "node:path";
import { withoutUserInfo } from "../base/user-info.ts";
import { RollstampError } from "../base/errors.ts";
import { isInside } from "../base/inside.ts";
import { runGit, runGitAtTheEnd } from "./git-options.ts";
import { runAtExit } from "./process-end.ts";
import type { ChildOptions, ChildRun } from "./processes.ts";
import { clearLeftBehind, clearLeftWorktrees, copyPrefix, makeTemporaryFolder } from "./temporary-folders.ts";
import type { Checkouts, GitOptions, GitSetting, GitWiring, RevisionRange } from "../platform/ports/git.ts";

/** Git's message if a partial clone lacks an object and the remote does not send it. */
const LACKS = /from promisor remote|unable to read (?:sha1 file|tree)/u;

/** The error for an unexpected failure of git. */
export function failed(said: string): RollstampError {
  if (LACKS.test(said)) {
    return new RollstampError("system", "this clone is incomplete: an object of a revision is missing", {
      remedy:
        "It was cloned with a filter or a depth, and rollstamp does not fetch the rest, object by object: run git fetch --refetch --no-filter (for a shallow clone: git fetch --unshallow), or make a full clone.",
    });
  }
  return new RollstampError("system", "git failed", { remedy: said });
}

/** The error for an object that a clone should have. */
export function lacking(id: string, path?: string): RollstampError {
  return new RollstampError("system", `this clone is incomplete: object ${id} is missing`, {
    ...(path === undefined ? {} : { place: { file: path } }),
    remedy: "Run git fsck, and git fetch --refetch, or make a full clone.",
  });
}

// The output is names of commits and folders, never content.
const MOST_BYTES = 1 << 20;

/** The output of git without the last line break. Throws the error that `failure` makes of its message. */
export async function gitOutput(
  options: GitOptions & Pick<ChildOptions, "timeoutMs">,
  args: readonly string[],
  failure: (said: string) => RollstampError,
): Promise<string> {
  const run = await runGit(args, { ...options, most: MOST_BYTES });
  if (run.is === "done") return run.stdout.toString("utf8").replace(/\r?\n$/u, "");
  throw gitError(run, failure);
}

/** The error for a failed run of git. Credentials of remotes are removed from the message. */
export function gitError(
  run: Exclude<ChildRun, { is: "done" }>,
  failure: (said: string) => RollstampError = failed,
): RollstampError {
  return run.is === "failed" ? failure(withoutUserInfo(run.stderr.trim()) || "git printed no message.") : notRun(run);
}

/** The error for a folder outside of a Git worktree. */
export function noRepository(said: string): RollstampError {
  if (said.includes("safe.bareRepository")) {
    return new RollstampError("usage", "this is a bare repository, which has no worktree", {
      remedy: "Make one with git worktree add FOLDER, and run the command there.",
    });
  }
  return new RollstampError("usage", "this folder is not in a Git worktree", { remedy: said });
}

function notRun(run: Exclude<ChildRun, { is: "done" | "failed" }>): RollstampError {
  if (run.is !== "notStarted") return failed(run.is === "tooMuch" ? "It printed too much." : "It did not end in time.");
  return new RollstampError("system", `git can't be started (${run.code})`, {
    remedy: "Install git.",
  });
}

/**
 * Checks two revisions out into temporary worktrees, and always removes them: also if `use` throws or a signal ends the process.
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
  clearLeftWorktrees(join(commonDir, "worktrees"));
  const root = makeTemporaryFolder(copyPrefix("plan"));
  // Git names its record of a worktree after the folder: this name is unique.
  const folders = { base: join(root, `${basename(root)}-base`), head: join(root, `${basename(root)}-head`) };
  const removal = runAtExit(() => removeWorktrees(options, { root, commonDir, folders: Object.values(folders) }));
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

/** The commits of a range, and the path of the current folder in the worktree. */
export interface ResolvedRange {
  /** From the root; "" for the root itself. */
  readonly prefix: string;
  readonly baseCommit: string;
  readonly headCommit: string;
  readonly isDirty: boolean;
}

/** The time of git to look through a worktree: filters of the configuration may hang. */
const STATUS_MS = 60_000;

/** Finds the commits of a range. Throws a RollstampError for an unknown revision. */
export async function resolvedRange(range: RevisionRange, options: GitOptions): Promise<ResolvedRange> {
  const prefix = await prefixOf(options, notAWorktree);
  const headCommit = await commitOf(options, range.head);
  const baseCommit = await (range.sinceMergeBase
    ? mergeBase(options, range, headCommit)
    : commitOf(options, range.base));
  const isDirty = (await gitOutput({ ...options, timeoutMs: STATUS_MS }, ["status", "--porcelain"], failed)) !== "";
  return { prefix, baseCommit, headCommit, isDirty };
}

/** The path of a folder from the root of its repository; "" for the root. Throws a RollstampError outside of one. */
export async function prefixOf(
  options: GitOptions,
  outside: (said: string) => RollstampError = noRepository,
): Promise<string> {
  return (await gitOutput(options, ["rev-parse", "--show-prefix"], outside)).replace(/\/$/u, "");
}

/** The commit of a revision. Throws a RollstampError for an unknown one, and for one that git has to choose. */
async function commitOf(options: GitOptions, revision: string): Promise<string> {
  // Only the text of a warning says that there are several, and only if no --quiet hides it.
  const run = await runGit(
    ["-c", "core.warnAmbiguousRefs=true", "rev-parse", "--verify", "--end-of-options", `${revision}^{commit}`],
    { ...options, environment: { ...options.environment, LC_ALL: "C" }, most: MOST_BYTES },
  );
  if (run.is !== "done") throw gitError(run, () => unknownRevision(revision));
  // A ref may be named like a commit: git takes the commit.
  if (run.stderr.includes("is ambiguous") && !/^[\da-f]{40}/u.test(revision))
    throw new RollstampError("usage", `the revision '${revision}' is ambiguous: several refs have this name`, {
      remedy: "Use the full name, such as refs/heads/main, refs/remotes/origin/main or refs/tags/v1.",
    });
  return run.stdout.toString("utf8").trim();
}

async function mergeBase(options: GitOptions, { base, head }: RevisionRange, headCommit: string): Promise<string> {
  return gitOutput(
    options,
    ["merge-base", await commitOf(options, base), headCommit],
    () =>
      new RollstampError("usage", `${base} and ${head} have no common commit in this clone`, {
        remedy: "If the clone is shallow, fetch more of the history (git fetch --unshallow; in CI fetch-depth: 0).",
      }),
  );
}

function unknownRevision(revision: string): RollstampError {
  return new RollstampError("usage", `unknown revision '${revision}'`, {
    remedy:
      "Check the name. If the clone is shallow, fetch the branch or the history first (git fetch --unshallow; in CI fetch-depth: 0).",
  });
}

function notAWorktree(said: string): RollstampError {
  return new RollstampError("usage", "--git needs a Git worktree, and this folder is not in one", { remedy: said });
}

/** Adds a worktree without running hooks: no person checks it out. */
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
    // --force twice: a worktree that is still being added is locked.
    runGitAtTheEnd(["worktree", "remove", "--force", "--force", folder], options);
    // Git does not remove a worktree whose creation was interrupted early.
    rmSync(join(commonDir, "worktrees", basename(folder)), { recursive: true, force: true });
  }
  rmSync(root, { recursive: true, force: true, maxRetries: 3 });
}

/** The Git settings of the clone that a folder is in. Throws a RollstampError outside of a clone. */
export async function gitWiring(options: GitOptions): Promise<GitWiring> {
  const top = await gitOutput(options, ["rev-parse", "--show-toplevel"], noRepository);
  const hooks = resolve(options.cwd, await gitOutput(options, ["rev-parse", "--git-path", "hooks"], failed));
  const realHooks = join(realpathSync(options.cwd), relative(options.cwd, hooks));
  // Linked worktrees and submodules have their hooks in the directory of the repository, outside of their files.
  const directory = resolve(options.cwd, await gitOutput(options, ["rev-parse", "--git-common-dir"], failed));
  const hooksRoot = [top, directory].map((own) => realpathSync(own)).find((own) => isInside(own, resolve(realHooks)));
  const config = new Map(
    settingsOf(await gitOutput(options, LIST_CONFIG, failed)).filter(([key]) =>
      /^(?:merge|diff)\.rollstamp\./u.test(key),
    ),
  );
  const shown = relative(options.cwd, hooks).split(sep).join("/");
  return {
    config,
    hooks: hooksRoot === undefined ? undefined : { path: shown, root: hooksRoot },
    hooksShown: isAbsolute(shown) || shown.startsWith("..") || hooksRoot === undefined ? hooks : shown,
  };
}

/** How many clones of clones on this machine are followed. */
const MOST_CLONES = 10;

/**
 * The addresses of the clone's remotes, and those of a remote that is a clone on this machine: it is a clone of the same
 * repository. None outside of a clone or if git fails.
 */
export async function gitRemotes(options: GitOptions): Promise<readonly string[]> {
  const found = new Set<string>();
  const clones = [options.cwd];
  for (const cwd of clones) {
    for (const remote of await remotesIn({ ...options, cwd })) {
      const clone = remote.replace(/^file:\/\//u, "");
      if (!found.has(remote) && isAbsolute(clone) && clones.length < MOST_CLONES) clones.push(clone);
      found.add(remote);
    }
  }
  return [...found];
}

async function remotesIn(options: GitOptions): Promise<readonly string[]> {
  return settingsOf(await outputOrNone(options, LIST_CONFIG)).flatMap(([key, value]) =>
    /^remote\..+\.(?:push)?url$/u.test(key) ? [value] : [],
  );
}

/** The name of the current branch; "HEAD" if no branch is checked out. */
export async function currentBranch(options: GitOptions): Promise<string> {
  return (await outputOrNone(options, ["symbolic-ref", "--quiet", "--short", "HEAD"])) || "HEAD";
}

// `git config --get` fails for a missing key; a list does not.
const LIST_CONFIG = ["config", "--null", "--list"] as const;

/** The keys and values of `git config --null --list`. */
function settingsOf(said: string): (readonly [key: string, value: string])[] {
  return said.split("\0").map((line) => {
    const [key = "", ...value] = line.split("\n");
    return [key, value.join("\n")];
  });
}

/** The output of git; empty if it fails. */
function outputOrNone(options: GitOptions, args: readonly string[]): Promise<string> {
  return gitOutput(options, args, failed).catch((cause: unknown) => {
    if (cause instanceof RollstampError) return "";
    throw cause;
  });
}

const DEFAULT_BRANCHES = ["origin/main", "origin/master", "main", "master"] as const;

/**
 * What HEAD has since it left the default branch: `origin/main...HEAD`. On the default branch itself, its last commit.
 * Undefined outside of a clone, and if neither is known.
 */
export async function likelyRange(options: GitOptions): Promise<string | undefined> {
  const said = (...args: readonly string[]): Promise<string> => outputOrNone(options, args);
  const idOf = (name: string): Promise<string> => said("rev-parse", "--verify", "--quiet", `${name}^{commit}`);
  const head = await idOf("HEAD");
  if (head === "") return undefined;
  // git clone sets it to the branch that the server has as HEAD.
  const remote = await said("symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD");
  for (const branch of [remote, ...DEFAULT_BRANCHES]) {
    const commit = branch === "" ? "" : await idOf(branch);
    if (commit === head) return (await idOf("HEAD~1")) === "" ? undefined : "HEAD~1..HEAD";
    if (commit !== "") return `${branch}...HEAD`;
  }
  return undefined;
}

/** Sets values in the configuration of the clone. Throws a RollstampError. */
export async function configureGit(settings: readonly GitSetting[], options: GitOptions): Promise<void> {
  for (const { key, value } of settings) await gitOutput(options, ["config", "--local", key, value], failed);
}
