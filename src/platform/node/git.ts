import { realpathSync, rmSync, writeFileSync } from "node:fs";
import { basename, isAbsolute, join, relative, resolve, sep } from "node:path";
import { withoutUserInfo } from "../../applications/tools/masked-words.ts";
import { RollstampError } from "../../base/errors.ts";
import { isInside } from "../../base/inside.ts";
import { tooLarge } from "../../base/limits.ts";
import { atTheEnd, type ChildRun, runAtTheEnd, runChild } from "./processes.ts";
import { clearLeftBehind, copyPrefix, makeTemporaryFolder, withFolder } from "./temporary-folders.ts";
import { decodeUtf8 } from "./utf8.ts";
import type {
  Checkouts,
  GitOptions,
  GitSetting,
  GitWiring,
  MergedText,
  MergeOptions,
  RevisionRange,
  ThreeFiles,
} from "../ports/git.ts";

/**
 * What git is always given. A commit can bring a folder that looks like a repository, with a configuration of its
 * own: git takes it for one where it is run in it, and asks the program that it names what has changed.
 */
export const GIT_OPTIONS: readonly string[] = ["-c", "safe.bareRepository=explicit", "-c", "core.fsmonitor=false"];

/** What git says where a clone that was made with a filter lacks an object, and its remote doesn't give it. */
const LACKS = /from promisor remote|unable to read (?:sha1 file|tree)/u;

/** The error for what git says where it should not fail. */
export function failed(said: string): RollstampError {
  if (LACKS.test(said)) {
    return new RollstampError("system", "this clone has not all that its revisions hold", {
      remedy:
        "It was made with a filter or a depth, and its remote gave git nothing: fetch the rest with git fetch --refetch --no-filter (a shallow one: git fetch --unshallow), or clone all of it.",
    });
  }
  return new RollstampError("system", "git failed", { remedy: said });
}

// It is asked for names of commits and folders, never for content.
const MOST_BYTES = 1 << 20;

/** What git prints, without the last line break. Throws the error that `failure` makes of what it says. */
export async function gitOutput(
  options: GitOptions,
  args: readonly string[],
  failure: (said: string) => RollstampError,
): Promise<string> {
  const run = await runChild("git", [...GIT_OPTIONS, ...args], { ...options, most: MOST_BYTES });
  if (run.is === "done") return run.stdout.toString("utf8").replace(/\r?\n$/u, "");
  throw gitError(run, failure);
}

/** The error for a run of git that has not ended well: what it says of a remote is told without the credentials. */
export function gitError(
  run: Exclude<ChildRun, { is: "done" }>,
  failure: (said: string) => RollstampError = failed,
): RollstampError {
  return run.is === "failed" ? failure(withoutUserInfo(run.stderr.trim()) || "git said nothing.") : notRun(run);
}

/** The error for a folder that is in no clone. */
export function noRepository(said: string): RollstampError {
  return new RollstampError("usage", "this folder is in no Git worktree", { remedy: said });
}

function notRun(run: Exclude<ChildRun, { is: "done" | "failed" }>): RollstampError {
  if (run.is !== "notStarted") return failed("It printed too much.");
  return new RollstampError("system", `git can't be started (${run.code})`, {
    remedy: "Install git.",
  });
}

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
  const prefix = (await gitOutput(options, ["rev-parse", "--show-prefix"], notAWorktree)).replace(/\/$/u, "");
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

function notAWorktree(said: string): RollstampError {
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

/** What the clone of a folder says of its wiring. Throws a RollstampError where it is in none. */
export async function gitWiring(options: GitOptions): Promise<GitWiring> {
  const top = await gitOutput(options, ["rev-parse", "--show-toplevel"], noRepository);
  const hooks = resolve(options.cwd, await gitOutput(options, ["rev-parse", "--git-path", "hooks"], failed));
  const own = join(realpathSync(options.cwd), relative(options.cwd, hooks));
  const isOwn = isInside(realpathSync(top), resolve(own));
  // A look-up of nothing is a failure to git, a list never is.
  const said = await gitOutput(options, ["config", "--null", "--list"], failed);
  const config = new Map(
    said.split("\0").flatMap((line): [string, string][] => {
      const end = line.indexOf("\n");
      const key = line.slice(0, end);
      return /^(?:merge|diff)\.rollstamp\./u.test(key) ? [[key, line.slice(end + 1)]] : [];
    }),
  );
  const shown = relative(options.cwd, hooks).split(sep).join("/");
  return { config, hooks: isOwn ? shown : undefined, hooksShown: isAbsolute(shown) || !isOwn ? hooks : shown };
}

/** The addresses of the clone's remotes; none outside of a clone, or where git can't tell. */
export async function gitRemotes(options: GitOptions): Promise<readonly string[]> {
  const said = await gitOutput(options, ["config", "--null", "--list"], failed).catch((cause: unknown) => {
    if (cause instanceof RollstampError) return "";
    throw cause;
  });
  return said.split("\0").flatMap((line) => {
    const end = line.indexOf("\n");
    return /^remote\..+\.(?:push)?url$/u.test(line.slice(0, Math.max(0, end))) ? [line.slice(end + 1)] : [];
  });
}

/** Sets values in the configuration of the clone. Throws a RollstampError. */
export async function configureGit(settings: readonly GitSetting[], options: GitOptions): Promise<void> {
  for (const { key, value } of settings) await gitOutput(options, ["config", "--local", key, value], failed);
}

// How lines are matched decides what a merge makes of them: git's merges use this one (merge-ort.c, merge_start),
// `git merge-file` takes its name since 2.44.
const AS_MERGES = "--diff-algorithm=histogram";

// git: "the exit value is negative on error, and the number of conflicts otherwise, truncated to 127".
const MOST_CONFLICTS = 127;
const USAGE = 129;

/** Whether git refuses that name: it is asked once. */
let isOld = false;

/** Merges texts as git merges a file. Throws a RollstampError. */
export function mergeTexts(texts: ThreeFiles, options: MergeOptions): Promise<MergedText> {
  return withFolder(async (folder) => {
    const put = (name: string, text: string): string => {
      const path = join(folder(), name);
      writeFileSync(path, text, { mode: 0o600 });
      return path;
    };
    const paths = {
      ours: put("ours", texts.ours),
      base: put("base", texts.base),
      theirs: put("theirs", texts.theirs),
    };
    const { conflicts, stdout } = await merge(["--stdout"], paths, options);
    return { text: decodeUtf8(stdout, "the merge"), conflicts };
  });
}

/** Merges the files at three paths into that of ours; gives how many conflicts there are. Throws a RollstampError. */
export async function mergeFiles(paths: ThreeFiles, options: MergeOptions): Promise<number> {
  return (await merge([], paths, options)).conflicts;
}

async function merge(
  flags: readonly string[],
  { ours, base, theirs }: ThreeFiles,
  options: MergeOptions,
): Promise<{ readonly conflicts: number; readonly stdout: Buffer }> {
  const { labels, markerSize, limits, cwd, environment } = options;
  const names = labels.flatMap((label) => ["-L", label]);
  const args = [...flags, "--quiet", `--marker-size=${markerSize}`, ...names, ours, base, theirs];
  const run = (more: readonly string[]): Promise<ChildRun> =>
    runChild("git", [...GIT_OPTIONS, "merge-file", ...more, ...args], { cwd, environment, most: limits.inputSize });
  let ran = await run(isOld ? [] : [AS_MERGES]);
  if (!isOld && statusOf(ran) === USAGE) {
    isOld = true;
    ran = await run([]);
  }
  if (ran.is === "tooMuch") throw tooLarge("the merge", limits.inputSize);
  const status = statusOf(ran);
  if ((ran.is !== "done" && ran.is !== "failed") || status === undefined || status > MOST_CONFLICTS)
    throw ran.is === "done" ? cantMerge("git said nothing.") : gitError(ran, cantMerge);
  return { conflicts: status, stdout: ran.stdout };
}

function cantMerge(said: string): RollstampError {
  return new RollstampError("system", "git could not merge this file", { remedy: said });
}

function statusOf(run: ChildRun): number | undefined {
  if (run.is === "done") return 0;
  const [, status] = run.is === "failed" ? (/^status (\d+)$/u.exec(run.how) ?? []) : [];
  return status === undefined ? undefined : Number(status);
}
