import { join } from "node:path";
import { findApplications, type Applications } from "../applications/discover/find-applications.ts";
import type { Application } from "../applications/discover/application.ts";
import { isIn } from "../applications/discover/paths.ts";
import { readGivenValues } from "../applications/discover/read-given-values.ts";
import { surveyed, type Known, type Repository } from "../applications/discover/repository.ts";
import { RollstampError } from "../base/errors.ts";
import type { Io } from "../platform/ports/io.ts";
import type { DataLookup } from "../applications/render/data-objects.ts";
import { closedIn } from "../applications/render/affected.ts";
import { dataFilesIn, dataIn } from "../applications/render/find-data.ts";
import { closedSides, type ClosedSide, type ShownData } from "../applications/render/shown-data.ts";
import type { Renderable } from "../applications/render/step.ts";
import { treeRevision } from "../applications/render/tree-revision.ts";
import { fetchedCharts, type FetchedCharts } from "./fetched-charts.ts";
import { renderableOf } from "../applications/render/renderable.ts";
import { renderedText } from "./render-steps.ts";
import { shownApplications } from "./shown-applications.ts";
import { givenHmacKey } from "./unknown-values.ts";

/** A repository as it stands in its folder. */
export interface Worktree {
  /** A real path. */
  readonly root: string;
  readonly repository: Repository;
  /** The values that objects of it hold. */
  readonly data: DataLookup;
  /** Charts that are not in it: none is fetched. */
  readonly charts: FetchedCharts;
  /** What of it was asked for: paths from the root. */
  readonly asked: readonly string[];
}

/** What is known of a clone beside its files: its remotes, and what a file of values gives. */
export async function knownOf(io: Io, cwd: string, clusters: string | undefined): Promise<Known> {
  return { remotes: await io.git.remotes({ cwd, environment: io.environment }), ...givenIn(io, clusters) };
}

function givenIn({ readNamed, context: { limits } }: Io, clusters: string | undefined): Pick<Known, "given"> {
  return clusters === undefined ? {} : { given: readGivenValues(readNamed(clusters, limits), clusters, limits) };
}

/** What a person gives to look at a repository with. */
export interface LookingOptions {
  /** A file of what generators would ask for. */
  readonly clusters?: string | undefined;
  /** Whether helm may fetch charts. */
  readonly fetchCharts?: boolean | undefined;
}

/** Looks at the repository around some folders. Throws a RollstampError where they are none, or in several. */
export async function worktreeAround(
  io: Io,
  paths: readonly string[],
  { clusters, fetchCharts = false }: LookingOptions = {},
): Promise<Worktree> {
  const {
    files,
    context: { limits },
  } = io;
  const places = paths.map((path) => {
    const real = files.realPath(path);
    if (real === undefined || files.kindOf(path) !== "folder") {
      throw new RollstampError("usage", real === undefined ? "there is no such folder" : "this is no folder", {
        place: { file: path },
        remedy: "Give the root of a repository, or a folder in it.",
      });
    }
    return { path, real, root: files.repositoryOf(real) ?? real };
  });
  const [first] = places;
  if (first === undefined) throw new Error("a repository is around a folder");
  const { root } = first;
  const other = places.find((place) => place.root !== root);
  if (other !== undefined) {
    throw new RollstampError("usage", `${first.path} and ${other.path} are in two repositories`, {
      remedy: "Run the command once for each.",
    });
  }
  const isClone = files.kindOf(join(root, ".git")) !== undefined;
  const known = isClone ? await knownOf(io, root, clusters) : givenIn(io, clusters);
  const repository = surveyed(await files.tree(root, limits), known);
  return {
    root,
    repository,
    data: dataIn(repository),
    charts: fetchedCharts(io, io.environment, undefined, fetchCharts),
    asked: places.map(({ real }) => real.slice(root.length).replaceAll("\\", "/").replace(/^\//u, "") || "."),
  };
}

/** Its applications that are in what was asked for, or are told of there: the rest of it is looked at, and not told. */
export function applicationsOf(worktree: Worktree): Applications {
  return asked(worktree, findApplications(worktree.repository));
}

/** Applications with those that only renderings show, and how each is rendered: with values as renderings have them. */
interface ShownHere extends Applications {
  readonly renderableOf: (application: Application) => Renderable;
}

/** The same, with those that only renderings show. */
export async function shownApplicationsOf(io: Io, worktree: Worktree, jobs: number): Promise<ShownHere> {
  const { repository, data } = worktree;
  const hmacKey = givenHmacKey(io);
  const { revision, contents } = treeRevision(repository.tree);
  const closed = (applications: readonly Application[], shown: ShownData): Promise<readonly ClosedSide[]> =>
    closedSides(applications, { data, shown, hmacKey }, (all, rootsOf) => closedIn(revision, all, rootsOf, contents));
  const render = ({ renderable }: ClosedSide): Promise<string> => renderedHere(io, worktree, renderable);
  const { sides, ...found } = await shownApplications(
    io,
    { repository, closed, render, filesOf: dataFilesIn(repository) },
    { known: new Map(), jobs },
  );
  const known = new Map(sides.map((side) => [side.application, side.renderable]));
  return { ...asked(worktree, found), renderableOf: (one) => known.get(one) ?? renderableOf(one, data, hmacKey) };
}

/** What the files of a worktree render to. */
export async function renderedHere(
  io: Io,
  { root, repository, charts }: Worktree,
  renderable: Renderable,
): Promise<string> {
  if (renderable.is === "unable") throw new RollstampError("input", renderable.because);
  const committed = (files: readonly string[]): Promise<string> =>
    Promise.resolve(files.map((path) => textAt(repository, path)).join("\n---\n"));
  if (renderable.is === "files") return committed(renderable.files);
  const { text } = await renderedText(io, renderable.steps, { root, commit: "", committed }, charts);
  return text;
}

/** The text of a file of the worktree. Throws a RollstampError for one that can't be read. */
export function textAt({ tree }: Repository, path: string): string {
  const file = tree.read(path);
  if (file.is === "refused") throw file.error;
  return file.text;
}

function asked({ asked: folders }: Worktree, { applications, notFound }: Applications): Applications {
  const isAsked = (path: string): boolean => folders.some((folder) => isIn(folder, path));
  return {
    applications: applications.filter(({ path, definedIn }) => isAsked(path) || definedIn.some(isAsked)),
    notFound: notFound.filter(({ path }) => isAsked(path)),
  };
}
