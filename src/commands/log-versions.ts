import { posix } from "node:path";
import type { Found, Reading, Wanted } from "../reports/log/find-workload.ts";
import type { GitHistory, HistoryOptions, HistoryStep, RevisionPath } from "../platform/ports/git.ts";
import { isManifestName } from "../yaml/read/manifest-text.ts";

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
