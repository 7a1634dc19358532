import { RollstampError } from "../../base/errors.ts";
import { shellWord } from "../../base/shell-words.ts";
import { checksOf } from "./checks.ts";
import type { Survey } from "./init-target.ts";
import type { InitFolder } from "../../platform/ports/files.ts";

/** The files that our driver merges: what else they hold is merged as git does. */
export const ATTRIBUTE_LINES: readonly string[] = ["*.yaml", "*.yml", "*.json"].map(
  (glob) => `${glob} merge=rollstamp diff=rollstamp`,
);

const CALL = "rollstamp merge-driver --marker-size %L --base %S --ours %X --theirs %Y -- %O %A %B %P";

/**
 * The driver's command. A machine without rollstamp merges as git does; also one where it can't be started: to git each
 * status up to 128 is a conflict, and our side would stay as it is, without a marker.
 */
export const DRIVER: string = `if command -v rollstamp >/dev/null 2>&1; then ${CALL} && exit; grep -q '^<<<<<<<' %A && exit 1; fi; git merge-file --marker-size=%L %A %O %B || exit 1`;

/** The command that hides stamps in diffs. Where it fails git would end the whole diff: the file is shown as it is. */
export const TEXTCONV = `shown() { rollstamp textconv -- "$1" 2>/dev/null || cat -- "$1"; }; shown`;

/** The command that stamps the files of a repository. Throws a RollstampError where none is stamped. */
export function stampOf(folder: InitFolder, survey: Survey): string {
  const stamp = checksOf(folder, survey, "none")?.files?.replace(" --check", "");
  if (stamp !== undefined) return stamp;
  throw new RollstampError("usage", "no file of this repository is stamped: there is nothing to merge", {
    remedy: "Where stamps are made in the render, Git holds none (docs/git.md).",
  });
}

/** The lines that bring a branch into the one that is checked out, in a clone of a job's own. */
export function restampLines(branch: string, stamp: string): string[] {
  return [
    `git config merge.rollstamp.driver ${shellWord(DRIVER)}`,
    ...ATTRIBUTE_LINES.map((line) => `echo '${line}' >> .git/info/attributes`),
    `git merge --no-edit ${branch}`,
    stamp,
    "git diff --quiet || git commit --all --message 'Stamped again'",
  ];
}
