import { isAbsolute, relative } from "node:path";
import { REPORTERS, printReport } from "./plan-reports.ts";
import { addPlanOptions, type PlanCommandOptions, limitsOf } from "./plan-options.ts";
import { STDIN } from "../applications/inputs/manifest-files.ts";
import { shellWord } from "../base/words.ts";
import { withProtected } from "../applications/compare/deployed-parts.ts";
import { readConfigHash } from "../stamping/function/config-hash.ts";
import { NAMESPACE_VARIABLE } from "../base/hosts/helm.ts";
import { isInside } from "../base/inside.ts";
import { BAD, RollstampError, type ExitStatus } from "../base/errors.ts";
import { stampAll } from "../stamping/pipeline.ts";
import { copyOptions } from "../stamping/stamps/copy-edits.ts";
import { withConfigPlaces } from "../stamping/function/config.ts";
import { readRolloutLint } from "../reports/lint/lint.ts";
import { planOfPairs, planPart, type PlanOptions } from "../reports/plan/plan.ts";
import { joinParts } from "../reports/plan/parts.ts";
import { reportOf, reportOfData } from "../reports/plan/plan-data.ts";
import { readingFindings, reportedFound } from "../reports/plan/plan-findings.ts";
import { presentTime } from "../stamping/schedules/moment.ts";
import { hasStamps, readSide } from "../reports/plan/side.ts";
import { summaryOfError } from "../output/plan-summary.ts";
import { type RolloutPlan } from "../reports/plan/plan-report.ts";
import { type PlanFinding } from "../reports/plan/planned-workload.ts";
import { errorLine } from "../findings/results/terminal.ts";
import { jsonText } from "../findings/results/json-text.ts";
import { clusterOptions } from "./cluster-options.ts";
import { reportOthers } from "./analysed.ts";
import type { Cluster } from "../platform/ports/cluster.ts";
import type { Io } from "../platform/ports/io.ts";
import type { DefineCommand } from "./command.ts";
import { hmacKeyOf } from "./hmac-key.ts";
import { readConfigs } from "../applications/inputs/config-file.ts";
import { writeReport } from "./write-text.ts";
import { pairsOf, type Pairing } from "../applications/compare/plan-pairs.ts";
import { readPlanInputs, refuseContradictions } from "../applications/compare/plan-inputs.ts";
import type { PlanInputOptions, PlanSides } from "../applications/compare/plan-sides.ts";

/** Defines `rollstamp plan`. */
export const definePlan: DefineCommand = (command, io, done) => {
  addPlanOptions(command, REPORTERS);
  command.action(async (paths: string[], options: PlanCommandOptions) => {
    done(await runOrSummarize(io, paths, options));
  });
};

/** Both sides are stamped with one configuration: that of the head, or of the worktree with --git. */
function configPaths({ files }: Io, paths: readonly string[], { git, live, chart }: PlanInputOptions): string[] {
  const head = paths[live === true ? 0 : 1];
  const given = chart !== undefined ? [] : git !== undefined ? paths : head === undefined ? [] : [head];
  const found = given.filter((path) => path !== STDIN && files.kindOf(path) !== undefined);
  return found.length === 0 ? ["."] : found;
}

/** Git knows paths of a revision from the current folder only. */
function fromHere({ files }: Io, path: string): string {
  const real = isAbsolute(path) ? (files.realPath(path) ?? path) : undefined;
  const root = files.repositoryOf(files.here());
  return real === undefined || root === undefined || !isInside(root, real) ? path : relative(files.here(), real) || ".";
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

async function runPlan(io: Io, given: readonly string[], options: PlanCommandOptions): Promise<ExitStatus> {
  if (options.merge === true) {
    const { mergePlans } = await import("./plan-merge.ts");
    const { report, all } = mergePlans(io, given, limitsOf(options));
    return printReport(io, report, { ...options, all });
  }
  const paths = options.git === undefined ? given : given.map((path) => fromHere(io, path));
  await proposeRange(io, paths, options);
  refuseContradictions(paths, options);
  const configs = readConfigs(io, configPaths(io, paths, options), options.config);
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
    const planned = await planApplications(io, paths, options, {
      spec,
      hmacKey,
      planOptions,
      configFile: configs.file,
      configuration: jsonText([configs.forKind("ConfigHash").config, rules.config]),
      cache:
        options.cache === undefined
          ? undefined
          : await io.openRenderCache(options.cache, { environment: io.environment, limits: io.context.limits }),
    });
    if (planned.is === "unread") return unread(io, options);
    if (planned.is === "planned") {
      reportOthers(io, planned, { command: "plan", verbose: options.verbose === true });
      const { compared, data, shard } = planned;
      return printReport(io, { ...reportOfData(data, planOptions), compared }, options, { shard });
    }
    if (options.shard !== undefined) throw filesHaveNoShards();
  }
  const inputs = await readPlanInputs(io, paths, options, { spec, configFile: configs.file });
  if (inputs === undefined) return unread(io, options);
  const sides = sidesOf(paths, options, cluster);
  const unreadable = readingFindings([...inputs.unread.base, ...inputs.unread.head]);
  if (cluster !== undefined) {
    const plan = await planLive(cluster, inputs, { spec, hmacKey, planOptions, as: options.as });
    return printPlan(io, plan, { ...inputs, findings: unreadable }, options, sides);
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
  const engine = options.chart === undefined ? undefined : "helm";
  const compared = joinParts([withProtected(planPart(pairs, planOptions), pairs, engine)], planOptions, as);
  const plan = { ...compared, findingsBefore: compared.findingsBefore + before };
  const reported = [...unreadable, ...findings];
  return printPlan(io, plan, { ...inputs, findings: reported }, options, sides);
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
    remedy: `To compare ${range.includes("...") ? "this branch with the default branch" : "the last commit with the one before"}: rollstamp plan --git ${shellWord(range)}`,
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

/** Writes the report of a plan that is not over applications. */
function printPlan(
  io: Io,
  plan: RolloutPlan,
  inputs: Pick<PlanSides, "account" | "others" | "changed" | "compared"> & {
    readonly findings: readonly PlanFinding[];
  },
  options: PlanCommandOptions,
  sides: readonly string[],
): Promise<ExitStatus> {
  const { account, changed, compared, findings } = inputs;
  reportOthers(io, inputs, { command: "plan", verbose: options.verbose === true });
  const whole = changed.length === 0 ? plan : { ...plan, unread: changed };
  const report = reportOf(whole, findings, account, limitsOf(options));
  return printReport(io, { ...report, ...(compared === undefined ? {} : { compared }) }, options, { sides });
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
    live.appliedWith(as === "applied" ? new Map() : stampAll(head.analysis, copyOptions(spec, "rendering"))),
    spec,
    hmacKey,
    "Live",
  );
  const stampedBy = as === "applied" && hasStamps(head.analysis) ? "Files" : "Nothing";
  return planOfPairs([{ base, head, applied, stampedBy }], planOptions, as);
}
