import { addTo, groupedBy, once } from "../../base/grouped.ts";
import { posix } from "node:path";
import { quietly } from "../../base/errors.ts";
import { CHART_FILE } from "../../base/hosts/helm.ts";
import type { Io } from "../../platform/ports/io.ts";
import type { FileChange, GitHistory, HistoryOptions } from "../../platform/ports/git.ts";
import type { Revisions, Snapshot } from "../../platform/ports/snapshot.ts";
import { fieldsOf } from "../../yaml/read/json.ts";
import type { Json } from "../../yaml/read/node.ts";
import { readFoundText } from "../../yaml/read/manifest-text.ts";
import { type Application, objectKindOf } from "../discover/application.ts";
import { documentsOfText } from "../discover/marked.ts";
import { gitOpsObject } from "../discover/objects.ts";
import { inBoth } from "../discover/same-applications.ts";
import { gitEnvironment } from "../inputs/revision-range.ts";
import { closuresIn } from "../render/affected.ts";
import type { AppPairs } from "./application-pairs.ts";
import type { AppPair } from "./pairs.ts";
import { changesInObject, isResumed } from "./deployment.ts";
import type { StampedSide } from "./stamped-sides.ts";

// While an application is suspended, or its chart changes without a new version, Flux keeps an older revision. When the
// application is resumed, or the version changes, Flux applies everything since that revision. So the plan compares with that
// revision instead of the base, if the history shows it.

/** How many commits of a file are searched. */
const MOST_COMMITS = 200;

/** How many other commits a plan reads. */
const MOST_READ = 5;

/** A pair whose base is older than the range, and the file whose history shows it. */
interface OlderBase {
  readonly pair: AppPair;
  readonly base: StampedSide;
  /** That of the object, or the Chart.yaml of its chart. */
  readonly file: string;
  readonly is: "resumed" | "newVersion";
  /** What was suspended: the application, or the one that applies its object. */
  readonly by: Application;
}

/** Calls a function with the pairs, each with the base that Flux applied last. */
export async function withAppliedBases<T>(
  io: Io,
  found: AppPairs,
  { base: { commit } }: Pick<Revisions, "base">,
  use: (found: AppPairs) => Promise<T>,
): Promise<T> {
  const byName = new Map(found.pairs.map((pair) => [pair.base?.application.name, pair]));
  const all = found.pairs.flatMap((pair) => olderBase(pair, byName.get(pair.base?.application.shownBy)) ?? []);
  if (all.length === 0) return use(found);
  const options = { cwd: io.files.here(), environment: gitEnvironment(io.environment), limits: io.context.limits };
  const search = { history: await io.git.history(), from: commit, options };
  const byCommit = new Map<string, OlderBase[]>();
  // One file may define all applications, or be the chart of all: its versions are read once.
  for (const [file, ofFile] of groupedBy(all, ({ file: path }) => path)) {
    const versions = await versionsOf(file, search);
    const newest = once(() => newestIn(posix.dirname(file), search));
    for (const older of ofFile) {
      const applied =
        older.is === "resumed" ? beforeSuspended(versions, older) : packed(versions, older, await newest());
      if (applied !== undefined) addTo(byCommit, applied, older);
    }
  }
  const replaced = new Map<AppPair, AppPair>();
  const next = async ([first, ...others]: readonly (readonly [string, readonly OlderBase[]])[]): Promise<T> => {
    if (first === undefined) return use({ ...found, pairs: found.pairs.map((pair) => replaced.get(pair) ?? pair) });
    const [applied, ofCommit] = first;
    const range = { base: applied, head: applied, sinceMergeBase: false };
    // Its files have to be there until the end.
    return io.snapshots.ofRevisions(range, options, async ({ base: snapshot }) => {
      for (const { pair, base, is } of ofCommit) {
        const side = is === "newVersion" ? await withChartOf(snapshot, base) : undefined;
        if (side !== undefined) replaced.set(pair, { ...pair, base: side, appliedCommit: applied });
      }
      const resumed = ofCommit.filter(({ is }) => is === "resumed");
      if (resumed.length === 0) return next(others);
      const sides = await found.sidesIn(snapshot);
      const isHere = (path: string): boolean => snapshot.entries.get(path)?.is === "folder";
      const wanted = resumed.map(({ base }) => base);
      const before = new Map(
        inBoth(sides, wanted, { base: isHere, head: isHere }).map(({ before: side, after }) => [after, side]),
      );
      for (const { pair, base, by } of resumed) {
        const side = before.get(base);
        // If only the application of its object was suspended, changes of its own files have been applied.
        const isHeldBack = by === base.application || side === undefined || changesInObject(side, base);
        if (isHeldBack && side?.application.held !== "Suspended")
          replaced.set(pair, { ...pair, base: side, appliedCommit: applied });
      }
      return next(others);
    });
  };
  return next([...byCommit].slice(0, MOST_READ));
}

/** Undefined if the range has the base, or if no file of the repository shows the older one. */
function olderBase(pair: AppPair, parent: AppPair | undefined): OlderBase | undefined {
  const { base, head } = pair;
  if (base === undefined) return undefined;
  const { render } = base.application;
  const by = [pair, parent].find((one) => isResumed(one?.base?.application, one?.head?.application))?.base?.application;
  if (by !== undefined) {
    const [file] = by.definedIn;
    return file === undefined ? undefined : { pair, base, file, is: "resumed", by };
  }
  if (!isNewVersion(base, head) || render.by !== "helm" || render.chart.in !== "repository") return undefined;
  return { pair, base, file: posix.join(render.chart.folder, CHART_FILE), is: "newVersion", by: base.application };
}

interface Search {
  readonly history: GitHistory;
  /** The base. */
  readonly from: string;
  readonly options: HistoryOptions;
}

async function newestIn(folder: string, { history, from, options }: Search): Promise<string | undefined> {
  const [newest] = await history.changesOf(folder, { commit: from, most: 1 }, options);
  return newest?.commit;
}

/** The commit before the one that suspended an application. */
function beforeSuspended(versions: Versions, { by }: OlderBase): string | undefined {
  return oldestWith(versions, ({ suspended }) => suspended().has(suspendedName(by)))?.parent;
}

/** The commit at which Flux packed a chart, if the chart has changed since. */
function packed(versions: Versions, { base }: OlderBase, newest: string | undefined): string | undefined {
  const oldest = oldestWith(versions, ({ chartVersion }) => chartVersion() === base.application.chartVersion);
  return oldest?.commit === newest ? undefined : oldest?.commit;
}

/** Whether a HelmRelease takes another version of a chart. */
function isNewVersion({ application: before }: StampedSide, head: StampedSide | undefined): boolean {
  const after = head?.application;
  if (before.chartVersion === undefined || after === undefined || after.held === "Suspended") return false;
  return before.chartVersion !== after.chartVersion;
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

/** A version of a file. It is parsed at most once for each purpose. */
interface Version {
  readonly change: FileChange;
  readonly suspended: () => ReadonlySet<string>;
  readonly chartVersion: () => Json | undefined;
}

interface Versions {
  /** Newest first. */
  readonly all: readonly Version[];
  /** There may be older ones. */
  readonly mayBeMore: boolean;
}

async function versionsOf(path: string, { history, from, options }: Search): Promise<Versions> {
  const changes = await history.changesOf(path, { commit: from, most: MOST_COMMITS }, options);
  const texts = await history.textsAt(
    changes.map(({ commit }) => ({ commit, path })),
    options,
  );
  const all = changes.map((change, i): Version => ({
    change,
    suspended: once(() => suspendedIn(texts[i], path, options)),
    chartVersion: once(() => versionIn(texts[i], path, options)),
  }));
  // A shallow clone has only a part of the history.
  return { all, mayBeMore: all.length === MOST_COMMITS || (await history.isShallow(options)) };
}

/** The oldest of the latest versions that pass a test; undefined if the history may have an older one. */
function oldestWith({ all, mayBeMore }: Versions, test: (version: Version) => boolean): FileChange | undefined {
  const end = all.findIndex((version) => !test(version));
  if (end < 0 && mayBeMore) return undefined;
  return all[(end < 0 ? all.length : end) - 1]?.change;
}

function suspendedName({ foundBy, name, givenName = name }: Application): string {
  return `${objectKindOf(foundBy)} ${givenName}`;
}

/** The kinds and names of the objects that a file suspends. */
function suspendedIn(text: string | undefined, file: string, { limits }: HistoryOptions): ReadonlySet<string> {
  const found = text === undefined ? undefined : readFoundText(text, file, limits);
  if (found?.is !== "manifests") return new Set();
  const suspended = found.manifests.items.filter(
    (item) => quietly(() => gitOpsObject(item, file))?.spec["suspend"] === true,
  );
  return new Set(suspended.map(({ kind, name }) => `${kind} ${name}`));
}
