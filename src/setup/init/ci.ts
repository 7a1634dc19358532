import { RollstampError } from "../../base/errors.ts";
import { counted, shellWord } from "../../base/words.ts";
import type { InitFolder } from "../../platform/ports/files.ts";
import { checksOf, type Checks } from "./checks.ts";
import type { Fillings } from "./fill.ts";
import { ATTRIBUTE_LINES, DRIVER, stampCommand } from "./git.ts";
import type { InitOptions, Survey } from "./init-target.ts";

/** The jobs that a CI service runs, and why. */
export interface CiJobs {
  /** What checks the stamps; undefined if the repository has such a job, or nothing to check. */
  readonly checks: Checks | undefined;
  readonly restarts: boolean;
  readonly restamp: boolean;
  /** How many jobs plan a pull request; undefined for none. */
  readonly planners: number | undefined;
  readonly because: readonly string[];
  /** What the templates of all jobs have in common. */
  readonly fillings: Fillings;
}

/** Decides which jobs a repository needs. Throws a RollstampError if there is nothing to do for one that was asked for. */
export function ciJobs(folder: InitFolder, options: InitOptions, isChecked: boolean): CiJobs {
  const { version, survey } = options;
  const [restarts, restamp, plan] = [options.restarts === true, options.restamp === true, options.plan === true];
  const checks = isChecked ? undefined : checksOf(folder, survey(), restarts || restamp || plan ? "none" : "refuse");
  const planned = plan ? planJobs(survey(), options.shards) : undefined;
  return {
    checks,
    restarts,
    restamp,
    planners: planned?.count,
    because: [...(checks?.because ?? []), ...(planned?.because ?? [])],
    fillings: {
      VERSION: version,
      ...(restamp ? { STAMP: stampCommand(folder, survey()), DRIVER: DRIVER_LINES } : {}),
    },
  };
}

/** Sets up the merge driver in the clone of a job. */
const DRIVER_LINES: readonly string[] = [
  `git config merge.rollstamp.driver ${shellWord(DRIVER)}`,
  ...ATTRIBUTE_LINES.map((line) => `echo '${line}' >> .git/info/attributes`),
];

/** How a pull request is planned: by how many jobs, and why. */
export interface PlanJobs {
  readonly count: number;
  readonly because: readonly string[];
}

/**
 * How many applications one job plans. If all of them are affected, it renders each twice, with kustomize in some
 * tenths of a second: together that takes as long as a job takes to start.
 */
const MOST_OF_ONE = 100;
/** How many jobs a CI service usually starts at once; more would wait for each other. */
const MOST_JOBS = 10;

/** Throws a RollstampError if there is nothing to plan. */
export function planJobs(
  { applications, fetching, unseen, settings }: Pick<Survey, "applications" | "fetching" | "unseen" | "settings">,
  asked: number | undefined,
): PlanJobs {
  if (applications === 0) {
    throw new RollstampError("usage", "no application was found in this repository: nothing was written", {
      remedy: "'rollstamp apps' lists what it looked for.",
    });
  }
  const found = counted(applications, "application");
  const count = asked ?? Math.min(Math.ceil(applications / MOST_OF_ONE), MOST_JOBS);
  const by =
    asked !== undefined
      ? `${found}: planned by ${counted(asked, "job")}, as requested`
      : count === 1
        ? `${found}: planned by one job (up to ${MOST_OF_ONE}; --shards changes it)`
        : `${found}: ${count} jobs plan a part each, and one joins the parts (--shards changes the number)`;
  return {
    count,
    because: [
      by,
      // With --fetch-charts, the author of a pull request would decide which hosts are asked: a person has to allow it.
      ...when(
        fetching > 0,
        `${counted(fetching, "application takes its chart", "applications take their charts")} from another host: if a pull request changes one, its plan fails unless you add --fetch-charts to 'rollstamp plan --git' (docs/plan.md)`,
      ),
      ...when(
        unseen > 0,
        `${counted(unseen, "application")} that may contain others can't be rendered here, so those are not counted: 'rollstamp apps --render' shows why`,
      ),
      ...when(
        settings.length > 0,
        `${settings.join(", ")} ${settings.length === 1 ? "is" : "are"} set here but not in the job: add what its plan needs ('env:', 'variables:')`,
      ),
    ],
  };
}

function when(holds: boolean, line: string): readonly string[] {
  return holds ? [line] : [];
}

// The versions that the tests of the hosts run: test/packaging/versions.test.ts compares them with scripts/hosts.
const KUSTOMIZE = "5.8.1";
const HELM = "3.22.0";

/** The lines that install kustomize and helm in an image that has neither. */
export function installRenderers({ kustomize, helm }: Readonly<Record<"kustomize" | "helm", boolean>>): string[] {
  return [
    ...when(
      kustomize,
      `curl -fsSL https://github.com/kubernetes-sigs/kustomize/releases/download/kustomize%2Fv${KUSTOMIZE}/kustomize_v${KUSTOMIZE}_linux_amd64.tar.gz | tar -xz -C /usr/local/bin`,
    ),
    ...when(
      helm,
      `curl -fsSL https://get.helm.sh/helm-v${HELM}-linux-amd64.tar.gz | tar -xz -C /usr/local/bin --strip-components=1 linux-amd64/helm`,
    ),
  ];
}
