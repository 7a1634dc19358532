import { posix } from "node:path";
import type { Application } from "../applications/application.ts";
import type { NotFound } from "../applications/not-found.ts";
import { inPathOrder, isIn } from "../applications/paths.ts";
import { surveyed, type Known } from "../applications/repository.ts";
import { RollstampError } from "../ground/errors.ts";
import { matchesGlob } from "../ground/patterns.ts";
import { comparing, DEFAULT_LIMITS } from "../ground/limits.ts";
import type { Io } from "../io/io.ts";
import type { Revision, Revisions } from "../io/revisions.ts";
import { closedIn } from "../rendering/affected.ts";
import { dataIn } from "../rendering/find-data.ts";
import { closedSides, NOTHING_SHOWN, type ClosedSide, type ShownData } from "../rendering/shown-data.ts";
import { shownApplications, type ShownByKey } from "./shown-applications.ts";
import { givenHmacKey } from "./unknown-values.ts";

/** Which applications are meant. */
export interface Picked {
  /** Paths from the root of the repository. */
  readonly paths: readonly string[];
  /** Patterns of names; all where there is none. */
  readonly names: readonly string[];
}

/** An application of one revision, with what it is made from. */
export type AppSide = ClosedSide;

/** An application of two revisions: at least one of them has it. */
export interface AppPair {
  readonly application: Application;
  readonly base: AppSide | undefined;
  readonly head: AppSide | undefined;
  /** What it is rendered from differs, or can't be known. */
  readonly isAffected: boolean;
}

export interface AppPairs {
  readonly pairs: readonly AppPair[];
  /** What no application could be made of, in each revision. */
  readonly notFound: { readonly base: readonly NotFound[]; readonly head: readonly NotFound[] };
}

/** How applications are found that only renderings show. */
interface ShowingOptions {
  readonly jobs: number;
  readonly render: (side: AppSide, revision: Revision) => Promise<string>;
  readonly known: ShownByKey;
  /** What is known of the repository beside its files. */
  readonly beside: Known;
}

interface Pairing extends ShowingOptions {
  /** What is fetched may be other than it was. */
  readonly mayFetch: boolean;
}

/** The applications of two revisions, each with its own of the other. */
export async function applicationPairs(
  io: Io,
  revisions: Revisions,
  picked: Picked,
  { mayFetch, ...showing }: Pairing,
): Promise<AppPairs> {
  const base = await sideOf(io, revisions.base, revisions, picked, showing);
  const head = await sideOf(io, revisions.head, revisions, picked, showing);
  if (picked.names.length > 0 && base.found.size + head.found.size === 0) {
    throw new RollstampError("usage", `no application has a name like ${picked.names.join(", ")}`, {
      remedy: "Without --app the report lists all of them.",
    });
  }
  const keys = new Set([...head.found.keys(), ...base.found.keys()]);
  const pairs = [...keys].flatMap((key): AppPair[] => {
    const [before, after] = [base.found.get(key), head.found.get(key)];
    const application = (after ?? before)?.application;
    if (application === undefined) return [];
    const isUnknown = mayFetch && (before?.closure.isRemote === true || after?.closure.isRemote === true);
    return [{ application, base: before, head: after, isAffected: isUnknown || before?.key !== after?.key }];
  });
  return {
    pairs: inPathOrder(pairs, ({ application }) => application.path),
    notFound: { base: base.notFound, head: head.notFound },
  };
}

interface FoundSide {
  /** By what an application is the same in another revision. */
  readonly found: ReadonlyMap<string, AppSide>;
  readonly notFound: readonly NotFound[];
}

async function sideOf(
  io: Io,
  revision: Revision,
  revisions: Revisions,
  picked: Picked,
  { jobs, render, known, beside }: ShowingOptions,
): Promise<FoundSide> {
  const tree = await io.git.revisionTree(revision, revisions);
  const repository = surveyed(tree, beside);
  const data = dataIn(repository);
  const hmacKey = givenHmacKey(io);
  const closed = (applications: readonly Application[], shown: ShownData): Promise<readonly AppSide[]> =>
    closedSides(applications, { data, shown, hmacKey }, (all, rootsOf) => closedIn(revision, all, rootsOf, revisions));
  const side = { repository, closed, render: (one: AppSide) => render(one, revision) };
  const { sides, notFound } = await shownApplications(io, side, { known, jobs });
  const isPicked = pickedBy(picked);
  const wanted: AppSide[] = [];
  for (const one of sides) {
    const application = isPicked(one.application);
    if (application === one.application) wanted.push(one);
    else if (application !== undefined) wanted.push(...(await closed([application], NOTHING_SHOWN)));
  }
  return {
    found: new Map(wanted.map((one) => [sameKey(one.application), one])),
    notFound: notFound.filter(({ path }) => picked.paths.some((folder) => isIn(folder, path))),
  };
}

/** By its name if somebody gave it that, else by its path; manifests may stand beside a kustomization. */
function sameKey({ isNamed, name, path, kind }: Application): string {
  if (isNamed) return `name ${name}`;
  return `${kind === "Files" || kind === "Kpt" ? "files" : "rendered"} ${path}`;
}

/** The application if it is meant; of plain manifests those that are. */
export function pickedBy({ paths, names }: Picked): (application: Application) => Application | undefined {
  const spend = comparing("names of applications with patterns");
  const isIncluded = (path: string): boolean => paths.some((folder) => isIn(folder, path));
  return (application) => {
    const { name, path, definedIn, render } = application;
    const isNamed =
      names.length === 0 || names.some((glob) => matchesGlob(glob, name, (steps) => spend(steps, DEFAULT_LIMITS)));
    if (!isNamed) return undefined;
    if (render.by !== "files" && render.by !== "kpt")
      return isIncluded(path) || definedIn.some(isIncluded) ? application : undefined;
    const files = render.files.filter(isIncluded);
    return files.length === 0 ? undefined : { ...application, render: { ...render, files } };
  };
}

/** A path that is given on the command line, from the root of the repository. Throws for one outside. */
export function givenPath(prefix: string, path: string): string {
  const from = posix.normalize(posix.join(prefix, path)).replace(/\/+$/u, "");
  if (posix.isAbsolute(path) || from === ".." || from.startsWith("../")) {
    throw new RollstampError("usage", `${path} is outside of the repository`, {
      remedy: "Give folders of the repository, as they are from the current one.",
    });
  }
  return from === "" ? "." : from;
}
