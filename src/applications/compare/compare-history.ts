import { RollstampError } from "../../base/errors.ts";
import { REMOTE_BASES_VARIABLE } from "../../base/outside.ts";
import { errorLine } from "../../findings/results/terminal.ts";
import type { HistoryCommit } from "../../platform/ports/git.ts";
import type { Io } from "../../platform/ports/io.ts";
import type { RenderCache } from "../../platform/ports/programs.ts";
import type { OpenHistory, Revisions, Snapshot } from "../../platform/ports/snapshot.ts";
import {
  changesOfPlan,
  isCommitChanges,
  NO_CHANGES,
  nothingRendered,
  WHOLE,
  withoutRevision,
  type CommitChanges,
} from "../../reports/audit/commit-changes.ts";
import {
  isNothingRendered,
  lastRendered,
  changesOfApplication,
  type LastRendered,
} from "../../reports/audit/last-rendered.ts";
import { reportOfData } from "../../reports/plan/plan-data.ts";
import type { PlanOptions } from "../../reports/plan/plan.ts";
import { dataDigest } from "../render/affected.ts";
import type { AppPair } from "./pairs.ts";
import { engineOf, planRevisions, type ApplicationOptions } from "./plan-applications.ts";
import type { Engine } from "./rendering.ts";
import { configIn } from "./revision-config.ts";
import { findAhead, knownOf, type KeptSurveys } from "./survey.ts";

// Compares each commit of a history with its first parent, as a plan does. Commits share what they have in common: discovery
// parses each version of a file once, and renderings are kept by what they are made from.

export interface HistoryOptions extends Pick<ApplicationOptions, "app" | "jobs" | "fetchCharts"> {
  /** A path from the root. */
  readonly path: string;
  readonly cache: RenderCache | undefined;
  /** Ends the comparison after the current commit. */
  readonly signal: AbortSignal;
  readonly report: (done: number, total: number, now: HistoryCommit) => void;
}

export interface CommitResult {
  readonly commit: HistoryCommit;
  readonly changes: CommitChanges;
}

/** Compares commits, the oldest first, each with the one before. Throws a RollstampError. */
export async function compareHistory(
  io: Io,
  history: OpenHistory,
  commits: readonly HistoryCommit[],
  options: HistoryOptions,
): Promise<readonly CommitResult[]> {
  // The line of progress is that of the history.
  const quiet: Io = { ...io, stderrIsTerminal: false, writeStderr: () => undefined };
  const known = await knownOf(io, io.files.here(), undefined);
  const surveys = { known, shown: new Map(), bySnapshot: new WeakMap() };
  const engine = { ...engineOf(quiet, history.kept, options, options.cache), keepsAll: true };
  const comparing = { engine, surveys, history, options, remotes: known.remotes ?? [] };
  const results: CommitResult[] = [];
  const rendered = lastRendered();
  const unknown: RollstampError[] = [];
  let ahead: Promise<unknown> = Promise.resolve();
  try {
    for (const [i, commit] of commits.entries()) {
      if (options.signal.aborted) break;
      options.report(i, commits.length, commit);
      const next = commits.slice(i + 1, i + 1 + AHEAD).map((one) => one.commit);
      // Programs render the next commits while this one is compared. If that fails, their own comparison says so.
      const readAhead = (head: Snapshot): void => {
        ahead = surveyAhead(comparing, head, next).catch(() => undefined);
      };
      const changes = await changesOf({ ...comparing, readAhead }, commit, rendered).catch((cause: unknown) => {
        // Neither commit has an application of that name.
        if (!(cause instanceof RollstampError) || cause.code !== "usage") throw cause;
        unknown.push(cause);
        return NO_CHANGES;
      });
      results.push({ commit, changes });
    }
  } finally {
    // Programs must not outlive the files that they read.
    await ahead;
  }
  const last = unknown.at(-1);
  const compared = results.filter(({ commit }) => commit.parent !== undefined);
  if (last !== undefined && unknown.length === compared.length && !options.signal.aborted) throw last;
  return results;
}

interface Comparing {
  readonly engine: Engine;
  readonly surveys: KeptSurveys;
  readonly history: OpenHistory;
  readonly options: HistoryOptions;
  readonly remotes: readonly string[];
  /** Surveys the commits after the head meanwhile. */
  readonly readAhead: (head: Snapshot) => void;
}

/** How many commits are surveyed ahead: a survey waits for renderings that depend on each other. */
const AHEAD = 2;

async function surveyAhead(
  { engine, surveys, history }: Pick<Comparing, "engine" | "surveys" | "history">,
  head: Snapshot,
  next: readonly string[],
): Promise<void> {
  const opened = await Promise.all(next.map((commit) => history.open(commit)));
  await Promise.allSettled(opened.map((snapshot, i) => findAhead(engine, snapshot, surveys, opened[i - 1] ?? head)));
}

/** Compares a commit with its parent, and what the parent could not render with the last commit that could. */
async function changesOf(
  comparing: Comparing,
  { commit, parent }: HistoryCommit,
  rendered: LastRendered,
): Promise<CommitChanges> {
  if (parent === undefined) return NO_CHANGES;
  const { app } = comparing.options;
  const base = rendered.commit(WHOLE) ?? parent;
  const changes = await changesBetween(comparing, base, commit, app);
  // What is wrong may be wrong in the base only, from before the period.
  if (isNothingRendered(changes) && !isNothingRendered(await changesBetween(comparing, commit, commit, app)))
    return rendered.follow(NO_CHANGES, base);
  const again: CommitChanges[] = [];
  for (const { application, since } of rendered.toCompareAgain(changes))
    again.push(changesOfApplication(await changesBetween(comparing, since, commit, [application]), application));
  return rendered.follow(changes, base, again);
}

async function changesBetween(
  comparing: Comparing,
  base: string,
  head: string,
  app: readonly string[] = [],
): Promise<CommitChanges> {
  const { options, remotes, engine } = comparing;
  const { path, cache } = options;
  const fetches = [engine.charts.fetch !== undefined, engine.io.environment[REMOTE_BASES_VARIABLE] === "true"];
  // Commits name all of their files and their history, from which Flux's suspended objects are compared.
  const key = `audit 3 ${dataDigest([base, head, path, [...app], [...remotes], fetches])}`;
  const kept = await cache?.get(key);
  const known: unknown = kept === undefined ? undefined : JSON.parse(kept);
  if (isCommitChanges(known)) return known;
  const changes = await comparedBetween(comparing, base, head, app);
  // Another run may succeed, as after a timeout or without a network. A chart that nobody fetches is missing each time.
  const mayPass =
    changes.baseFailed.length > 0 ||
    changes.unrendered.some(({ isFailed, because }) => isFailed && "message" in because) ||
    (changes.lacks && fetches.includes(true));
  if (!mayPass) await cache?.put(key, JSON.stringify(changes));
  return changes;
}

async function comparedBetween(
  { engine, surveys, history, readAhead, options: { path } }: Comparing,
  base: string,
  head: string,
  app: readonly string[],
): Promise<CommitChanges> {
  const { io } = engine;
  const revisions: Revisions = {
    base: await history.open(base),
    head: await history.open(head),
    // Paths are those of the repository, whatever folder is asked for.
    prefix: "",
    isDirty: false,
    kept: history.kept,
  };
  readAhead(revisions.head);
  try {
    const spec = configIn(io, revisions.head, path);
    const options = { app, allowEmpty: true, skipsOrphans: true };
    const planned = await planRevisions(engine, revisions, [path], options, {
      spec,
      hmacKey: undefined,
      planOptions: PLAN_OPTIONS,
      surveys,
      configFile: undefined,
      withCheckouts: () => Promise.reject(new Error("an audit runs no command of a repository")),
    });
    if (planned === undefined) return nothingRendered("manifests cannot be read");
    return changesOfPlan(reportOfData(planned.data, PLAN_OPTIONS), {
      head: revisions.head.name,
      renamed: renamedIn(planned.work.all),
    });
  } catch (cause) {
    // Nobody can correct an old commit, also not its rollstamp.yaml.
    if (cause instanceof RollstampError && (cause.code === "input" || cause.code === "config"))
      return nothingRendered(withoutRevision(errorLine(cause), revisions.head.name));
    throw cause;
  }
}

const PLAN_OPTIONS: PlanOptions = {
  all: false,
  showValues: false,
  isAudit: true,
  maxWorkloads: undefined,
  maxPods: undefined,
  failOn: [],
};

/** The applications that the change names differently. */
function renamedIn(pairs: readonly AppPair[]): CommitChanges["renamed"] {
  return pairs.flatMap(({ application: { name }, base }) =>
    base === undefined || base.application.name === name ? [] : [[base.application.name, name] as const],
  );
}
