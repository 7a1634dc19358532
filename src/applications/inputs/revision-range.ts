import { RollstampError } from "../../base/errors.ts";
import type { RevisionRange } from "../../platform/ports/git.ts";
import type { Environment } from "../../platform/ports/environment.ts";

/** Reads `A..B` and `A...B`; one that is left out is HEAD, as git has it. */
export function parseRange(text: string): RevisionRange {
  const match = /^(.*?)(\.{2,3})(.*)$/u.exec(text);
  if (match === null || (match[1] === "" && match[3] === "")) {
    throw new RollstampError("usage", `--git ${text}: this names no two revisions`, {
      remedy: "Write A..B, such as main..HEAD; or A...B for what B has since it left A.",
    });
  }
  return { base: match[1] || "HEAD", head: match[3] || "HEAD", sinceMergeBase: match[2] === "..." };
}

// What git sets for its hooks points to the repository that called: `git rev-parse --local-env-vars`.
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

/** The environment without what ties git to one repository: a plan may run in a hook. */
export function gitEnvironment(environment: Environment): Environment {
  const kept = { ...environment };
  for (const name of LOCAL_VARIABLES) delete kept[name];
  return kept;
}
