import { RollstampError } from "../../base/errors.ts";
import type { Io } from "../../platform/ports/io.ts";
import type { HistoryOptions } from "../../platform/ports/git.ts";
import type { Revisions } from "../../platform/ports/snapshot.ts";
import { readFoundText } from "../../yaml/read/manifest-text.ts";
import type { Application } from "../discover/application.ts";
import { gitOpsObject } from "../discover/objects.ts";
import { inBoth } from "../discover/same-applications.ts";
import { gitEnvironment } from "../inputs/revision-range.ts";
import type { AppPair, AppPairs } from "./application-pairs.ts";
import { isResumed } from "./deployment.ts";

// When an application is resumed, Flux applies everything since it was suspended. Its base is the commit before that one,
// if the history of the file that suspended it shows this.

/** How many commits of a file are searched. */
const MOST_COMMITS = 200;

/** How many other commits a plan reads. */
const MOST_READ = 5;

/** Passes the pairs on, with the base that Flux applied before each resumed application was suspended. */
export async function withAppliedBases<T>(
  io: Io,
  found: AppPairs,
  { base: { commit } }: Pick<Revisions, "base">,
  use: (found: AppPairs) => Promise<T>,
): Promise<T> {
  const resumed = found.pairs.filter(({ base, head }) => isResumed(base?.application, head?.application));
  if (resumed.length === 0) return use(found);
  const options = { cwd: io.files.here(), environment: gitEnvironment(io.environment), limits: io.context.limits };
  const byCommit = new Map<string, AppPair[]>();
  for (const pair of resumed) {
    const applied = await appliedBefore(io, pair, commit, options);
    if (applied !== undefined) byCommit.set(applied, [...(byCommit.get(applied) ?? []), pair]);
  }
  const replaced = new Map<AppPair, AppPair>();
  const next = async ([first, ...others]: readonly (readonly [string, readonly AppPair[]])[]): Promise<T> => {
    if (first === undefined) return use({ ...found, pairs: found.pairs.map((pair) => replaced.get(pair) ?? pair) });
    const [applied, pairs] = first;
    const range = { base: applied, head: applied, sinceMergeBase: false };
    // Its files have to be there until the end.
    return io.snapshots.ofRevisions(range, options, async ({ base: snapshot }) => {
      const sides = await found.sidesIn(snapshot);
      const isHere = (path: string): boolean => snapshot.entries.get(path)?.is === "folder";
      const wanted = pairs.flatMap(({ base }) => base ?? []);
      const before = new Map(
        inBoth(sides, wanted, { base: isHere, head: isHere }).map(({ before: side, after }) => [after, side]),
      );
      for (const pair of pairs) {
        const side = before.get(pair.base);
        if (side?.application.held !== "Suspended") replaced.set(pair, { ...pair, base: side, appliedCommit: applied });
      }
      return next(others);
    });
  };
  return next([...byCommit].slice(0, MOST_READ));
}

/** The commit before the one that suspended an application; undefined if the history does not show it. */
async function appliedBefore(
  io: Io,
  { base }: AppPair,
  from: string,
  options: HistoryOptions,
): Promise<string | undefined> {
  const [file] = base?.application.definedIn ?? [];
  if (base === undefined || file === undefined) return undefined;
  const history = await io.git.history();
  const commits = await history.changesOf(file, { commit: from, most: MOST_COMMITS }, options);
  const texts = await history.textsAt(
    commits.map(({ commit }) => ({ commit, path: file })),
    options,
  );
  const resumedAt = texts.findIndex((text) => !isSuspendedIn(text, file, base.application, options));
  const suspended = commits[(resumedAt < 0 ? commits.length : resumedAt) - 1];
  if (suspended?.parent === undefined) return undefined;
  // The file may be older than what a shallow clone has.
  const isEnd = resumedAt < 0;
  return isEnd && (commits.length === MOST_COMMITS || (await history.isShallow(options)))
    ? undefined
    : suspended.parent;
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
