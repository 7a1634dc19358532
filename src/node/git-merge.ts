import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { RollstampError } from "../base/errors.ts";
import { tooLarge } from "../base/limits.ts";
import type { MergedText, MergeOptions, ThreeFiles } from "../platform/ports/git.ts";
import { gitError } from "./git.ts";
import { runGit } from "./git-options.ts";
import type { ChildRun } from "./processes.ts";
import { withFolder } from "./temporary-folders.ts";
import { decodeUtf8 } from "./utf8.ts";

// Merges of files by git.

// The diff algorithm changes the result of a merge. Git's merges use this one (merge-ort.c, merge_start); `git merge-file`
// accepts the option since 2.44.
const AS_MERGES = "--diff-algorithm=histogram";

// git: "the exit value is negative on error, and the number of conflicts otherwise, truncated to 127".
const MOST_CONFLICTS = 127;
const USAGE = 129;

/** Whether git is too old for the option; known after the first merge. */
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

/** Merges the files at three paths into ours and returns the number of conflicts. Throws a RollstampError. */
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
    runGit(["merge-file", ...more, ...args], { cwd, environment, most: limits.inputSize });
  let ran = await run(isOld ? [] : [AS_MERGES]);
  if (!isOld && statusOf(ran) === USAGE) {
    isOld = true;
    ran = await run([]);
  }
  if (ran.is === "tooMuch") throw tooLarge("the merge", limits.inputSize);
  const status = statusOf(ran);
  if ((ran.is !== "done" && ran.is !== "failed") || status === undefined || status > MOST_CONFLICTS)
    throw ran.is === "done" ? cantMerge("git printed no message.") : gitError(ran, cantMerge);
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
