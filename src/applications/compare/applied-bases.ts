import { addTo } from "../../base/grouped.ts";
import { posix } from "node:path";
import { RollstampError } from "../../base/errors.ts";
import { CHART_FILE } from "../../base/hosts/helm.ts";
import type { Io } from "../../platform/ports/io.ts";
import type { FileChange, GitHistory, HistoryOptions } from "../../platform/ports/git.ts";
import type { Revisions, Snapshot } from "../../platform/ports/snapshot.ts";
import { fieldsOf } from "../../yaml/read/json.ts";
import type { Json } from "../../yaml/read/node.ts";
import { readFoundText } from "../../yaml/read/manifest-text.ts";
import type { Application } from "../discover/application.ts";
import { documentsOfText } from "../discover/marked.ts";
import { gitOpsObject } from "../discover/objects.ts";
import { inBoth } from "../discover/same-applications.ts";
import { gitEnvironment } from "../inputs/revision-range.ts";
import { closuresIn } from "../render/affected.ts";
import type { AppSide } from "../render/shown-data.ts";
import type { AppPair, AppPairs } from "./application-pairs.ts";
import { isResumed } from "./deployment.ts";
import type { StampedSide } from "./stamped-sides.ts";

// What Flux applied last is older than the base if it was suspended, or if its chart changed without its version. When it is
// resumed, or its chart gets another version, it applies all of that: the base is what it applied, if the history shows it.

/** How many commits of a file are searched. */
const MOST_COMMITS = 200;

/** How many other commits a plan reads. */
const MOST_READ = 5;

/** Passes the pairs on, with the base that Flux applied last. */
export async function withAppliedBases<T>(
  io: Io,
  found: AppPairs,
  { base: { commit } }: Pick<Revisions, "base">,
  use: (found: AppPairs) => Promise<T>,
): Promise<T> {
  const older = found.pairs.filter(
    ({ base, head }) => isResumed(base?.application, head?.application) || isNewVersion(base, head),
  );
  if (older.length === 0) return use(found);
  const options = { cwd: io.files.here(), environment: gitEnvironment(io.environment), limits: io.context.limits };
  const history = await io.git.history();
  const byCommit = new Map<string, AppPair[]>();
  for (const pair of older) {
    const find = isResumed(pair.base?.application, pair.head?.application) ? beforeSuspension : packedBefore;
    const applied = pair.base && (await find(pair.base, { history, from: commit, options }));
    if (applied !== undefined) addTo(byCommit, applied, pair);
  }
  const replaced = new Map<AppPair, AppPair>();
  const next = async ([first, ...others]: readonly (readonly [string, readonly AppPair[]])[]): Promise<T> => {
    if (first === undefined) return use({ ...found, pairs: found.pairs.map((pair) => replaced.get(pair) ?? pair) });
    const [applied, pairs] = first;
    const range = { base: applied, head: applied, sinceMergeBase: false };
    // Its files have to be there until the end.
    return io.snapshots.ofRevisions(range, options, async ({ base: snapshot }) => {
      const resumed = pairs.filter(({ base, head }) => isResumed(base?.application, head?.application));
      for (const pair of pairs) {
        const base = resumed.includes(pair) ? undefined : pair.base && (await withChartOf(snapshot, pair.base));
        if (base !== undefined) replaced.set(pair, { ...pair, base, appliedCommit: applied });
      }
      if (resumed.length === 0) return next(others);
      const sides = await found.sidesIn(snapshot);
      const isHere = (path: string): boolean => snapshot.entries.get(path)?.is === "folder";
      const wanted = resumed.flatMap(({ base }) => base ?? []);
      const before = new Map(
        inBoth(sides, wanted, { base: isHere, head: isHere }).map(({ before: side, after }) => [after, side]),
      );
      for (const pair of resumed) {
        const side = before.get(pair.base);
        if (side?.application.held !== "Suspended") replaced.set(pair, { ...pair, base: side, appliedCommit: applied });
      }
      return next(others);
    });
  };
  return next([...byCommit].slice(0, MOST_READ));
}

interface Search {
  readonly history: GitHistory;
  /** The base. */
  readonly from: string;
  readonly options: HistoryOptions;
}

/** The commit before the one that suspended an application; undefined if the history does not show it. */
async function beforeSuspension({ application }: AppSide, search: Search): Promise<string | undefined> {
  const [file] = application.definedIn;
  if (file === undefined) return undefined;
  const oldest = await oldestWith(file, search, (text) => isSuspendedIn(text, file, application, search.options));
  return oldest?.parent;
}

/** Whether a HelmRelease takes another version of a chart. */
function isNewVersion(base: AppSide | undefined, head: AppSide | undefined): boolean {
  const [before, after] = [base?.application, head?.application];
  if (before?.chartVersion === undefined || after === undefined || after.held === "Suspended") return false;
  return before.chartVersion !== after.chartVersion;
}

/** The commit at which Flux packed the chart of the base, if the chart has changed since; undefined if it has not. */
async function packedBefore({ application }: AppSide, search: Search): Promise<string | undefined> {
  const { render, chartVersion } = application;
  if (render.by !== "helm" || render.chart.in !== "repository") return undefined;
  const { folder } = render.chart;
  const file = posix.join(folder, CHART_FILE);
  const oldest = await oldestWith(file, search, (text) => versionIn(text, file, search.options) === chartVersion);
  const [newest] = await search.history.changesOf(folder, { commit: search.from, most: 1 }, search.options);
  return oldest?.commit === newest?.commit ? undefined : oldest?.commit;
}

function versionIn(text: string | undefined, file: string, { limits }: HistoryOptions): Json | undefined {
  const read = text === undefined ? undefined : documentsOfText({ text }, file, limits);
  return read !== undefined && "documents" in read ? fieldsOf(read.documents[0])["version"] : undefined;
}

/** A side with the chart of another revision. */
async function withChartOf(snapshot: Snapshot, side: StampedSide): Promise<StampedSide | undefined> {
  const [closed] = await closuresIn(snapshot, [side.application], () => side.renderable.roots);
  if (closed === undefined) return undefined;
  const { closure } = closed;
  const key = `${side.key} ${closure.digest}`;
  return { ...side, closure, key, renderKey: key, snapshot };
}

/** The oldest of the latest commits that have a file in some state; undefined if the history may have an older one. */
async function oldestWith(
  path: string,
  { history, from, options }: Search,
  test: (text: string | undefined) => boolean,
): Promise<FileChange | undefined> {
  const commits = await history.changesOf(path, { commit: from, most: MOST_COMMITS }, options);
  const texts = await history.textsAt(
    commits.map(({ commit }) => ({ commit, path })),
    options,
  );
  const end = texts.findIndex((text) => !test(text));
  const oldest = commits[(end < 0 ? commits.length : end) - 1];
  // A shallow clone has only a part of the history.
  const mayBeOlder = end < 0 && (commits.length === MOST_COMMITS || (await history.isShallow(options)));
  return mayBeOlder ? undefined : oldest;
}

/** Whether a file suspends the object that defines an application. */
function isSuspendedIn(
  text: string | undefined,
  file: string,
  { foundBy, name, givenName = name }: Application,
  { limits }: HistoryOptions,
): boolean {
  if (text === undefined) return false;
  const kind = foundBy === "FluxKustomization" ? "Kustomization" : foundBy;
  const found = readFoundText(text, file, limits);
  if (found.is !== "manifests") return false;
  return found.manifests.items.some((item) => {
    if (item.kind !== kind || item.name !== givenName) return false;
    try {
      return gitOpsObject(item, file)?.spec["suspend"] === true;
    } catch (cause) {
      if (cause instanceof RollstampError) return false;
      throw cause;
    }
  });
}
