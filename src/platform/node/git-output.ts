import { withoutUserInfo } from "../../applications/tools/masked-words.ts";
import { RollstampError } from "../../base/errors.ts";
import type { GitOptions } from "../ports/git.ts";
import { runChild, type ChildRun } from "./child-processes.ts";

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
