import { posix } from "node:path";
import { checkLines } from "./checks.ts";
import { ciJobs, type CiJobs } from "./ci.ts";
import { filledLines, filledText, MADE_BY, type Fillings } from "./fill.ts";
import type { FileProposal, InitTarget } from "./init-target.ts";

const FOLDER = ".github/workflows";

interface Workflow {
  readonly file: string;
  /** The command of a workflow of the user that makes this one unnecessary. */
  readonly unless?: RegExp;
  readonly isWanted: (jobs: CiJobs) => boolean;
  readonly template: (jobs: CiJobs) => string;
  readonly fillings: (jobs: CiJobs) => Fillings;
  readonly note?: string;
}

const CHECKS = /rollstamp(?:@\S+)? (?:stamp|lint)|uses: \S*\/rollstamp@/u;

// The runner has kustomize and helm (actions/runner-images). Nothing of a pull request runs: its commits are compared by a
// pinned version, in jobs whose token only reads.
const WORKFLOWS: readonly Workflow[] = [
  {
    file: "rollstamp.yml",
    isWanted: ({ checks }) => checks !== undefined,
    template: () => "github/rollstamp.yml",
    fillings: ({ checks }) => ({ CHECKS: checks === undefined ? [] : checkLines(checks, '"$RUNNER_TEMP/kustomize"') }),
  },
  {
    file: "rollstamp-restarts.yml",
    unless: /rollstamp(?:@\S+)? restart/u,
    isWanted: ({ restarts }) => restarts,
    template: () => "github/rollstamp-restarts.yml",
    fillings: () => ({}),
    note: "The restarts are pushed to the default branch. If it is protected, let the workflow open a pull request (docs/restart.md).",
  },
  {
    // GitHub's own merges do not run merge drivers: this one merges the default branch into a branch that conflicts.
    file: "rollstamp-restamp.yml",
    isWanted: ({ restamp }) => restamp,
    template: () => "github/rollstamp-restamp.yml",
    fillings: () => ({}),
    note: "Run 'rollstamp restamp' on a branch in the Actions tab. It pushes with the job's token, and GitHub starts no checks for such a push: docs/git.md says how to get them.",
  },
  {
    file: "rollstamp-plan.yml",
    unless: /rollstamp(?:@\S+)? plan/u,
    isWanted: ({ planners }) => planners !== undefined,
    template: ({ planners }) => (planners === 1 ? "github/rollstamp-plan.yml" : "github/rollstamp-plan-parts.yml"),
    fillings: ({ planners = 1 }) => ({
      COUNT: planners,
      PARTS: Array.from({ length: planners }, (_, i) => i + 1).join(", "),
      COMMENT: filledLines("github/plan-comment.yml"),
    }),
  },
];

/** Workflows that check the stamps of pull requests and, if asked for, restart, stamp again and plan. */
export const GITHUB: InitTarget = {
  name: "github",
  summary: "a workflow that checks the stamps of pull requests",
  takes: ["restarts", "restamp", "plan", "shards"],
  looks: true,
  propose: (folder, options) => {
    const workflows = folder
      .findInRepository(`${FOLDER}/*.{yml,yaml}`)
      .map((path) => folder.read(path) ?? "")
      .filter((text) => !text.startsWith(MADE_BY));
    const has = (command: RegExp): boolean => workflows.some((text) => command.test(text));
    const jobs = ciJobs(folder, options, has(CHECKS));
    const wanted = WORKFLOWS.filter(({ isWanted }) => isWanted(jobs));
    const files = wanted
      .filter(({ unless }) => unless === undefined || !has(unless))
      .flatMap(({ file, template, fillings }): FileProposal[] => {
        const path = posix.join(folder.repository, FOLDER, file);
        const before = folder.read(path);
        const after = filledText(template(jobs), { ...jobs.fillings, ...fillings(jobs) });
        // A file of the user stays as it is; ours is brought up to date.
        const isOurs = before === undefined || before.startsWith(MADE_BY);
        return isOurs && before !== after ? [{ path, before, after }] : [];
      });
    return { files, because: jobs.because, notes: wanted.flatMap(({ note }) => note ?? []) };
  },
};
