import { posix } from "node:path";
import { checkLines } from "./checks.ts";
import { ciJobs, installRenderers, type CiJobs } from "./ci.ts";
import { filledData, filledLines, MADE_BY, type Fillings } from "./fill.ts";
import type { InitTarget } from "./init-target.ts";
import { hasMarked, withMarked } from "./marked-lines.ts";
import { addKey, readAuthored, valueAt, type Authored, type Value } from "./yaml-insert.ts";

const FILE = ".gitlab-ci.yml";
const PLAN_MARKS = { first: `${MADE_BY} gitlab --plan`, last: "# End of what rollstamp init gitlab --plan has made" };

const NOTES = {
  restarts:
    "rollstamp-restarts runs in scheduled pipelines: add a schedule, and as RESTART_TOKEN a project access token that may push (docs/restart.md).",
  restamp:
    "A person starts rollstamp-restamp in the pipeline of a merge request: add a project access token that may push as RESTAMP_TOKEN (docs/git.md).",
  plan: "rollstamp-plan writes the plan as a note of the merge request if PLAN_TOKEN is a project access token that may do so (role Reporter, scope api, masked). Without it, the plan is in the job's log (docs/init.md).",
} as const;

/** Jobs that check the stamps of merge requests and, if asked for, restart, stamp again and plan. */
export const GITLAB: InitTarget = {
  name: "gitlab",
  summary: "a job that checks the stamps of merge requests",
  takes: ["restarts", "restamp", "plan", "shards"],
  looks: true,
  propose: (folder, options) => {
    const path = posix.join(folder.repository, FILE);
    const before = folder.read(path) ?? "";
    const jobs = ciJobs(folder, options, /^rollstamp:/mu.test(before));
    const added = withJobs(before, checkAndPushJobs(jobs), path);
    const after = jobs.planners === undefined ? added : withPlan(added, jobs, jobs.planners, path);
    return {
      files: after === before ? [] : [{ path, before: folder.read(path), after }],
      because: jobs.because,
      notes: [
        ...(jobs.restarts ? [NOTES.restarts] : []),
        ...(jobs.restamp ? [NOTES.restamp] : []),
        ...(jobs.planners === undefined ? [] : [NOTES.plan]),
      ],
    };
  },
};

function checkAndPushJobs({ checks, restarts, restamp, fillings }: CiJobs): Jobs {
  const renderers =
    checks && installRenderers({ kustomize: checks.renderings.length > 0, helm: checks.charts.length > 0 });
  return {
    ...(checks === undefined || renderers === undefined
      ? {}
      : jobsOf("gitlab/rollstamp.yml", {
          ...fillings,
          RENDERERS: renderers,
          CHECKS: checkLines(checks, "/tmp/kustomize"),
        })),
    ...(restarts ? jobsOf("gitlab/rollstamp-restarts.yml", fillings) : {}),
    ...(restamp ? jobsOf("gitlab/rollstamp-restamp.yml", fillings) : {}),
  };
}

/** The text with the jobs that plan, between marks: there they are brought up to date. */
function withPlan(text: string, { fillings }: CiJobs, count: number, path: string): string {
  // Jobs of these names without our marks are the user's own.
  if (!hasMarked(text, PLAN_MARKS) && /^rollstamp-plan(?:-part)?:/mu.test(text)) return text;
  const jobs = jobsOf(count === 1 ? "gitlab/rollstamp-plan.yml" : "gitlab/rollstamp-plan-parts.yml", {
    ...fillings,
    RENDERERS: installRenderers({ kustomize: true, helm: true }),
    COUNT: count,
    PARTS: Array.from({ length: count }, (_, i) => `part-${i + 1}.json`).join(" "),
    NOTE: filledLines("gitlab/plan-note.sh"),
  });
  return withMarked(text, PLAN_MARKS, (rest) => withJobs(rest, jobs, path));
}

type Jobs = Readonly<Record<string, Value>>;

function jobsOf(template: string, fillings: Fillings): Jobs {
  const jobs = filledData(template, fillings);
  if (typeof jobs !== "object" || Array.isArray(jobs)) throw new Error(`templates/${template} must be a mapping`);
  return Object.fromEntries(Object.entries(jobs));
}

/** The text with the jobs that it does not have yet. */
function withJobs(before: string, jobs: Jobs, path: string): string {
  let text = before;
  for (const [name, job] of Object.entries(jobs)) {
    if (new RegExp(`^${name}:`, "mu").test(text)) continue;
    const authored = /^[^#\s]/mu.test(text) ? readAuthored(text, path) : undefined;
    const entry = { ...stageOf(authored), ...Object.fromEntries(Object.entries(job)) };
    text = authored === undefined ? text + newFile(name, entry) : separated(addKey(authored, [name], entry), name);
  }
  return text;
}

function newFile(name: string, job: Value): string {
  return addKey(readAuthored("stages: [test]\n", FILE), [name], job).replace(/^stages: \[test\]\n/u, "");
}

/** An empty line before a job, as people write it. */
function separated(text: string, name: string): string {
  return text.replace(new RegExp(`(?<!\\n)(\\r?\\n)(?=${name}:)`, "u"), "$1$1");
}

/** A job's stage is "test" unless the file has other stages (docs.gitlab.com/ci/yaml, "stages"). */
function stageOf(authored: Authored | undefined): { readonly [key: string]: Value } {
  const stages = authored === undefined ? undefined : valueAt(authored, ["stages"]);
  if (!Array.isArray(stages) || stages.includes("test")) return {};
  const [first] = stages;
  return typeof first === "string" ? { stage: first } : {};
}
