import { posix } from "node:path";
import type { Application } from "../applications/discover/application.ts";
import type { NotFound } from "../applications/discover/not-found.ts";
import { inPathOrder, isIn } from "../applications/discover/paths.ts";
import { surveyed, type Known } from "../applications/discover/repository.ts";
import { inBoth, type Folders, type InBoth } from "../applications/discover/same-applications.ts";
import { revisionsMoved } from "../applications/discover/source-revisions.ts";
import { isResumed } from "../applications/discover/suspended.ts";
import { freeName } from "../applications/discover/unique-names.ts";
import { RollstampError } from "../base/errors.ts";
import { matchesGlob } from "../base/glob.ts";
import { comparing, DEFAULT_LIMITS } from "../base/limits.ts";
import type { Io } from "../platform/ports/io.ts";
import type { Revision, Revisions } from "../platform/ports/revisions.ts";
import { closedIn } from "../applications/render/affected.ts";
import { foretold as foretoldIn } from "../applications/render/foretold.ts";
import { dataFilesIn, dataIn } from "../applications/render/find-data.ts";
import { closedSides, NOTHING_SHOWN, type ClosedSide, type ShownData } from "../applications/render/shown-data.ts";
import { shownApplications, type Foretelling, type ShownApplications, type ShownByKey } from "./shown-applications.ts";
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
  /**
   * All of them once more, as they are where whatever may show one is rendered: of those that aren't affected an object may
   * say more than its file.
   */
  readonly whole: () => Promise<readonly AppPair[]>;
  /** What no application could be made of, in each revision. */
  readonly notFound: { readonly base: readonly NotFound[]; readonly head: readonly NotFound[] };
  /** True where such a name is meant. */
  readonly isMeant: (name: string) => boolean;
  /** True where a file or a folder isn't the same in both. */
  readonly isTouched: (path: string) => boolean;
}

/** How applications are found that only renderings show. */
interface ShowingOptions {
  readonly jobs: number;
  readonly render: (side: AppSide, revision: Revision) => Promise<string>;
  readonly known: ShownByKey;
  /** What is known of the repository beside its files. */
  readonly beside: Known;
  /** Whether all is rendered that may show one. */
  readonly isWhole: boolean;
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
  const isUnknown = ({ before, after }: Both): boolean =>
    mayFetch && (before?.closure.isRemote === true || after?.closure.isRemote === true);
  const isAffected = (both: Both): boolean =>
    isUnknown(both) ||
    both.before?.key !== both.after?.key ||
    isResumed(both.before?.application, both.after?.application) ||
    revisionsMoved(both.before?.application, both.after?.application) !== undefined;
  const folders = foldersOf(revisions);
  const looks = {
    base: await lookAt(io, revisions.base, revisions, showing),
    head: await lookAt(io, revisions.head, revisions, showing),
  };
  const found = async (foretelling: Foretelling | undefined): Promise<Found> => {
    for (;;) {
      const base = await looks.base.found(foretelling);
      const head = await looks.head.found(foretelling);
      if (foretelling === undefined || !rendersMore(base, head, { foretelling, isAffected, folders }))
        return { base, head };
    }
  };
  const isMeant = meant(picked);
  const paired = async ({ base, head }: Found): Promise<AppPair[]> => {
    const all = withNames(inBoth(base.sides, head.sides, folders));
    const pairs: AppPair[] = [];
    for (const { name, before, after } of all) {
      if (!isMeant.byName(name, before?.application, after?.application)) continue;
      const both = await partsOf({ before, after }, looks, isMeant.inPaths);
      const application = (both.after ?? both.before)?.application;
      if (application === undefined) continue;
      const named = application.name === name ? application : { ...application, name };
      pairs.push({ application: named, base: both.before, head: both.after, isAffected: isAffected(both) });
    }
    return inPathOrder(pairs, ({ application }) => application.path);
  };
  const here = await found(showing.isWhole ? undefined : { rendered: new Set(), known: new Map() });
  const pairs = await paired(here);
  if (picked.names.length > 0 && pairs.length === 0) {
    throw new RollstampError("usage", `no application has a name like ${picked.names.join(", ")}`, {
      remedy: "Without --app the report lists all of them.",
    });
  }
  const isInPaths = ({ path }: NotFound): boolean => picked.paths.some((folder) => isIn(folder, path));
  const isExact = here.base.foretold.size + here.head.foretold.size === 0;
  return {
    pairs,
    whole: async () => (isExact ? pairs : paired(await found(undefined))),
    notFound: { base: here.base.notFound.filter(isInPaths), head: here.head.notFound.filter(isInPaths) },
    isMeant: isMeant.byName,
    isTouched: (path) => {
      const { base, head } = revisions;
      return path === "." ? base.commit !== head.commit : base.entries.get(path)?.id !== head.entries.get(path)?.id;
    },
  };
}

/** What is found in both revisions. */
interface Found {
  readonly base: ShownApplications;
  readonly head: ShownApplications;
}

/** One application in both. */
type Both = InBoth<AppSide>;

/** Each with a name that no other one of both revisions has. */
function withNames(all: readonly Both[]): readonly (Both & { readonly name: string })[] {
  const taken = new Set(all.flatMap(({ after }) => after?.application.name ?? []));
  return all.map(({ before, after }) => {
    if (after !== undefined || before === undefined) return { before, after, name: after?.application.name ?? "" };
    const name = freeName(before.application, (one) => taken.has(one));
    taken.add(name);
    return { before, after, name };
  });
}

function foldersOf({ base, head }: Pick<Revisions, "base" | "head">): Folders {
  const isFolder =
    ({ entries }: Revision) =>
    (path: string) =>
      path === "." || entries.get(path)?.is === "folder";
  return { base: isFolder(base), head: isFolder(head) };
}

interface Telling {
  readonly foretelling: Foretelling;
  readonly isAffected: (both: Both) => boolean;
  readonly folders: Folders;
}

/** Of what is affected it has to be known what exactly it is, and what exactly it shows. True where that is more. */
function rendersMore(
  base: ShownApplications,
  head: ShownApplications,
  { foretelling: { rendered }, isAffected, folders }: Telling,
): boolean {
  const before = rendered.size;
  for (const both of inBoth(base.sides, head.sides, folders)) {
    if (!isAffected(both)) continue;
    for (const [side, { foretold }] of [
      [both.before, base],
      [both.after, head],
    ] as const) {
      if (side === undefined) continue;
      for (const name of [side.application.name, side.application.shownBy ?? ""]) {
        const key = foretold.get(name);
        if (key !== undefined) rendered.add(key);
      }
    }
  }
  return rendered.size > before;
}

/** One revision, to be looked at again. */
interface Look {
  readonly found: (foretelling: Foretelling | undefined) => Promise<ShownApplications>;
  readonly closed: (applications: readonly Application[], shown: ShownData) => Promise<readonly AppSide[]>;
}

async function lookAt(
  io: Io,
  revision: Revision,
  revisions: Revisions,
  { jobs, render, known, beside }: ShowingOptions,
): Promise<Look> {
  const tree = await io.git.revisionTree(revision, revisions);
  const repository = surveyed(tree, beside);
  const data = dataIn(repository);
  const hmacKey = givenHmacKey(io);
  const closed = (applications: readonly Application[], shown: ShownData): Promise<readonly AppSide[]> =>
    closedSides(applications, { data, shown, hmacKey }, (all, rootsOf) => closedIn(revision, all, rootsOf, revisions));
  const isFile = (path: string): boolean => revision.entries.get(path)?.is === "file";
  const side = {
    repository,
    closed,
    render: (one: AppSide) => render(one, revision),
    filesOf: dataFilesIn(repository),
    foretold: (one: Application) => foretoldIn(one, { repository, isFile }),
  };
  return { closed, found: (foretelling) => shownApplications(io, side, { known, jobs, foretelling }) };
}

/** What of an application is meant: of plain manifests that part, of any other one all, where one of its revisions is. */
async function partsOf(
  { before, after }: Both,
  looks: Readonly<Record<"base" | "head", Pick<Look, "closed">>>,
  inPaths: Meant["inPaths"],
): Promise<Both> {
  const part = async (one: AppSide | undefined, side: "base" | "head"): Promise<AppSide | undefined> => {
    const wanted = one === undefined ? undefined : inPaths(one.application);
    if (wanted === undefined || wanted === one?.application) return wanted && one;
    const [closed] = await looks[side].closed([wanted], NOTHING_SHOWN);
    return closed;
  };
  const parts = { before: await part(before, "base"), after: await part(after, "head") };
  if (parts.before === undefined && parts.after === undefined) return parts;
  const whole = (one: AppSide | undefined): AppSide | undefined =>
    one === undefined || isOfFiles(one.application) ? undefined : one;
  return { before: parts.before ?? whole(before), after: parts.after ?? whole(after) };
}

interface Meant {
  /** True where one of these names is meant. */
  readonly byName: (name: string, ...applications: readonly (Application | undefined)[]) => boolean;
  /** The application if it is in the paths; of plain manifests those that are. */
  readonly inPaths: (application: Application) => Application | undefined;
}

function meant({ paths, names }: Picked): Meant {
  const spend = comparing("names of applications with patterns");
  const isIncluded = (path: string): boolean => paths.some((folder) => isIn(folder, path));
  const isNamed = (name: string): boolean =>
    names.length === 0 || names.some((glob) => matchesGlob(glob, name, (steps) => spend(steps, DEFAULT_LIMITS)));
  return {
    byName: (name, ...applications) =>
      isNamed(name) || applications.some((one) => one !== undefined && isNamed(one.name)),
    inPaths: (application) => {
      const { path, definedIn, render } = application;
      if (!isOfFiles(application) || !("files" in render))
        return isIncluded(path) || definedIn.some(isIncluded) ? application : undefined;
      const files = render.files.filter(isIncluded);
      if (files.length === render.files.length) return files.length === 0 ? undefined : application;
      return files.length === 0 ? undefined : { ...application, render: { ...render, files } };
    },
  };
}

function isOfFiles({ render: { by } }: Application): boolean {
  return by === "files" || by === "kpt";
}

/** The application if it is meant; of plain manifests those that are. */
export function pickedBy(picked: Picked): (application: Application) => Application | undefined {
  const { byName, inPaths } = meant(picked);
  return (application) => (byName(application.name) ? inPaths(application) : undefined);
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
