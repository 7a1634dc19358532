import type { ConfigHashSpec } from "../config/config-hash.ts";
import type { NotExamined } from "../examined/not-examined.ts";
import { RollstampError } from "../ground/errors.ts";
import type { Finding } from "../findings/finding.ts";
import type { Io } from "../io/io.ts";
import type { RenderCache } from "../io/render-cache.ts";
import type { Revision, Revisions } from "../io/revisions.ts";
import { eachOnce, examinedWith, failedFirst } from "../plan/applications-examined.ts";
import { joinParts } from "../plan/join-parts.ts";
import type { PlanOptions } from "../plan/plan.ts";
import type { PlannedApplication, RolloutPlan } from "../plan/plan-report.ts";
import { isOfShard, type OrderedPart, type Shard, type ShardMade } from "../plan/shards.ts";
import { isNoApplication } from "./unrendered-row.ts";
import { knownOf } from "./worktree.ts";
import { applicationPairs, givenPath, type AppPair, type AppPairs, type AppSide } from "./application-pairs.ts";
import {
  compareRenderings,
  plannedOf,
  renderKept,
  type Compared,
  type Comparing,
  type RenderingOf,
} from "./application-renderings.ts";
import { fetchedCharts } from "./fetched-charts.ts";
import { hasPlugins, madeRenderings } from "./made-renderings.ts";
import { withOthersOfCluster } from "./others-of-cluster.ts";
import { comparePlain, NOTHING, type PlainCompared } from "./plain-applications.ts";
import { isPlain, PLAIN_KINDS } from "./plain-kinds.ts";
import { IF_MEANT, type PlanInputOptions, type PlanInputs, type SideReader } from "./plan-side-reader.ts";
import { tellDirty } from "./plan-revisions.ts";
import { waitingFor } from "./progress.ts";
import { renderedAmong } from "./rendered-among.ts";
import { isOfCommand, withBaseCommand } from "./command-applications.ts";
import { gitEnvironment, parseRange } from "./revision-range.ts";
import { shardRun, shardTools } from "./shard-run.ts";

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

/** A plan over the applications of a repository, with what was met. */
export interface ApplicationsPlan {
  readonly plan: RolloutPlan;
  readonly inputs: Pick<PlanInputs, "account" | "findings" | "nameOf" | "others">;
  readonly findings: readonly Finding[];
  /** Of a part of a plan. */
  readonly shard?: ShardMade;
}

/**
 * Plans over the applications of two revisions; undefined where a path is a file, which is compared as it stands, or where
 * manifests can't be read, which is told.
 */
export async function planApplications(
  io: Io,
  given: readonly string[],
  options: ApplicationOptions & { readonly git: string },
  { spec, hmacKey, planOptions, reader, cache, configuration }: ApplicationsGiven,
): Promise<ApplicationsPlan | "files" | "unread"> {
  const where = { cwd: io.files.here(), environment: gitEnvironment(io.environment), limits: io.context.limits };
  return io.git.withRevisions(parseRange(options.git), where, async (revisions) => {
    const paths = (given.length === 0 ? ["."] : given).map((path) => givenPath(revisions.prefix, path));
    if (paths.some((path) => isFile(revisions, path))) return "files";
    tellDirty(io, revisions);
    for (const revision of [revisions.base, revisions.head]) refuseMissing(revision, paths, given, options);
    const charts = fetchedCharts(io, io.environment, cache, options.fetchCharts === true);
    const rendering: RenderingOf = { io, revisions, cache, charts, made: madeRenderings(io, revisions.kept) };
    const found = await looking(rendering, paths, options);
    refuseEmptySide(found, revisions, options);
    const work = workOf(found, options);
    const comparing: Comparing = {
      ...rendering,
      jobs: options.jobs ?? io.processors(),
      spec,
      hmacKey,
      planOptions: { ...planOptions, isRendered: renderedAmong(work.all) },
    };
    const plain = work.isFirst
      ? await comparePlain(comparing, reader, found, given.length === 0 ? ["."] : given)
      : NO_PLAIN;
    if (plain === undefined) return "unread";
    const own = work.own.map(({ pair }) => pair);
    const compare = async (of: Comparing): Promise<readonly Compared[]> => {
      const alone = await compareRenderings(of, own);
      const pairs = own.flatMap((pair, i) => {
        const one = alone[i];
        return one === undefined ? [] : [{ pair, compared: one }];
      });
      const known = async (): Promise<readonly AppPair[]> =>
        (await found.whole()).filter(({ application }) => !isPlain(application));
      return withOthersOfCluster(of, pairs, { all: work.all, known });
    };
    const compared =
      options.allowCommands === true && own.some(isOfCommand)
        ? await io.git.withCheckouts(parseRange(options.git), where, (checkouts) =>
            compare({ ...comparing, checkouts }),
          )
        : await compare(comparing);
    const placed = failedFirst(
      [
        ...plain.applications.map((application, place) => ({ application, place })),
        ...compared.map(({ application }, i) => ({ application, place: work.plain + (work.own[i]?.order ?? 0) })),
        ...(work.isFirst ? [...work.idle, ...newlyNotFound(found)] : []).map((application, i) => ({
          application,
          place: work.plain + work.all.length + 1 + i,
        })),
      ],
      ({ application }) => application,
    );
    const parts: OrderedPart[] = [
      ...(work.isFirst
        ? [{ order: 0, part: plain.part, notExamined: plain.inputs.account.notExamined.filter(isNoApplication) }]
        : []),
      ...compared.map(({ part, notExamined }, i) => ({ order: work.own[i]?.order ?? 0, part, notExamined })),
    ];
    const applications = placed.map(({ application }) => application);
    const plan = {
      ...joinParts(
        parts.flatMap(({ part }) => part ?? []),
        planOptions,
      ),
      applications,
    };
    const notExamined = eachOnce([
      ...parts.flatMap((part) => part.notExamined),
      ...(work.isFirst ? notExaminedOf(found) : []),
    ]);
    const examined = examinedWith(plain.inputs.account.examined, applications, plan.summary);
    const made: ApplicationsPlan = {
      plan,
      inputs: { ...plain.inputs, account: { examined, notExamined } },
      findings: plain.findings,
    };
    if (options.shard === undefined) return made;
    const run = shardRun(io, revisions, { paths, options, configuration, all: work.all });
    const tools = await shardTools(io, own);
    return { ...made, shard: { ...options.shard, run, tools, parts, applications: placed.map(({ place }) => place) } };
  });
}

/** What there is to do, and what of it is to be done here. */
interface Work {
  /** It has what only one of several has: plain manifests, which are read together, and all that costs nothing. */
  readonly isFirst: boolean;
  /** How many applications are plain manifests. */
  readonly plain: number;
  /** What is rendered, by anyone. */
  readonly all: readonly AppPair[];
  /** What is rendered here, with its place in the whole plan; 0 is that of plain manifests. */
  readonly own: readonly { readonly pair: AppPair; readonly order: number }[];
  readonly idle: readonly PlannedApplication[];
}

/** It follows from the revisions and the options alone: whoever does a part of it parts it alike. */
function workOf({ pairs }: AppPairs, { allApps, shard }: ApplicationOptions): Work {
  const rendered = pairs.filter(({ application }) => !isPlain(application));
  const isToRender = ({ isAffected }: AppPair): boolean => isAffected || allApps === true;
  const all = rendered.filter(isToRender);
  return {
    isFirst: isOfShard(0, shard),
    plain: pairs.length - rendered.length,
    all,
    own: all.map((pair, i) => ({ pair, order: i + 1 })).filter(({ order }) => isOfShard(order, shard)),
    idle: rendered
      .filter((pair) => !isToRender(pair))
      .map(({ application, base, head }) => ({ ...plannedOf(application, base, head), status: "NotAffected" })),
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

async function looking(
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
  throw new RollstampError("input", `there are no Kubernetes manifests in ${revisions[side].revision}`, {
    remedy: IF_MEANT,
  });
}

/** What the head makes no application of and the base did, or has not: it failed. */
function newlyNotFound({ notFound }: AppPairs): PlannedApplication[] {
  const before = new Set(notFound.base.map(({ path, kind, reason }) => `${kind}\n${path}\n${reason}`));
  return notFound.head
    .filter((row) => row.isFailure && !PLAIN_KINDS.has(row.kind))
    .filter(({ path, kind, reason }) => !before.has(`${kind}\n${path}\n${reason}`))
    .map(({ path, kind, reason, name }) => ({
      name: name ?? path,
      path,
      kind: kind === "Chart" || kind === "HelmRelease" ? "Helm" : "Kustomize",
      status: "Failed",
      message: reason,
    }));
}

/** What no application could be made of in either revision. */
function notExaminedOf({ notFound }: AppPairs): NotExamined[] {
  return [...notFound.head, ...notFound.base].map(({ path, kind, reason, name, builtFrom }): NotExamined => ({
    path,
    kind,
    reason,
    ...(name === undefined ? {} : { name }),
    ...(builtFrom === undefined ? {} : { builtFrom }),
  }));
}
