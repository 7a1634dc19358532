import { outputAtOnce, runAtTheEnd, runChild, type ChildOptions, type ChildRun } from "./processes.ts";

/**
 * Options of every call of git. A commit can contain a folder that looks like a repository with its own configuration: git
 * would use it, and run its file system monitor. Other settings would add messages of gpg to the log, or change its encoding and
 * order.
 */
const OPTIONS: readonly string[] = [
  "safe.bareRepository=explicit",
  "core.fsmonitor=false",
  "log.showSignature=false",
  "i18n.logOutputEncoding=UTF-8",
  "diff.orderFile=/dev/null",
].flatMap((option) => ["-c", option]);

/**
 * The environment of every call of git. In a partial clone, reading an object starts a fetch: one for each object, with the
 * programs that the clone's configuration names. Git has the second variable since 2.45; no configuration overrides the first.
 * Without the third, `git status` writes the index, in the way of a git that a person runs, and runs a hook.
 * What a clone replaces (git-replace, grafts) is not replaced where engines clone, and would be cached under the id of the
 * original.
 */
const OFFLINE = {
  GIT_ALLOW_PROTOCOL: "none",
  GIT_NO_LAZY_FETCH: "1",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_GRAFT_FILE: "/dev/null/none",
};

function offline<T extends Pick<ChildOptions, "environment">>(options: T): T {
  return { ...options, environment: { ...options.environment, ...OFFLINE } };
}

/** Runs git to its end, without the network. Never throws. */
export function runGit(args: readonly string[], options: ChildOptions): Promise<ChildRun> {
  return runChild("git", [...OPTIONS, ...args], offline(options));
}

/** Runs git while the process ends, when nothing can be awaited. Its result is ignored. */
export function runGitAtTheEnd(args: readonly string[], options: Parameters<typeof runAtTheEnd>[2]): void {
  runAtTheEnd("git", [...OPTIONS, ...args], offline(options));
}

/** The output of git for callers that can't wait. */
export function gitOutputAtOnce(
  args: readonly string[],
  options: Parameters<typeof outputAtOnce>[2],
): ReturnType<typeof outputAtOnce> {
  return outputAtOnce("git", [...OPTIONS, ...args], offline(options));
}
