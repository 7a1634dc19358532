import { posix } from "node:path";
import type { InitTarget } from "./init-target.ts";
import { checksOf, pluginLines, shellOf, type Checks } from "./checks.ts";
import { installRenderers, MADE_BY, pinnedInstall, pinnedRun } from "./ci.ts";
import { planPipeline } from "./gitlab-plan.ts";
import { hasMarked, withMarked } from "./marked-lines.ts";
import { planJobs } from "./plan-jobs.ts";
import { restampLines, stampOf } from "./restamp.ts";
import { addKey, readAuthored, valueAt, type Authored, type Value } from "./yaml-insert.ts";

const FILE = ".gitlab-ci.yml";

/** Jobs that check the stamps of a merge request, and that commit the restarts which are due. */
export const GITLAB: InitTarget = {
  name: "gitlab",
  summary: "a job that checks the stamps of merge requests",
  takes: ["restarts", "restamp", "plan", "shards"],
  looks: true,
  propose: (folder, { version, restarts, restamp, plan, shards, survey }) => {
    const path = posix.join(folder.repository, FILE);
    const before = folder.read(path);
    const isChecked = /^rollstamp:/mu.test(before ?? "");
    const more = restarts === true || restamp === true || plan === true;
    const checks = isChecked ? undefined : checksOf(folder, survey(), more ? "none" : "refuse");
    const planned = plan === true ? planJobs(survey(), shards) : undefined;
    const jobs = {
      ...(checks === undefined ? {} : { rollstamp: checkJob(version, checks) }),
      ...(restarts === true ? { "rollstamp-restarts": restartJob(version) } : {}),
      ...(restamp === true ? { "rollstamp-restamp": restampJob(version, stampOf(folder, survey())) } : {}),
    };
    let text = withJobs(before ?? "", jobs, path);
    if (planned !== undefined) {
      const planning = planPipeline(version, planned.count);
      // Jobs of these names without our marks are somebody's own.
      if (hasMarked(text, PLAN_MARKS) || !/^rollstamp-plan(?:-part)?:/mu.test(text))
        text = withMarked(text, PLAN_MARKS, (rest) => withJobs(rest, planning, path));
    }
    const notes = [
      ...(restarts === true
        ? [
            "rollstamp-restarts runs in scheduled pipelines: add a schedule, and a project access token that may push as RESTART_TOKEN (docs/restart.md).",
          ]
        : []),
      ...(restamp === true
        ? [
            "rollstamp-restamp is started by a person in a merge request's pipeline: add a project access token that may push as RESTAMP_TOKEN (docs/git.md).",
          ]
        : []),
      ...(planned === undefined
        ? []
        : [
            "rollstamp-plan writes the plan as a note of the merge request where there is a project access token that may do so (role Reporter, scope api) as PLAN_TOKEN, masked; else it is in the job's log (docs/init.md).",
          ]),
    ];
    const files = text === (before ?? "") ? [] : [{ path, before, after: text }];
    return { files, because: [...(checks?.because ?? []), ...(planned?.because ?? [])], notes };
  },
};

const PLAN_MARKS = { first: `${MADE_BY} gitlab --plan`, last: "# End of what rollstamp init gitlab --plan has made" };

type Jobs = Readonly<Record<string, { readonly [key: string]: Value }>>;

/** The text with the jobs that it has not. */
function withJobs(before: string, jobs: Jobs, path: string): string {
  let text = before;
  for (const [name, job] of Object.entries(jobs)) {
    if (new RegExp(`^${name}:`, "mu").test(text)) continue;
    const authored = /^[^#\s]/mu.test(text) ? readAuthored(text, path) : undefined;
    const entry = { ...stageOf(authored), ...job };
    text = authored === undefined ? text + newFile(name, entry) : separated(addKey(authored, [name], entry), name);
  }
  return text;
}

function newFile(name: string, job: Value): string {
  return addKey(readAuthored("stages: [test]\n", FILE), [name], job).replace(/^stages: \[test\]\n/u, "");
}

/** Jobs stand apart by an empty line, as people write them. */
function separated(text: string, name: string): string {
  return text.replace(new RegExp(`(?<!\\n)(\\r?\\n)(?=${name}:)`, "u"), "$1$1");
}

/** A job's stage is "test" unless the file has other ones (docs.gitlab.com/ci/yaml, "stages"). */
function stageOf(authored: Authored | undefined): { readonly [key: string]: Value } {
  const stages = authored === undefined ? undefined : valueAt(authored, ["stages"]);
  if (!Array.isArray(stages) || stages.includes("test")) return {};
  const [first] = stages;
  return typeof first === "string" ? { stage: first } : {};
}

function checkJob(version: string, checks: Checks): { readonly [key: string]: Value } {
  return {
    image: "node:22",
    // The pipelines of merge trains are those of merge requests.
    rules: [{ if: '$CI_PIPELINE_SOURCE == "merge_request_event"' }, { if: "$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH" }],
    before_script: [
      pinnedInstall(version),
      ...installRenderers({ kustomize: checks.renderings.length > 0, helm: checks.charts.length > 0 }),
    ],
    // In one script: the image's bash knows pipefail, and all is checked before the job fails.
    script: [["set -o pipefail", ...pluginLines(checks, "/tmp/kustomize"), ...shellOf(checks), ""].join("\n")],
  };
}

function restartJob(version: string): { readonly [key: string]: Value } {
  return {
    image: "node:22",
    rules: [{ if: '$CI_PIPELINE_SOURCE == "schedule"' }],
    script: [
      `${pinnedRun(version)} restart --due .`,
      "git diff --quiet && exit 0",
      'git -c user.name=rollstamp -c user.email="rollstamp@$CI_SERVER_HOST" commit --all --message "Scheduled restarts"',
      'git push "https://rollstamp:$RESTART_TOKEN@$CI_SERVER_HOST/$CI_PROJECT_PATH.git" "HEAD:$CI_COMMIT_REF_NAME"',
    ],
  };
}

// GitLab's own merges ask no driver: where a merge request conflicts in stamps, this brings its target into it.
function restampJob(version: string, stamp: string): { readonly [key: string]: Value } {
  return {
    image: "node:22",
    rules: [{ if: '$CI_PIPELINE_SOURCE == "merge_request_event"', when: "manual", allow_failure: true }],
    variables: { GIT_DEPTH: 0 },
    script: [
      pinnedInstall(version),
      'git config user.name rollstamp && git config user.email "rollstamp@$CI_SERVER_HOST"',
      'git fetch origin "$CI_MERGE_REQUEST_TARGET_BRANCH_NAME" "$CI_MERGE_REQUEST_SOURCE_BRANCH_NAME"',
      'git checkout -B "$CI_MERGE_REQUEST_SOURCE_BRANCH_NAME" "origin/$CI_MERGE_REQUEST_SOURCE_BRANCH_NAME"',
      ...restampLines('"origin/$CI_MERGE_REQUEST_TARGET_BRANCH_NAME"', stamp),
      'git push "https://rollstamp:$RESTAMP_TOKEN@$CI_SERVER_HOST/$CI_PROJECT_PATH.git" "HEAD:$CI_MERGE_REQUEST_SOURCE_BRANCH_NAME"',
    ],
  };
}
