import { RollstampError } from "../../base/errors.ts";
import { once } from "../../base/grouped.ts";
import { REMOTE_BASES_VARIABLE } from "../../base/outside.ts";
import type { Checkout } from "../../platform/ports/git.ts";
import type { Io } from "../../platform/ports/io.ts";
import type { RenderCache } from "../../platform/ports/programs.ts";
import type { Revisions, Snapshot } from "../../platform/ports/snapshot.ts";
import type { PlanData } from "../../reports/plan/plan-data.ts";
import type { ComparedAs, PlannedRange } from "../../reports/plan/plan-report.ts";
import type { StampedBy } from "../../reports/plan/planned-application.ts";
import type { PlanOptions } from "../../reports/plan/plan.ts";
import { isDistinctive, secretsOf, withoutSecretTexts } from "../../reports/plan/secret-texts.ts";
import type { PlanShard, Shard } from "../../reports/plan/shards.ts";
import type { ConfigHashSpec } from "../../stamping/function/config-hash.ts";
import { rowOf } from "../discover/not-found.ts";
import { waitingFor } from "../inputs/progress.ts";
import { gitEnvironment, parseRange } from "../inputs/revision-range.ts";
import { fetchedCharts } from "../render/fetched-charts.ts";
import { fluxBuilds } from "../render/flux-builds.ts";
import { applicationPairs, type AppPairs } from "./application-pairs.ts";
import { hasCommand, withBaseCommand } from "./base-commands.ts";
import { givenPath } from "./picked.ts";
import { comparedRange } from "./compared-range.ts";
import { compareRenderings } from "./compare-renderings.ts";
import type { Compared, Comparing } from "./compared.ts";
import { namespacesKept } from "./kept-namespaces.ts";
import { withOthersOfCluster } from "./others-of-cluster.ts";
import { comparePlain, isComparedAsPlain, NO_PLAIN } from "./plain-applications.ts";
import { reportDirty } from "./checkout-sides.ts";
import { withAppliedBases } from "./applied-bases.ts";
import { ALLOW_EMPTY_REMEDY, type PlanInputOptions, type PlanSides } from "./plan-sides.ts";
import {
  type Made,
  orderedParts,
  assignedPairs,
  duplicatesIn,
  placedApplications,
  type Work,
  workOf,
} from "./plan-work.ts";
import { shardRun, shardTools } from "./shard-run.ts";
import { refuseEmptySides } from "./no-applications.ts";
import { atLevel, definedTwice } from "./not-fetched.ts";
import { otherAddresses } from "./other-addresses.ts";
import { renderedAmong } from "./rendered-among.ts";
import { renamedApplications } from "./renamed-applications.ts";
import { hasPlugins, madeRenderings, objectLimit, type Engine } from "./rendering.ts";
import { configsOf, isConfigGiven } from "./revision-config.ts";
import { knownOf, type KeptSurveys } from "./survey.ts";
import { checkAlone } from "../../stamping/pipeline.ts";

export interface ApplicationOptions extends PlanInputOptions {
  readonly app?: readonly string[];
  readonly config?: string;
  readonly allApps?: boolean;
  /** Do not render what nothing deploys: it counts as changed if its files differ. */
  readonly skipsOrphans?: boolean;
  readonly allowCommands?: boolean;
  readonly clusters?: string;
  readonly jobs?: number;
  /** By default as they are applied. */
  readonly as?: ComparedAs;
  /** Compare only this part of the applications. */
  readonly shard?: Shard;
  readonly fetchCharts?: boolean;
  readonly stampedBy?: StampedBy;
}

export interface ApplicationsGiven {
  readonly spec: ConfigHashSpec;
  readonly hmacKey: Uint8Array | undefined;
  readonly planOptions: PlanOptions;
  /** The real path of the configuration file, which is no manifest. */
  readonly configFile: string | undefined;
  readonly cache: RenderCache | undefined;
  /** The configuration that both sides are read with, as text. */
  readonly configuration: string;
}

/** The outcome of a plan over applications. */
export type PlannedApplications =
  | ({ readonly is: "planned" } & ApplicationsPlan)
  /** A path is a file: files are compared without applications. */
  | { readonly is: "files" }
  /** Manifests can't be read; the errors have been printed. */
  | { readonly is: "unread" };

/** A plan over the applications of a repository. */
export interface ApplicationsPlan {
  readonly compared: PlannedRange;
  readonly data: PlanData;
  readonly others: PlanSides["others"];
  /** Only with --shard. */
  readonly shard?: PlanShard;
}

/** Plans over the applications of two revisions. Throws a RollstampError. */
export async function planApplications(
  io: Io,
  given: readonly string[],
  options: ApplicationOptions & { readonly git: string },
  planning: ApplicationsGiven,
): Promise<PlannedApplications> {
  const where = { cwd: io.files.here(), environment: gitEnvironment(io.environment), limits: io.context.limits };
  const range = parseRange(options.git);
  const folders = given.length === 0 ? ["."] : given;
  const waiting = waitingFor(io, "looking for applications");
  const plan = async (revisions: Revisions): Promise<PlannedApplications> => {
    waiting.end();
    const { base, head } = revisions;
    const paths = folders.map((path) => givenPath(revisions.prefix, path));
    if (paths.some((path) => isFile(base, path) || isFile(head, path))) return { is: "files" };
    reportDirty(io, revisions);
    for (const revision of [base, head]) refuseMissing(revision, paths, given, options);
    const engine = engineOf(io, revisions.kept, options, planning.cache);
    const planned = await planRevisions(engine, revisions, paths, options, {
      ...planning,
      withCheckouts: (use) => io.git.withCheckouts(range, where, (checkouts) => use([checkouts.base, checkouts.head])),
    });
    if (planned === undefined) return { is: "unread" };
    const { data, others, work } = planned;
    const commits = { base: base.commit, head: head.commit, prefix: revisions.prefix };
    const compared = await comparedRange(io, range, commits);
    if (options.shard === undefined) return { is: "planned", compared, data, others };
    const { configuration } = planning;
    const run = shardRun(io, revisions, { paths, options, configuration, all: work.all });
    const tools = await shardTools(io, assignedPairs(work));
    return { is: "planned", compared, data, others, shard: { ...options.shard, compared, run, tools, data } };
  };
  return io.snapshots.ofRevisions(range, where, plan).finally(waiting.end);
}

/** What renders applications; `kept` caches renderings of this run. */
export function engineOf(
  io: Io,
  kept: RenderCache,
  { jobs = io.processors(), fetchCharts = false }: Pick<ApplicationOptions, "jobs" | "fetchCharts">,
  cache: RenderCache | undefined,
): Engine {
  const charts = fetchedCharts(io, io.environment, cache, fetchCharts);
  return { io, jobs, cache, charts, builds: fluxBuilds(), made: madeRenderings(io, kept) };
}

interface RevisionsGiven extends Omit<ApplicationsGiven, "cache" | "configuration"> {
  /** Checks out both revisions, for commands of rollstamp.yaml. */
  readonly withCheckouts: <T>(use: (checkouts: readonly Checkout[]) => Promise<T>) => Promise<T>;
  /** Those of a history that the revisions are in. */
  readonly surveys?: KeptSurveys;
}

export interface RevisionsPlan {
  readonly data: PlanData;
  readonly others: PlanSides["others"];
  readonly work: Work;
}

/** Plans over the applications of two revisions. Undefined if manifests can't be read; the errors have been printed. */
export async function planRevisions(
  engine: Engine,
  revisions: Revisions,
  paths: readonly string[],
  options: Omit<ApplicationOptions, "git">,
  { spec, hmacKey, planOptions, configFile, withCheckouts, surveys }: RevisionsGiven,
): Promise<RevisionsPlan | undefined> {
  const { io } = engine;
  const pairs = await findPairs(engine, revisions, paths, options, surveys);
  if (options.allowEmpty !== true) refuseEmptySides(pairs, revisions);
  return withAppliedBases(io, pairs, revisions, async (found): Promise<RevisionsPlan | undefined> => {
    const work = workOf(found, options);
    const { base, head } = revisions;
    const { as = "applied" } = options;
    const comparing: Comparing = {
      ...engine,
      revisions,
      spec,
      hmacKey,
      as,
      configAt: isConfigGiven(io, options)
        ? { base: none, head: none }
        : { base: configsOf(io, base), head: configsOf(io, head) },
      planOptions: {
        ...planOptions,
        ...renderedAmong(found),
        // An audit shows no values.
        ...(planOptions.isAudit === true ? {} : { secrets: once(() => secretsOf(found.secrets(), isDistinctive)) }),
      },
      countObjects: objectLimit("Compare fewer applications at once (--app, --shard)"),
    };
    const plain = work.isFirst
      ? await comparePlain(comparing, { io, options, configFile, check: checkAlone(spec) }, found)
      : NO_PLAIN;
    if (plain === undefined) return undefined;
    const needsCheckouts = options.allowCommands === true && assignedPairs(work).some(hasCommand);
    const compare = (checkouts?: readonly Checkout[]): Promise<readonly Compared[]> =>
      compareAssigned({ ...comparing, checkouts }, work, found);
    const results = needsCheckouts ? await withCheckouts(compare) : await compare();
    const made = { plain, compared: results, found };
    const data = dataOf(comparing, work, made, await namespacesKept(comparing, work, made));
    return { data, others: plain.inputs.others, work };
  });
}

/** Compares the applications of this shard. */
async function compareAssigned(
  comparing: Comparing,
  work: Work,
  { findMore, predict }: AppPairs,
): Promise<readonly Compared[]> {
  const assigned = assignedPairs(work);
  const compared = await compareRenderings(comparing, assigned);
  const pairs = assigned.flatMap((pair, i) => {
    const { [i]: result } = compared;
    return result === undefined ? [] : [{ pair, compared: result }];
  });
  const findRendered: AppPairs["findMore"] = async (names) =>
    (await findMore(names)).filter((pair) => !isComparedAsPlain(pair));
  return withOthersOfCluster(comparing, pairs, { all: work.all, findMore: findRendered, predict });
}

const none = (): undefined => undefined;

/** All that was found, as data. */
function dataOf({ as, planOptions }: Comparing, work: Work, made: Made, kept: PlanData["kept"]): PlanData {
  const { inputs, findings } = made.plain;
  const { base, head } = made.found.notFound;
  const applications = placedApplications(work, made);
  const unrendered = [
    ...(work.isFirst ? [...made.found.unrendered(), ...duplicatesIn(made.found).map(definedTwice)] : []),
    ...otherAddresses(
      applications.map(({ application }) => application),
      head,
      made.found.pairs.flatMap((pair) => pair.head?.application ?? []),
    ),
  ];
  const found = [
    ...findings,
    ...atLevel(unrendered, planOptions.levels ?? new Map()),
    ...(work.isFirst ? renamedApplications(made.found.pairs) : []),
  ];
  const { secrets } = planOptions;
  // Each part is already without the texts of its own Secrets. Those of applications that were compared later are known now.
  const parts = orderedParts(work, made).map((ordered) =>
    secrets === undefined || ordered.part === undefined
      ? ordered
      : { ...ordered, part: withoutSecretTexts(ordered.part, secrets) },
  );
  return {
    as,
    parts,
    applications,
    findings: found,
    notExamined: work.isFirst ? [...head, ...base].map(rowOf) : [],
    examined: inputs.account.examined,
    kept,
    unread: work.isFirst ? made.found.unread() : [],
  };
}

function isFile({ entries }: Snapshot, path: string): boolean {
  const is = entries.get(path)?.is;
  return is === "file" || is === "link";
}

function refuseMissing(
  { name, entries }: Snapshot,
  paths: readonly string[],
  given: readonly string[],
  { allowEmpty }: PlanInputOptions,
): void {
  const missing = paths.findIndex((path) => path !== "." && !entries.has(path));
  if (allowEmpty === true || missing < 0) return;
  throw new RollstampError("input", `${given[missing] ?? "the current folder"} is not in ${name}`, {
    remedy: ALLOW_EMPTY_REMEDY,
  });
}

/** The applications of both revisions. With --allow-commands, the command of the base renders both sides. */
async function findPairs(
  engine: Engine,
  revisions: Revisions,
  paths: readonly string[],
  { app = [], allApps = false, allowCommands, clusters, stampedBy }: Omit<ApplicationOptions, "git">,
  kept: KeptSurveys | undefined,
): Promise<AppPairs> {
  const { io } = engine;
  const mayFetch = io.environment[REMOTE_BASES_VARIABLE] === "true";
  const known = kept?.known ?? (await knownOf(io, io.files.here(), clusters));
  // The output of plugins depends on more than files.
  const isWhole = allApps || hasPlugins(io) || kept !== undefined;
  const found = await applicationPairs(
    engine,
    revisions,
    { paths, names: app },
    { mayFetch, known, isWhole, stampedBy, kept },
  );
  if (allowCommands !== true) return found;
  const findMore: AppPairs["findMore"] = async (names) => (await found.findMore(names)).map(withBaseCommand);
  return { ...found, pairs: found.pairs.map(withBaseCommand), findMore };
}
