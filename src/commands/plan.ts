import { STDIN } from "../applications/inputs/manifest-files.ts";
import { tellErrors } from "../applications/inputs/read-inputs.ts";
import { withProtected } from "../applications/compare/deployed-parts.ts";
import { nothingExamined } from "../findings/not-examined/account-words.ts";
import { readConfigHash } from "../stamping/function/config-hash.ts";
import { NAMESPACE_VARIABLE } from "../base/hosts/helm.ts";
import { suggestion } from "../base/nearest-name.ts";
import { RollstampError } from "../base/errors.ts";
import { BAD, type ExitStatus } from "../base/errors.ts";
import { checkAlone, stampAll } from "../stamping/pipeline.ts";
import { withConfigPlaces } from "../stamping/function/config.ts";
import { readRolloutLint } from "../reports/lint/lint.ts";
import { FAIL_ON, GATE_NAMES, isFailOn, planStatus, type FailOn, type Limits } from "../reports/plan/limits.ts";
import { planOfPairs, planPart, type PlanOptions } from "../reports/plan/plan.ts";
import { joinParts } from "../reports/plan/parts.ts";
import { acceptedDeletes } from "../reports/plan/accepted-deletes.ts";
import { reportOf, reportOfData } from "../reports/plan/plan-data.ts";
import { foundWhileReading, reportedFound } from "../reports/plan/plan-findings.ts";
import { shardFrom, type PlanShard } from "../reports/plan/shards.ts";
import { presentTime } from "../stamping/restart/moment.ts";
import { hasStamps, readSide } from "../reports/plan/side.ts";
import type { Document } from "../output/document/document.ts";
import { printHtml } from "../output/document/html.ts";
import { commentMarker, LONGEST_COMMENT, printMarkdown } from "../output/document/markdown.ts";
import { planDocument } from "../output/plan-document.ts";
import { DEFAULT_TITLE, type PlanForm } from "../output/plan-head.ts";
import { planJson } from "../output/plan-json.ts";
import { planSummary, summaryOfError } from "../output/plan-summary.ts";
import {
  STAMPED_BY,
  type ComparedAs,
  type PlanFinding,
  type PlanReport,
  type RolloutPlan,
} from "../reports/plan/plan-report.ts";
import { errorLine } from "../findings/results/terminal.ts";
import { jsonText } from "../findings/results/json-text.ts";
import { addClusterOptions, clusterOptions, type ClusterCommandOptions } from "./cluster-options.ts";
import { tellOthers } from "./analysed.ts";
import {
  addText,
  configOption,
  jobsNumber,
  outputOption,
  readScopeOption,
  verboseOption,
  wholeNumber,
} from "./options.ts";
import { colorOption, wantsColor, type ColorWhen } from "./options.ts";
import type { Cluster } from "../platform/ports/cluster.ts";
import type { Io } from "../platform/ports/io.ts";
import type { DefineCommand } from "./command.ts";
import { hmacKeyOf } from "./hmac-key.ts";
import { readConfigs } from "../applications/inputs/config-file.ts";
import { refuseIdleOptions } from "./idle-options.ts";
import type { ReadScope } from "../applications/inputs/parts.ts";
import type { ApplicationOptions } from "../applications/compare/plan-applications.ts";
import { PLAN_IDLE } from "./plan-idle.ts";
import { writeReport } from "./write-text.ts";
import { pairsOf, type Pairing } from "../applications/compare/plan-pairs.ts";
import { readPlanInputs, refuseContradictions } from "../applications/compare/plan-inputs.ts";
import type { PlanInputOptions, PlanSides } from "../applications/compare/plan-sides.ts";

interface PlanCommandOptions extends ApplicationOptions, ClusterCommandOptions {
  readonly cache?: string;
  readonly merge?: boolean;
  readonly namespace?: string;
  readonly output: keyof typeof REPORTERS;
  readonly scope: ReadScope;
  readonly config?: string;
  readonly as?: ComparedAs;
  readonly all?: boolean;
  readonly showValues?: boolean;
  readonly maxWorkloads?: number;
  readonly maxPods?: number;
  readonly maxDeletes?: number;
  readonly acceptDeletes: readonly string[];
  readonly failOn: readonly FailOn[];
  readonly title: string;
  readonly color: ColorWhen;
  readonly verbose?: boolean;
}

/** What reports have beside the plan. */
interface Reported {
  readonly options: PlanCommandOptions;
  readonly status: ExitStatus;
  /** Why there is no verdict. */
  readonly error: RollstampError | undefined;
  readonly sides: readonly string[];
  readonly shard: PlanShard | undefined;
}

type Reporter = (report: PlanReport, reported: Reported) => string | Document;

const REPORTERS = {
  text: (report, reported) => documentOf("text", report, reported),
  markdown: (report, reported) =>
    printMarkdown(documentOf("markdown", report, reported), {
      marker: commentMarker("plan", reported.options.title),
      longest: LONGEST_COMMENT,
    }),
  json: (report, { shard }) => planJson(report, shard),
  html: (report, reported) => printHtml(documentOf("html", report, reported)),
  summary: (report, { status, error }) => planSummary(report, { status, error: error?.message }),
} satisfies Record<string, Reporter>;

function documentOf(form: PlanForm, report: PlanReport, { options, status, sides }: Reported): Document {
  const { title, verbose = false, all = false } = options;
  return planDocument(report, { form, title, all, verbose, status, sides });
}

/** Defines `rollstamp plan`. */
export const definePlan: DefineCommand = (command, io, done) => {
  addClusterOptions(command);
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
    .option("--app <glob>", "with --git: only applications with this name; may be repeated", addText, [])
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
    .option("--cache <folder>", "with --git: cache renderings in this folder; they contain Secrets")
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
    .addOption(outputOption(command, REPORTERS))
    .option("--chart <path>", "compare two versions of a chart: give it twice, each a folder or an archive", addText)
    .option(
      "-f, --values <file>",
      "with --chart: values for both versions; may be repeated, the last one wins",
      addText,
    )
    .option("--release <name>", "with --chart: the name of the release (default: the name of the chart)")
    .option("--kube-version <version>", "with --chart: the version of Kubernetes that charts see")
    .option("--skip-schema-validation", "with --chart: do not validate values against the schema of the chart")
    .option("--live", "compare with the cluster: what would roll if HEAD were applied now")
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
      [],
    )
    .option(
      "--fail-on <condition>",
      `exit with 1 on a new finding of a rule, or on ${GATE_NAMES.join(", ")}; may be repeated`,
      addCondition,
      [],
    )
    .addOption(
      command
        .createOption(
          "--as <form>",
          "compare both sides as they are applied, or as if everything were stamped (default: applied if either side has stamps, and with --git)",
        )
        .choices(["applied", "stamped"]),
    )
    .option("--all", "list unchanged workloads, existing findings, and everything that text only counts")
    .option("--show-values", "show values of environment variables, arguments and ConfigMaps; never those of Secrets")
    .option("--allow-empty", "accept a side without manifests: everything is created or deleted")
    .addOption(readScopeOption(command))
    .option("--kustomize-input", "also read files below a folder with a kustomization")
    .option("--title <text>", "the title of the Markdown and HTML report", DEFAULT_TITLE)
    .addOption(configOption(command))
    .addOption(verboseOption(command))
    .addOption(colorOption(command))
    .addHelpText("after", PLAN_HELP)
    .action(async (paths: string[], options: PlanCommandOptions) => {
      done(await runOrSummarize(io, paths, options));
    });
};

const PLAN_HELP = `
Shows whether a change is safe to merge: which workloads roll between two renderings, why, and how many pods
stay available. Refused changes and outages come first; workloads that roll safely for the same cause are one
row. Both sides are compared as they are after stamping, even if they are not stamped. Nothing is written.
Only --live reads a cluster; its pods are compared with the stamps that they have.

Examples:
  rollstamp plan main.yaml branch.yaml
  rollstamp plan --git origin/main..HEAD --render 'kustomize build overlays/prod'
  rollstamp plan --git origin/main..HEAD         all applications that the change affects
  rollstamp plan --git main..HEAD --shard 2/3 -o json > 2.json   one of three shards
  rollstamp plan --merge 1.json 2.json 3.json --max-pods 50      one report of all
  rollstamp plan --git main..HEAD deploy/        applications and plain manifests in a folder
  rollstamp plan --chart charts/web --chart web-2.0.0.tgz -f values.yaml   an upgrade of a chart
  rollstamp plan -o markdown base/ head/         for a comment on a pull request
  rollstamp plan -o html base/ head/ > plan.html
  rollstamp plan -o summary base/ head/          one line of JSON: the verdict and the label for a bot
  kustomize build . | rollstamp plan --live -    against the cluster
  rollstamp plan --max-pods 50 --fail-on RS004 base/ head/

Exit status: 0; 1 if something cannot be applied or rendered, a new finding is an error, or a limit is exceeded;
2 for invalid input.
`;

function addCondition(text: string, conditions: readonly FailOn[]): readonly FailOn[] {
  const given = text.split(",").map((name) => name.trim());
  const unknown = given.find((name) => !isFailOn(name));
  if (unknown === undefined) return [...conditions, ...given.filter(isFailOn)];
  throw new RollstampError("usage", `--fail-on ${text}: unknown value '${unknown}'${suggestion(unknown, FAIL_ON)}`, {
    remedy: `Values: ${FAIL_ON.join(", ")}.`,
  });
}

/** The pattern is compiled to find its errors before anything is rendered. */
function addAcceptedDeletes(pattern: string, patterns: readonly string[]): readonly string[] {
  acceptedDeletes([pattern]);
  return [...patterns, pattern];
}

/** Both sides are stamped with one configuration: that of the head, or of the worktree with --git. */
function configPath({ files }: Io, paths: readonly string[], { git, live, chart }: PlanInputOptions): string {
  const head = git === undefined && chart === undefined ? paths[live === true ? 0 : 1] : undefined;
  return head === undefined || head === STDIN || files.kindOf(head) === undefined ? "." : head;
}

/** A bot that reads -o summary also needs to know why there is no plan. */
async function runOrSummarize(io: Io, paths: readonly string[], options: PlanCommandOptions): Promise<ExitStatus> {
  try {
    return await runPlan(io, paths, options);
  } catch (cause) {
    if (cause instanceof RollstampError) await summarizeError(io, options, errorLine(cause));
    throw cause;
  }
}

async function summarizeError(io: Io, { output }: PlanCommandOptions, error: string): Promise<void> {
  if (output === "summary") await writeReport(io, summaryOfError(error));
}

/** The status of manifests that can't be read, whose errors have been printed. */
async function unread(io: Io, options: PlanCommandOptions): Promise<ExitStatus> {
  await summarizeError(io, options, "manifests cannot be read: standard error has the reasons");
  return BAD;
}

async function runPlan(io: Io, paths: readonly string[], options: PlanCommandOptions): Promise<ExitStatus> {
  if (options.merge === true) {
    const { mergePlans } = await import("./plan-merge.ts");
    const { report, all } = mergePlans(io, paths, limitsOf(options));
    return print(io, report, { ...options, all });
  }
  await proposeRange(io, paths, options);
  refuseContradictions(paths, options);
  const configs = readConfigs(io, [configPath(io, paths, options)], options.config);
  const release = options.chart === undefined ? undefined : io.environment[NAMESPACE_VARIABLE] || undefined;
  const configured = readConfigHash(configs.forKind("ConfigHash").config, release);
  const rules = configs.forKind("RolloutLint");
  const { levels } = withConfigPlaces(rules, () => readRolloutLint(rules.config));
  const cluster = options.live === true ? await io.connectCluster(clusterOptions(io, options)) : undefined;
  // Objects without a namespace are in the one where kubectl or helm would apply them.
  const namespace = options.namespace ?? cluster?.namespace;
  const spec = namespace === undefined ? configured : { ...configured, defaultNamespace: namespace };
  const hmacKey = hmacKeyOf(io, spec, configs.forKind("ConfigHash"));
  const planOptions = {
    all: options.all === true,
    showValues: options.showValues === true,
    ...limitsOf(options),
    levels,
    now: () => presentTime(io.context),
  };
  if (isOverApplications(options, paths)) {
    const { planApplications } = await import("../applications/compare/plan-applications.ts");
    const reader = { io, options, configFile: configs.file, check: checkAlone(spec) };
    const planned = await planApplications(io, paths, options, {
      spec,
      hmacKey,
      planOptions,
      reader,
      configuration: jsonText([configs.forKind("ConfigHash").config, rules.config]),
      cache:
        options.cache === undefined
          ? undefined
          : await io.openRenderCache(options.cache, { environment: io.environment, limits: io.context.limits }),
    });
    if (planned.is === "unread") return unread(io, options);
    if (planned.is === "planned") {
      tellOthers(io, planned, { command: "plan", verbose: options.verbose === true });
      const { compared, data, shard } = planned;
      return print(io, { ...reportOfData(data, planOptions), compared }, options, { shard });
    }
    if (options.shard !== undefined) throw filesHaveNoShards();
  }
  const inputs = await readPlanInputs(io, paths, options, { spec, configFile: configs.file });
  if (inputs === undefined) return unread(io, options);
  const sides = sidesOf(paths, options, cluster);
  if (cluster !== undefined) {
    const plan = await planLive(cluster, inputs, { spec, hmacKey, planOptions, as: options.as });
    return printPlan(io, plan, { ...inputs, findings: foundWhileReading(inputs.findings) }, options, sides);
  }
  // Revisions are compared as they are applied; a command may render something else than what is applied.
  const isInGit = options.git !== undefined && options.render === undefined;
  const { as, pairs, ...found } = pairsOf(inputs, options.scope, {
    spec,
    hmacKey,
    as: options.as ?? (isInGit ? "applied" : undefined),
  });
  const { findings, before } = reportedFound(found, planOptions.all);
  // Helm keeps what its own mark protects; what applies files is unknown.
  const engine = inputs.upgrade === undefined ? undefined : "helm";
  const planPairs = (of: typeof pairs): RolloutPlan =>
    joinParts([withProtected(planPart(of, planOptions), of, engine)], planOptions, as);
  const compared = planPairs(pairs);
  const plan = { ...compared, findingsBefore: compared.findingsBefore + before };
  const reported = [...foundWhileReading(inputs.findings), ...findings];
  if (inputs.upgrade === undefined) return printPlan(io, plan, { ...inputs, findings: reported }, options, sides);
  const { plannedUpgrade } = await import("../reports/plan/upgrade.ts");
  const upgrade = plannedUpgrade(inputs.upgrade, plan, spec, (marks) =>
    planPairs(pairsOf(inputs, options.scope, { spec: { ...spec, ...marks }, hmacKey, as }).pairs),
  );
  return printPlan(io, { ...plan, upgrade }, { ...inputs, findings: reported }, options, sides);
}

/** What is compared, by name. */
function sidesOf(
  paths: readonly string[],
  { chart }: PlanCommandOptions,
  cluster: Cluster | undefined,
): readonly string[] {
  const named = (chart ?? paths).map((path) => (path === STDIN ? "standard input" : path));
  return cluster === undefined ? named : [`cluster ${cluster.context}`, ...named];
}

/** Throws a RollstampError with the plan that is most likely wanted, if nothing says what to compare. */
async function proposeRange(
  { git, files, environment }: Io,
  paths: readonly string[],
  options: PlanCommandOptions,
): Promise<void> {
  const isGiven = [options.git, options.chart, options.live, options.render].some((option) => option !== undefined);
  if (isGiven || paths.length > 0) return;
  const range = await git.likelyRange({ cwd: files.here(), environment });
  if (range === undefined) return;
  throw new RollstampError("usage", "plan needs to know what to compare", {
    remedy: `To compare ${range.includes("...") ? "this branch with the default branch" : "the last commit with the one before"}: rollstamp plan --git ${range}`,
  });
}

function filesHaveNoShards(): RollstampError {
  return new RollstampError("usage", "--shard divides applications, but a path is a file", {
    remedy: "Give folders, or leave out --shard.",
  });
}

/** With `--git` a plan is over applications, unless an option says how to read files. */
function isOverApplications<T extends PlanCommandOptions>(
  options: T,
  paths: readonly string[],
): options is T & { readonly git: string } {
  const { git, render, kustomizeInput, scope } = options;
  if (git === undefined || render !== undefined || paths.includes(STDIN)) return false;
  return kustomizeInput !== true && scope === "auto";
}

function limitsOf({ maxWorkloads, maxPods, maxDeletes, acceptDeletes, failOn }: PlanCommandOptions): Limits {
  return { maxWorkloads, maxPods, maxDeletes, acceptDeletes, failOn };
}

/** Writes the report of a plan that is not over applications. */
function printPlan(
  io: Io,
  plan: RolloutPlan,
  inputs: Pick<PlanSides, "account" | "others" | "compared"> & { readonly findings: readonly PlanFinding[] },
  options: PlanCommandOptions,
  sides: readonly string[],
): Promise<ExitStatus> {
  const { account, compared, findings } = inputs;
  tellOthers(io, inputs, { command: "plan", verbose: options.verbose === true });
  const report = reportOf(plan, findings, account, limitsOf(options));
  return print(io, { ...report, ...(compared === undefined ? {} : { compared }) }, options, { sides });
}

const ALL_FAILED = new RollstampError(
  "input",
  "nothing was examined: no application can be rendered in either revision",
);

/** Writes the report; returns the exit status. */
async function print(
  io: Io,
  report: PlanReport,
  options: PlanCommandOptions,
  { shard, sides = [] }: { readonly shard?: PlanShard | undefined; readonly sides?: readonly string[] } = {},
): Promise<ExitStatus> {
  // Whether nothing was examined is known only when all shards are merged.
  const error = shard === undefined && report.verdict === null ? errorOf(report, options) : undefined;
  const status = error === undefined ? planStatus(report) : BAD;
  const text = REPORTERS[options.output](report, { options, status, error, sides, shard });
  await writeReport(io, text, wantsColor(options.color, io));
  if (error !== undefined) tellErrors(io, [error]);
  return status;
}

function errorOf(report: PlanReport, { verbose = false }: PlanCommandOptions): RollstampError {
  return report.notExamined.length === 0 ? ALL_FAILED : nothingExamined(report, { command: "plan", verbose });
}

/** The plan of an apply to the cluster now. It is one part: a cluster has each object once. */
async function planLive(
  cluster: Cluster,
  inputs: PlanSides,
  { spec, hmacKey, planOptions, as: given }: Pairing & { readonly planOptions: PlanOptions },
): Promise<RolloutPlan> {
  const manifests = inputs.head.map(({ file }) => file.manifests);
  const head = readSide(manifests, spec, hmacKey);
  // Loaded only for plans that read a cluster.
  const { readLiveSides } = await import("./plan-live.ts");
  const live = await readLiveSides(cluster, manifests, spec);
  const base = readSide(live.base, spec, hmacKey, "Live");
  const as = given ?? ([base, head].some(({ analysis }) => hasStamps(analysis)) ? "applied" : "stamped");
  const applied = readSide(
    live.appliedWith(as === "applied" ? new Map() : stampAll(head.analysis)),
    spec,
    hmacKey,
    "Live",
  );
  const stampedBy = as === "applied" && hasStamps(head.analysis) ? "Files" : "Nothing";
  return planOfPairs([{ base, head, applied, stampedBy }], planOptions, as);
}
