import { rowOf } from "../applications/discover/not-found.ts";
import type { ConfigHashSpec } from "../stamping/function/config-hash.ts";
import { RollstampError } from "../base/errors.ts";
import type { Finding } from "../findings/catalogue/finding.ts";
import type { Checkouts } from "../platform/ports/git.ts";
import type { Io } from "../platform/ports/io.ts";
import type { RenderCache } from "../platform/ports/render-cache.ts";
import type { Revision, Revisions } from "../platform/ports/revisions.ts";
import { eachOnce, examinedWith } from "../reports/plan/applications-examined.ts";
import { joinParts } from "../reports/plan/join-parts.ts";
import type { PlanOptions } from "../reports/plan/plan.ts";
import type { RolloutPlan } from "../reports/plan/plan-report.ts";
import type { OrderedPart, Shard, ShardMade } from "../reports/plan/shards.ts";
import { knownOf } from "./worktree.ts";
import { applicationPairs, givenPath, type AppPair, type AppPairs, type AppSide } from "./application-pairs.ts";
import {
  compareRenderings,
  renderKept,
  type Compared,
  type Comparing,
  type RenderingOf,
} from "./application-renderings.ts";
import { fetchedCharts } from "./fetched-charts.ts";
import { hasPlugins, madeRenderings } from "./made-renderings.ts";
import { withOthersOfCluster } from "./others-of-cluster.ts";
import { comparePlain, NOTHING, type PlainCompared } from "./plain-applications.ts";
import { isPlain } from "./plain-kinds.ts";
import { IF_MEANT, type PlanInputOptions, type PlanInputs, type SideReader } from "./plan-side-reader.ts";
import { orderedParts, ownPairs, placedApplications, workOf, type Made, type Work } from "./plan-work.ts";
import { tellDirty } from "./plan-revisions.ts";
import { waitingFor } from "./progress.ts";
import { renderedAmong } from "./rendered-among.ts";
import { isOfCommand, withBaseCommand } from "./command-applications.ts";
import { gitEnvironment, parseRange } from "./revision-range.ts";
import { shardRun, shardTools } from "./shard-run.ts";
import { withSuspended } from "./suspended-applications.ts";

/** What a plan over applications is asked for. */
export interface ApplicationOptions extends PlanInputOptions {
  readonly app?: readonly string[];
  readonly allApps?: boolean;
  readonly allowCommands?: boolean;
  readonly clusters?: string;
  readonly jobs?: number;
  /** Only a part of what there is to do. */
  readonly shard?: Shard;
  readonly fetchCharts?: boolean;
}

export interface ApplicationsGiven {
  readonly spec: ConfigHashSpec;
  readonly hmacKey: Uint8Array | undefined;
  readonly planOptions: PlanOptions;
  readonly reader: Omit<SideReader, "nameOf">;
  readonly cache: RenderCache | undefined;
  /** A digest of what both sides are read with. */
  readonly configuration: string;
}

/** What came of a plan over applications. */
export type PlannedApplications =
  | ({ readonly is: "planned" } & ApplicationsPlan)
  /** A path is a file, which is compared as it stands. */
  | { readonly is: "files" }
  /** Manifests can't be read, which is told. */
  | { readonly is: "unread" };

/** A plan over the applications of a repository, with what was met. */
export interface ApplicationsPlan {
  readonly plan: RolloutPlan;
  readonly inputs: Pick<PlanInputs, "account" | "findings" | "nameOf" | "others">;
  readonly findings: readonly Finding[];
  /** Of a part of a plan. */
  readonly shard?: ShardMade;
}

/** Plans over the applications of two revisions. Throws a RollstampError. */
export async function planApplications(
  io: Io,
  given: readonly string[],
  options: ApplicationOptions & { readonly git: string },
  { spec, hmacKey, planOptions, reader, cache, configuration }: ApplicationsGiven,
): Promise<PlannedApplications> {
  const where = { cwd: io.files.here(), environment: gitEnvironment(io.environment), limits: io.context.limits };
  const range = parseRange(options.git);
  const folders = given.length === 0 ? ["."] : given;
  return io.git.withRevisions(range, where, async (revisions) => {
    const paths = folders.map((path) => givenPath(revisions.prefix, path));
    if (paths.some((path) => isFile(revisions, path))) return { is: "files" };
    tellDirty(io, revisions);
    for (const revision of [revisions.base, revisions.head]) refuseMissing(revision, paths, given, options);
    const charts = fetchedCharts(io, io.environment, cache, options.fetchCharts === true);
    const rendering: RenderingOf = { io, revisions, cache, charts, made: madeRenderings(io, revisions.kept) };
    const found = await findPairs(rendering, paths, options);
    refuseEmptySide(found, revisions, options);
    const work = workOf(found, options);
    const comparing: Comparing = {
      ...rendering,
      jobs: options.jobs ?? io.processors(),
      spec,
      hmacKey,
      planOptions: { ...planOptions, isRendered: renderedAmong(work.all) },
    };
    const plain = work.isFirst ? await comparePlain(comparing, reader, found, folders) : NO_PLAIN;
    if (plain === undefined) return { is: "unread" };
    const inCheckouts: InCheckouts = (compare) => io.git.withCheckouts(range, where, compare);
    const compared = await compareOwn(comparing, work, found, options.allowCommands === true ? inCheckouts : undefined);
    const made = joined(work, { plain, compared, found }, planOptions);
    if (options.shard === undefined) return { is: "planned", ...made.plan };
    const run = shardRun(io, revisions, { paths, options, configuration, all: work.all });
    const tools = await shardTools(io, ownPairs(work));
    const shard = { ...options.shard, run, tools, parts: made.parts, applications: made.places };
    return { is: "planned", ...made.plan, shard };
  });
}

type InCheckouts = (compare: (checkouts: Checkouts) => Promise<readonly Compared[]>) => Promise<readonly Compared[]>;

/** Compares what is rendered here: in checkouts, where commands of the repository's owner may run and any is wanted. */
async function compareOwn(
  comparing: Comparing,
  work: Work,
  { whole }: AppPairs,
  inCheckouts: InCheckouts | undefined,
): Promise<readonly Compared[]> {
  const own = ownPairs(work);
  const compare = async (of: Comparing): Promise<readonly Compared[]> => {
    const alone = await compareRenderings(of, own);
    const pairs = own.flatMap((pair, i) => {
      const one = alone[i];
      return one === undefined ? [] : [{ pair, compared: withSuspended(pair, one) }];
    });
    const known = async (): Promise<readonly AppPair[]> =>
      (await whole()).filter(({ application }) => !isPlain(application));
    return withOthersOfCluster(of, pairs, { all: work.all, known });
  };
  if (inCheckouts === undefined || !own.some(isOfCommand)) return compare(comparing);
  return inCheckouts((checkouts) => compare({ ...comparing, checkouts }));
}

/** One plan of all that was compared, with what a part of a plan tells of it beside. */
function joined(
  work: Work,
  made: Made,
  planOptions: PlanOptions,
): { readonly plan: ApplicationsPlan; readonly parts: readonly OrderedPart[]; readonly places: readonly number[] } {
  const { inputs, findings } = made.plain;
  const placed = placedApplications(work, made);
  const parts = orderedParts(work, made);
  const applications = placed.map(({ application }) => application);
  const joinedParts = joinParts(
    parts.flatMap(({ part }) => part ?? []),
    planOptions,
  );
  const plan = { ...joinedParts, applications };
  const { base, head } = made.found.notFound;
  const notExamined = eachOnce([
    ...parts.flatMap((part) => part.notExamined),
    ...(work.isFirst ? [...head, ...base].map(rowOf) : []),
  ]);
  const examined = examinedWith(inputs.account.examined, applications, plan.summary);
  return {
    plan: { plan, inputs: { ...inputs, account: { examined, notExamined } }, findings },
    parts,
    places: placed.map(({ place }) => place),
  };
}

const NO_PLAIN: PlainCompared = {
  applications: [],
  part: undefined,
  inputs: { account: NOTHING, findings: [], nameOf: (text) => text, others: [] },
  findings: [],
};

function isFile({ base, head }: Revisions, path: string): boolean {
  return [base, head].some(({ entries }) => {
    const is = entries.get(path)?.is;
    return is === "file" || is === "link";
  });
}

function refuseMissing(
  { revision, entries }: Revision,
  paths: readonly string[],
  given: readonly string[],
  { allowEmpty }: PlanInputOptions,
): void {
  const at = paths.findIndex((path) => path !== "." && !entries.has(path));
  if (allowEmpty === true || at < 0) return;
  throw new RollstampError("input", `${given[at] ?? "the current folder"} is not in ${revision}`, { remedy: IF_MEANT });
}

/** The applications of both revisions; where commands of rollstamp.yaml may run, both sides with the command of the base. */
async function findPairs(
  rendering: RenderingOf,
  paths: readonly string[],
  { app = [], jobs, allApps = false, allowCommands, clusters }: ApplicationOptions,
): Promise<AppPairs> {
  const { io, revisions } = rendering;
  const waiting = waitingFor(io, "looking for applications");
  const mayFetch = io.environment["ROLLSTAMP_ALLOW_REMOTE_BASES"] === "true";
  const render = async (side: AppSide, revision: Revision): Promise<string> => {
    waiting.end();
    const rendered = await renderKept(rendering, side, revision === revisions.base ? "base" : "head");
    if ("error" in rendered) throw rendered.error;
    return rendered.text;
  };
  const beside = await knownOf(io, io.files.here(), clusters);
  // What programs of an owner make of a kustomization no file of it tells.
  const isWhole = allApps || hasPlugins(io);
  const pairing = { mayFetch, beside, render, jobs: jobs ?? io.processors(), known: new Map(), isWhole };
  const found = await applicationPairs(io, revisions, { paths, names: app }, pairing).finally(waiting.end);
  if (allowCommands !== true) return found;
  const whole = async (): Promise<readonly AppPair[]> => (await found.whole()).map(withBaseCommand);
  return { ...found, pairs: found.pairs.map(withBaseCommand), whole };
}

/** A side without anything: everything would count as created or deleted. */
function refuseEmptySide(
  { pairs, notFound }: AppPairs,
  revisions: Revisions,
  { allowEmpty }: ApplicationOptions,
): void {
  if (allowEmpty === true) return;
  const empty = (["head", "base"] as const).filter((side) => pairs.every((pair) => pair[side] === undefined));
  const [side] = empty;
  if (side === undefined || (empty.length === 2 && notFound.head.length > 0)) return;
  // What can't be read may hold some, and is told.
  if (notFound[side].some(({ isFailure }) => isFailure)) return;
  throw new RollstampError("input", `there are no Kubernetes manifests in ${revisions[side].revision}`, {
    remedy: IF_MEANT,
  });
}
