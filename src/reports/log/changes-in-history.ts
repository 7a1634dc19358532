import { posix } from "node:path";
import type { ChangedFile, GitHistory, HistoryOptions, HistoryStep, RevisionPath } from "../../platform/ports/git.ts";
import { isManifestName } from "../../yaml/read/manifest-text.ts";
import {
  changeTeller,
  sourceFinder,
  unexplainedSources,
  type Change,
  type ChangeOf,
  type SideTexts,
} from "./changes.ts";
import type { Found, Reading, Wanted } from "./find-workload.ts";

/** What reads the history of one repository. */
export interface HistoryReader {
  readonly git: GitHistory;
  readonly options: HistoryOptions;
  readonly reading: Reading;
  readonly wanted: Wanted;
  readonly find: (text: string) => Found | undefined;
}

/** A version of a file: its blob, where git has told it. */
export type Version = string | RevisionPath;

/** A commit that changed the document of the workload. */
export interface Changed {
  readonly step: HistoryStep;
  /** Where the workload is on either side; undefined where it isn't. */
  readonly before: Version | undefined;
  readonly after: Version | undefined;
}

/** The commits of a file's history that changed the document of the workload, and what that ever names. */
export interface ChangedSteps {
  readonly changed: readonly Changed[];
  /** Names of sources; undefined where any may count. */
  readonly names: ReadonlySet<string> | undefined;
}

/** What tells versions apart: those of one blob are one. */
export function keyOf(version: Version): string {
  return typeof version === "string" ? version : `${version.commit}:${version.path}`;
}

/** The paths that may be manifests, each once. */
export function manifestPaths(paths: readonly (string | undefined)[]): string[] {
  return [...new Set(paths.flatMap((path) => (path !== undefined && isManifestName(path) ? [path] : [])))];
}

// A commit that touches all files of a repository is no cause by itself: its nearest files are looked at.
const MOST_FILES = 200;

/** Paths by how much of their folders they share with a file: a source stands beside its workload. */
export function nearestFirst(paths: readonly string[], file: string): string[] {
  const folders = posix.dirname(file).split("/");
  const shared = (path: string): number => {
    const own = posix.dirname(path).split("/");
    let same = 0;
    while (same < own.length && own[same] === folders[same]) same += 1;
    return path === file ? folders.length + 1 : same;
  };
  return paths
    .map((path) => ({ path, shared: shared(path) }))
    .sort((a, b) => b.shared - a.shared || (a.path < b.path ? -1 : 1))
    .slice(0, MOST_FILES)
    .map(({ path }) => path);
}

/** The commits to explain, the newest first. */
export interface Explained extends Pick<ChangedSteps, "names"> {
  readonly steps: readonly Changed[];
  /** What each commit changed. */
  readonly files: ReadonlyMap<string, readonly ChangedFile[]>;
  /** The commit behind the last of them. */
  readonly older: Changed | undefined;
}

export interface ExplainedStep {
  readonly step: HistoryStep;
  readonly change: Change;
}

/** What commits did to a workload; those that did nothing to its pods are left out. */
export async function changesIn(
  reader: HistoryReader,
  { steps, names, files, older }: Explained,
  searches: { left: number },
): Promise<readonly ExplainedStep[]> {
  const changeOf = changeTeller(reader.wanted, reader.reading);
  const told: (ExplainedStep & { readonly search: Omit<Search, "since"> | undefined })[] = [];
  const use = ({ step }: Changed, before: SideTexts, after: SideTexts): void => {
    const change = changeOf(before, after);
    if (change === undefined) return;
    const missing = searches.left === 0 ? [] : unexplainedSources(change);
    if (missing.length > 0) searches.left -= 1;
    const search =
      missing.length === 0 ? undefined : { names: missing, before: before.workload, after: after.workload };
    told.push({ step, change, search });
  };
  await eachSides(reader, steps, names, files, use);
  const explained: ExplainedStep[] = [];
  for (const [i, { step, change, search }] of told.entries()) {
    // What changed the document alone is no roll: a workload that waits for its stamps has them as of the one before.
    const since = (told[i + 1] ?? older)?.step.commit ?? step.parents[0];
    const better = search === undefined ? undefined : await searched(reader, changeOf, step, { ...search, since });
    explained.push({ step, change: better ?? change });
  }
  return explained;
}

/** What is needed of either side: of the file of the workload, and of those that may hold its sources. */
interface Needed {
  readonly changed: Changed;
  readonly before: readonly Version[];
  readonly after: readonly Version[];
}

/** What is kept of a text. */
interface Kept {
  readonly workload: Found | undefined;
  readonly sources: readonly string[];
}

const NOTHING: Kept = { workload: undefined, sources: [] };

/** Gives each commit with its sides to `use`. git is started once, and a text is held as long as a commit needs it. */
async function eachSides(
  { git, options, find }: HistoryReader,
  steps: readonly Changed[],
  names: ReadonlySet<string> | undefined,
  files: ReadonlyMap<string, readonly ChangedFile[]>,
  use: (changed: Changed, before: SideTexts, after: SideTexts) => void,
): Promise<void> {
  const needed = steps.map((changed) => neededBy(changed, files.get(changed.step.commit) ?? []));
  const asked = new Map<string, Version>();
  // The last commit that needs a version, and how many versions there are up to those of a commit.
  const lastUse = new Map<string, number>();
  const readBy = needed.map(({ changed, before, after }, i) => {
    for (const version of [changed.before ?? [], changed.after ?? [], ...before, ...after].flat()) {
      asked.set(keyOf(version), version);
      lastUse.set(keyOf(version), i);
    }
    return asked.size;
  });
  const sourcesIn = sourceFinder(names);
  const kept = new Map<string, Kept>();
  const at = (version: Version | undefined): Kept =>
    (version === undefined ? undefined : kept.get(keyOf(version))) ?? NOTHING;
  const side = (own: Version | undefined, others: readonly Version[]): SideTexts => ({
    workload: at(own).workload,
    sources: others.flatMap((version) => at(version).sources),
  });
  const keys = [...asked.keys()];
  let next = 0;
  const useRead = (read: number): void => {
    for (let one = needed[next]; one !== undefined && (readBy[next] ?? 0) <= read; one = needed[next]) {
      const { changed, before, after } = one;
      use(changed, side(changed.before, before), side(changed.after, after));
      for (const version of [changed.before ?? [], changed.after ?? [], ...before, ...after].flat())
        if (lastUse.get(keyOf(version)) === next) kept.delete(keyOf(version));
      next += 1;
    }
  };
  await git.eachText(
    [...asked.values()],
    (text, i) => {
      kept.set(keys[i] ?? "", text === undefined ? NOTHING : { workload: find(text), sources: sourcesIn(text) });
      useRead(i + 1);
    },
    options,
  );
}

function neededBy(changed: Changed, files: readonly ChangedFile[]): Needed {
  const { step } = changed;
  const own = step.path ?? step.before ?? "";
  const side = (paths: readonly (readonly [path: string | undefined, blob: string | undefined])[]): Version[] => {
    const blobs = new Map(paths);
    return nearestFirst(manifestPaths([...blobs.keys()]), own).flatMap((path) => blobs.get(path) ?? []);
  };
  return {
    changed,
    before: side(files.map(({ before, blobBefore }) => [before, blobBefore])),
    after: side(files.map(({ path, blob }) => [path, blob])),
  };
}

/** A source that had changed before its stamp did: it is compared with what it was at the last roll. */
interface Search {
  readonly names: readonly string[];
  readonly before: Found | undefined;
  readonly after: Found | undefined;
  /** The commit of the last roll. */
  readonly since: string | undefined;
}

async function searched(
  { git, options }: HistoryReader,
  changeOf: ChangeOf,
  { commit, path, before }: HistoryStep,
  search: Search,
): Promise<Change | undefined> {
  const sourcesIn = sourceFinder(new Set(search.names));
  const sourcesAt = async (at: string | undefined): Promise<string[]> => {
    if (at === undefined) return [];
    const found = await Promise.all(search.names.map((name) => git.filesWith(name, { commit: at, path: "" }, options)));
    const paths = nearestFirst(manifestPaths(found.flat()), path ?? before ?? "");
    const versions = paths.map((each): RevisionPath => ({ commit: at, path: each }));
    return (await git.textsAt(versions, options)).flatMap((text) => (text === undefined ? [] : sourcesIn(text)));
  };
  const again = changeOf(
    { workload: search.before, sources: await sourcesAt(search.since) },
    { workload: search.after, sources: await sourcesAt(commit) },
  );
  return again === undefined || unexplainedSources(again).length > search.names.length ? undefined : again;
}
