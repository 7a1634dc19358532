import { posix } from "node:path";
import { checkLines } from "./checks.ts";
import { ciChecks, installRenderers } from "./ci.ts";
import { filledText } from "./fill.ts";
import type { InitTarget } from "./init-target.ts";
import { eolOf, readAuthored, valueAt } from "./yaml-insert.ts";

const FILE = ".gitlab-ci.yml";

const PLAN_NOTE =
  "rollstamp-plan writes the plan as a note of the merge request if PLAN_TOKEN is a project access token that may do so (role Reporter, scope api, masked). Without it, the plan is in the job's log. With PLAN_LABELS or PLAN_COMMIT_STATUS set to true, it also sets a label or a commit status (role Developer; docs/reference/commands/init.md).";

/** Jobs that check the stamps of merge requests and, if wanted, plan them. */
export const GITLAB: InitTarget = {
  name: "gitlab",
  summary: "a job that checks the stamps of merge requests",
  takes: ["plan"],
  propose: async (folder, options) => {
    const path = posix.join(folder.repository, FILE);
    const before = folder.read(path);
    const text = before ?? "";
    const checks = await ciChecks(folder, options, /^rollstamp:/mu.test(text));
    const common = { VERSION: options.version, STAGE: stageOf(text, path) };
    const jobs: string[] = [];
    if (checks !== undefined) {
      const renderers = installRenderers({ kustomize: checks.renderings.length > 0, helm: checks.charts.length > 0 });
      const CHECKS = checkLines(checks, "/tmp/kustomize");
      jobs.push(filledText("gitlab/rollstamp.yml", { ...common, RENDERERS: asItems(renderers), CHECKS }));
    }
    if (options.plan === true && !/^rollstamp-plan:/mu.test(text)) {
      const RENDERERS = asItems(installRenderers({ kustomize: true, helm: true }));
      jobs.push(filledText("gitlab/rollstamp-plan.yml", { ...common, RENDERERS }));
    }
    return {
      files: jobs.length === 0 ? [] : [{ path, before, after: withJobs(text, jobs) }],
      because: checks?.because ?? [],
      notes: options.plan === true ? [PLAN_NOTE] : [],
    };
  },
};

function asItems(lines: readonly string[]): string[] {
  return lines.map((line) => `- ${line}`);
}

/** The text with jobs at its end, separated by empty lines. */
function withJobs(text: string, jobs: readonly string[]): string {
  const eol = eolOf(text);
  const gap = text === "" || /\n\r?\n$/u.test(text) ? "" : text.endsWith("\n") ? eol : eol + eol;
  return text + gap + jobs.join("\n").replaceAll("\n", eol);
}

/** A job's stage is "test" unless the file has other stages (docs.gitlab.com/ci/yaml, "stages"). */
function stageOf(text: string, path: string): readonly string[] {
  const stages = /^[^#\s]/mu.test(text) ? valueAt(readAuthored(text, path), ["stages"]) : undefined;
  if (!Array.isArray(stages) || stages.includes("test")) return [];
  const [first]: readonly unknown[] = stages;
  return typeof first === "string" ? [`stage: ${first}`] : [];
}
