import type { Command } from "commander";
import type { PlanReportOptions } from "./plan-reports.ts";
import { suggestion } from "../base/nearest-name.ts";
import { RollstampError } from "../base/errors.ts";
import { FAIL_ON, GATE_NAMES, isFailOn, type FailOn, type Limits } from "../reports/plan/limits.ts";
import { acceptedDeletes } from "../reports/plan/accepted-deletes.ts";
import { shardFrom } from "../reports/plan/shards.ts";
import { DEFAULT_TITLE } from "../output/plan-head.ts";
import { type ComparedAs } from "../reports/plan/plan-report.ts";
import { STAMPED_BY } from "../reports/plan/planned-application.ts";
import { addClusterOptions, type ClusterCommandOptions } from "./cluster-options.ts";
import {
  addText,
  configOption,
  jobsNumber,
  outputOption,
  readScopeOption,
  verboseOption,
  wholeNumber,
  colorOption,
} from "./options.ts";
import { refuseIdleOptions } from "./idle-options.ts";
import type { ReadScope } from "../applications/inputs/parts.ts";
import type { ApplicationOptions } from "../applications/compare/plan-applications.ts";
import { PLAN_IDLE } from "./plan-idle.ts";

/** The options of `plan`. */
export interface PlanCommandOptions extends ApplicationOptions, ClusterCommandOptions, PlanReportOptions {
  readonly cache?: string;
  readonly merge?: boolean;
  readonly namespace?: string;
  readonly scope: ReadScope;
  readonly config?: string;
  readonly as?: ComparedAs;
  readonly showValues?: boolean;
  readonly maxWorkloads?: number;
  readonly maxPods?: number;
  readonly maxDeletes?: number;
  readonly acceptDeletes?: readonly string[];
  readonly failOn?: readonly FailOn[];
}

/** Adds the arguments and options of `plan`; `forms` are its formats. */
export function addPlanOptions(command: Command, forms: Readonly<Record<string, unknown>>): void {
  refuseIdleOptions(command, PLAN_IDLE);
  command
    .argument(
      "[path...]",
      "BASE and HEAD: files or folders, - for standard input; with --git, folders to compare (default: .); with --merge, the shards",
    )
    .option(
      "--git <range>",
      "compare two revisions: A..B, or A...B to compare B with its merge base; without --render, all applications",
    )
    .option("--app <glob>", "with --git: only applications with this name; may be repeated", addText)
    .option("--all-apps", "with --git: also render applications that the change does not affect")
    .option(
      "--clusters <file>",
      "with --git: the values that generators of ApplicationSets get from clusters or providers",
    )
    .option("--allow-commands", "with --git: run the commands in rollstamp.yaml of the base revision")
    .option(
      "--jobs <n>",
      "with --git: how many applications are rendered at once (default: number of processors)",
      jobsNumber,
    )
    .option("--cache <folder>", "with --git: cache renderings in this private folder; they contain Secrets")
    .option("--fetch-charts", "with --git: let helm download charts over https, without credentials")
    .addOption(
      command
        .createOption(
          "--stamped-by <what>",
          "with --git: what writes the stamps of all applications (default: what rollstamp.yaml or the repository shows)",
        )
        .choices(STAMPED_BY),
    )
    .option("--shard <part>", "with --git and -o json: compare one shard of the applications, such as 1/3", shardFrom)
    .option("--merge", "merge the shards that --shard wrote into one report: the paths are their files")
    .option("--render <command>", "with --git: a command that prints the manifests, run in a checkout of each revision")
    .addOption(outputOption(command, forms))
    .option("--chart <path>", "compare two versions of a chart: give it twice, each a folder or an archive", addText)
    .option(
      "-f, --values <file>",
      "with --chart: values for both versions; may be repeated, the last one wins",
      addText,
    )
    .option("--release <name>", "with --chart: the name of the release (default: the name of the chart)")
    .option("--kube-version <version>", "with --chart: the version of Kubernetes that charts see")
    .option("--skip-schema-validation", "with --chart: do not validate values against the schema of the chart")
    .option("--live", "compare with the cluster: what would roll if HEAD were applied now");
  addClusterOptions(command, "with --live: ");
  command
    .option("-n, --namespace <name>", "with --live or --chart: the namespace of objects without one")
    .option("--max-workloads <n>", "exit with 1 if more workloads roll", wholeNumber("--max-workloads"))
    .option("--max-pods <n>", "exit with 1 if more pods are replaced", wholeNumber("--max-pods"))
    .option(
      "--max-deletes <n>",
      "exit with 1 if more workloads and volume claims are deleted",
      wholeNumber("--max-deletes"),
    )
    .option(
      "--accept-deletes <glob>",
      "deletions that are intended, as KIND/NAMESPACE/NAME; may be repeated",
      addAcceptedDeletes,
    )
    .option(
      "--fail-on <condition>",
      `exit with 1 on a new finding of a rule, or on ${GATE_NAMES.join(", ")}; may be repeated`,
      addCondition,
    )
    .addOption(
      command
        .createOption(
          "--as <form>",
          "compare both sides as they are applied, or as if everything were stamped (default: applied if either side has stamps, and with --git)",
        )
        .choices(["applied", "stamped"]),
    )
    .option("--all", "list everything, also unchanged workloads and existing findings")
    .option("--show-values", "show values of environment variables, arguments and ConfigMaps; never those of Secrets")
    .option("--allow-empty", "accept a side without manifests: everything is created or deleted")
    .addOption(readScopeOption(command))
    .option("--kustomize-input", "also read files below a folder with a kustomization")
    .option("--title <text>", "the title of the Markdown and HTML report", DEFAULT_TITLE)
    .addOption(configOption(command))
    .addOption(verboseOption(command))
    .addOption(colorOption(command))
    .addHelpText("after", PLAN_HELP);
}

const PLAN_HELP = `
Shows whether a change is safe to merge: which workloads roll between two renderings, why, and how many pods
stay available. Refused changes and outages come first; workloads that roll safely for the same cause share a
row. Without --git, two sides without stamps are compared as if they were stamped (--as). Writes nothing, and
reads a cluster only with --live.

Examples:
  rollstamp plan --git main...HEAD               what this branch changes, over all applications
  rollstamp plan --git main...HEAD deploy/       applications and plain manifests in a folder
  rollstamp plan --git main...HEAD --max-pods 50 --fail-on outage   with limits
  rollstamp plan --git main...HEAD --render 'kustomize build overlays/prod'
  rollstamp plan base/ head/                     two renderings: files or folders
  rollstamp plan -o markdown base/ head/         for a comment on a pull request
  rollstamp plan -o summary base/ head/          one line of JSON: the verdict and the label for a bot
  rollstamp plan --chart charts/web --chart web-2.0.0.tgz -f values.yaml   an upgrade of a chart
  kustomize build . | rollstamp plan --live -    against the cluster
  rollstamp plan --git main..HEAD --shard 2/3 -o json > 2.json   one of three shards
  rollstamp plan --merge 1.json 2.json 3.json    one report of all shards

Exit status: 0; 1 if something cannot be applied or rendered, a new finding is an error, or a limit is exceeded;
2 for invalid input.
`;

function addCondition(text: string, conditions: readonly FailOn[] = []): readonly FailOn[] {
  const given = text.split(",").map((name) => name.trim());
  const unknown = given.find((name) => !isFailOn(name));
  if (unknown === undefined) return [...conditions, ...given.filter(isFailOn)];
  throw new RollstampError("usage", `--fail-on ${text}: unknown value '${unknown}'${suggestion(unknown, FAIL_ON)}`, {
    remedy: `Values: ${FAIL_ON.join(", ")}.`,
  });
}

/** The pattern is compiled to find its errors before anything is rendered. */
function addAcceptedDeletes(pattern: string, patterns: readonly string[] = []): readonly string[] {
  acceptedDeletes([pattern]);
  return [...patterns, pattern];
}

export function limitsOf({
  maxWorkloads,
  maxPods,
  maxDeletes,
  acceptDeletes = [],
  failOn = [],
}: PlanCommandOptions): Limits {
  return { maxWorkloads, maxPods, maxDeletes, acceptDeletes, failOn };
}
