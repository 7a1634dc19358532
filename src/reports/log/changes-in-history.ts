import { posix } from "node:path";
import type { ChangedFile, GitHistory, HistoryOptions, HistoryStep, RevisionPath } from "../../platform/ports/git.ts";
import { isManifestName } from "../../yaml/read/manifest-text.ts";
import {
  changeFinder,
  sourceFinder,
  unexplainedSources,
  type ChangeOf,
  type Change,
  type SideTexts,
} from "./changes.ts";
import type { Found, Reading, Wanted } from "./find-workload.ts";

/** Reads the history of a repository for one workload. */
export interface HistoryReader {
  readonly git: GitHistory;
  readonly options: HistoryOptions;
  readonly reading: Reading;
  readonly wanted: Wanted;
  readonly find: (text: string) => Found | undefined;
}

/** A version of a file: its blob if git has reported it. */
export type Version = string | RevisionPath;

/** A commit that changed the document of the workload. */
export interface Changed {
  readonly step: HistoryStep;
  /** The versions of its file before and after the commit; undefined if the workload is not in it. */
  readonly before: Version | undefined;
  readonly after: Version | undefined;
}

/** The commits of a file's history that changed the document of the workload. */
export interface ChangedSteps {
  readonly changed: readonly Changed[];
  /** The names of all sources that the workload ever refers to; undefined if any source may count. */
  readonly names: ReadonlySet<string> | undefined;
}

/** Identifies a version. Equal blobs are the same version. */
export function keyOf(version: Version): string {
  return typeof version === "string" ? version : `${version.commit}:${version.path}`;
}

/** The distinct paths that may be manifests. */
export function manifestPaths(paths: readonly (string | undefined)[]): string[] {
  return [...new Set(paths.flatMap((path) => (path !== undefined && isManifestName(path) ? [path] : [])))];
}

// A commit may touch all files of a repository. Only the nearest files are read.
const MOST_FILES = 200;

/** Sorts paths by the number of folders that they share with a file: sources are usually near their workload. */
export function nearestFirst(paths: readonly string[], file: string): string[] {
  const folders = posix.dirname(file).split("/");
  const shared = (path: string): number => {
    const parents = posix.dirname(path).split("/");
    let same = 0;
    while (same < parents.length && parents[same] === folders[same]) same += 1;
    return path === file ? folders.length + 1 : same;
  };
  return paths
    .map((path) => ({ path, shared: shared(path) }))
    .sort((a, b) => b.shared - a.shared || (a.path < b.path ? -1 : 1))
    .slice(0, MOST_FILES)
    .map(({ path }) => path);
}

/** The commits to explain, newest first. */
export interface Explained extends Pick<ChangedSteps, "names"> {
  readonly steps: readonly Changed[];
  readonly files: ReadonlyMap<string, readonly ChangedFile[]>;
  /** The commit that precedes the last of them. */
  readonly older: Changed | undefined;
}

export interface ExplainedStep {
  readonly step: HistoryStep;
  readonly change: Change;
}

/** The effect of commits on a workload. Commits without an effect on its pods are left out. */
export async function effectsIn(
  reader: HistoryReader,
  { steps, names, files, older }: Explained,
  searches: { left: number },
  secrets: Set<string>,
): Promise<readonly ExplainedStep[]> {
  const changeOf = changeFinder(reader.wanted, reader.reading, secrets);
  const found: (ExplainedStep & { readonly search: Omit<Search, "since"> | undefined })[] = [];
  const use = ({ step }: Changed, before: SideTexts, after: SideTexts): void => {
    const change = changeOf(before, after);
    if (change === undefined) return;
    const missing = searches.left === 0 ? [] : unexplainedSources(change);
    if (missing.length > 0) searches.left -= 1;
    const search =
      missing.length === 0 ? undefined : { names: missing, before: before.workload, after: after.workload };
    found.push({ step, change, search });
  };
  await eachSides(reader, steps, names, files, use);
  const explained: ExplainedStep[] = [];
  for (const [i, { step, change, search }] of found.entries()) {
    // A change of the document that does not affect the template is not a rollout: a waiting workload has the stamps of
    // an earlier commit.
    const since = (found[i + 1] ?? older)?.step.commit ?? step.parents[0];
    const better = search === undefined ? undefined : await searched(reader, changeOf, step, { ...search, since });
    explained.push({ step, change: better ?? change });
  }
  return explained;
}

/** The versions to read for a commit: the file of the workload, and files that may contain its sources. */
interface Needed {
  readonly changed: Changed;
  readonly before: readonly Version[];
  readonly after: readonly Version[];
}

/** The parts of a file that are kept. */
interface Kept {
  readonly workload: Found | undefined;
  readonly sources: readonly string[];
}

const NOTHING: Kept = { workload: undefined, sources: [] };

/**
 * Passes each commit with both of its sides to `use`. git is started once, and each file is kept only as long as a
 * commit needs it.
 */
async function eachSides(
  { git, options, find }: HistoryReader,
  steps: readonly Changed[],
  names: ReadonlySet<string> | undefined,
  files: ReadonlyMap<string, readonly ChangedFile[]>,
  use: (changed: Changed, before: SideTexts, after: SideTexts) => void,
): Promise<void> {
  const needed = steps.map((changed) => neededBy(changed, files.get(changed.step.commit) ?? []));
  const asked = new Map<string, Version>();
  // For each version the last commit that needs it, and for each commit the number of versions up to its own.
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
  const keptFor = (version: Version | undefined): Kept =>
    (version === undefined ? undefined : kept.get(keyOf(version))) ?? NOTHING;
  const side = (own: Version | undefined, others: readonly Version[]): SideTexts => ({
    workload: keptFor(own).workload,
    sources: others.flatMap((version) => keptFor(version).sources),
  });
  const keys = [...asked.keys()];
  let next = 0;
  const useRead = (read: number): void => {
    for (let entry = needed[next]; entry !== undefined && (readBy[next] ?? 0) <= read; entry = needed[next]) {
      const { changed, before, after } = entry;
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
  const file = step.path ?? step.before ?? "";
  const side = (paths: readonly (readonly [path: string | undefined, blob: string | undefined])[]): Version[] => {
    const blobs = new Map(paths);
    return nearestFirst(manifestPaths([...blobs.keys()]), file).flatMap((path) => blobs.get(path) ?? []);
  };
  return {
    changed,
    before: side(files.map(({ before, blobBefore }) => [before, blobBefore])),
    after: side(files.map(({ path, blob }) => [path, blob])),
  };
}

/** A source that changed before its stamp did: it is compared with its state at the last rollout. */
interface Search {
  readonly names: readonly string[];
  readonly before: Found | undefined;
  readonly after: Found | undefined;
  /** The commit of the last rollout. */
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
