import { RollstampError } from "../../base/errors.ts";
import { counted } from "../../base/words.ts";
import type { Survey } from "./init-target.ts";

/** How a pull request is planned: by how many jobs, and why. */
export interface PlanJobs {
  readonly count: number;
  readonly because: readonly string[];
}

/**
 * So many applications one job plans: where all of them are affected, it renders each twice, with kustomize at some
 * tenths of a second, which takes as long as a job takes to start.
 */
const MOST_OF_ONE = 100;
/** What a CI service starts at once, as a rule; more would wait for each other. */
const MOST_JOBS = 10;

/** Throws a RollstampError where there is nothing to plan. */
export function planJobs(
  { applications, fetching, unseen, settings }: Pick<Survey, "applications" | "fetching" | "unseen" | "settings">,
  asked: number | undefined,
): PlanJobs {
  if (applications === 0) {
    throw new RollstampError("usage", "there is no application in this repository: nothing was written", {
      remedy: "rollstamp apps says what it looks for.",
    });
  }
  const found = counted(applications, "application");
  // Who may open a pull request would say which hosts are asked: that is for a person to allow.
  const elsewhere =
    fetching === 0
      ? []
      : [
          `${counted(fetching, "application takes its chart", "applications take their charts")} from elsewhere: touched by a pull request, such a one fails without --fetch-charts behind 'rollstamp plan --git' (docs/plan.md)`,
        ];
  const unknown =
    unseen === 0
      ? []
      : [
          `${counted(unseen, "application")} that may show others can't be rendered here: 'rollstamp apps --render' says why. What they show isn't counted`,
        ];
  const here =
    settings.length === 0
      ? []
      : [
          `${settings.join(", ")} ${settings.length === 1 ? "is" : "are"} set here and not in the job: give it what its plan needs ('env:', 'variables:')`,
        ];
  const more = [...elsewhere, ...unknown, ...here];
  if (asked !== undefined)
    return { count: asked, because: [`${found}: planned by ${counted(asked, "job")}, as asked`, ...more] };
  const count = Math.min(Math.ceil(applications / MOST_OF_ONE), MOST_JOBS);
  const by =
    count === 1
      ? `${found}: one job plans them (up to ${MOST_OF_ONE}; --shards sets it)`
      : `${found}: ${count} jobs plan a part each, one joins them (--shards sets how many)`;
  return { count, because: [by, ...more] };
}

/** The heading of the plan, by which its comment is found again. */
export const PLAN_TITLE = "Rollout plan";

/**
 * What a job says once it has a plan: status 1 is a plan that has something against it, which is told first; what can't be
 * planned at all ends the job.
 */
export const GOES_ON = 'test "$status" -le 1';
