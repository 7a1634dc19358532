import { RollstampError } from "../../base/errors.ts";
import type { RevisionRange } from "../../platform/ports/git.ts";
import type { Environment } from "../../platform/ports/environment.ts";

/** Reads `A..B` and `A...B`. Without B it is HEAD, as in git; A is required, because a script's variable may be empty. */
export function parseRange(text: string): RevisionRange {
  const [, base = "", dots, head] = /^(.*?)(\.{2,3})(.*)$/u.exec(text) ?? [];
  if (base === "") {
    const problem = dots === undefined ? "not a range of revisions" : `nothing is before '${dots}'`;
    throw new RollstampError("usage", `--git ${text}: ${problem}`, {
      remedy: "Use A..B, such as main..HEAD, or A...B for the changes of B since its merge base with A.",
    });
  }
  return { base, head: head || "HEAD", sinceMergeBase: dots === "..." };
}

/** The error of commands that read a history. */
export function noCommitYet(): RollstampError {
  return new RollstampError("usage", "this branch has no commit yet", { remedy: "Commit something first." });
}

// Git sets these variables for hooks; they point to one repository (`git rev-parse --local-env-vars`).
const LOCAL_VARIABLES = [
  "GIT_ALTERNATE_OBJECT_DIRECTORIES",
  "GIT_COMMON_DIR",
  "GIT_DIR",
  "GIT_GRAFT_FILE",
  "GIT_IMPLICIT_WORK_TREE",
  "GIT_INDEX_FILE",
  "GIT_OBJECT_DIRECTORY",
  "GIT_PREFIX",
  "GIT_SHALLOW_FILE",
  "GIT_WORK_TREE",
] as const;

/** The environment without variables that tie git to one repository, because a plan may run in a hook. */
export function gitEnvironment(environment: Environment): Environment {
  const kept = { ...environment };
  for (const name of LOCAL_VARIABLES) delete kept[name];
  return kept;
}
