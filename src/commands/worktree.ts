import { join } from "node:path";
import { findApplications, type Applications } from "../applications/find-applications.ts";
import { isIn } from "../applications/paths.ts";
import { readGivenValues } from "../applications/read-given-values.ts";
import { surveyed, type Repository } from "../applications/repository.ts";
import { RollstampError } from "../ground/errors.ts";
import type { Io } from "../io/io.ts";
import type { DataLookup } from "../rendering/data-objects.ts";
import { dataIn } from "../rendering/find-data.ts";

/** A repository as it stands in its folder. */
export interface Worktree {
  /** A real path. */
  readonly root: string;
  readonly repository: Repository;
  /** The values that objects of it hold. */
  readonly data: DataLookup;
  /** What of it was asked for: paths from the root. */
  readonly asked: readonly string[];
}

/** Looks at the repository around some folders. Throws a RollstampError where they are none, or in several. */
export async function worktreeAround(
  io: Io,
  paths: readonly string[],
  clusters: string | undefined = undefined,
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
  const given =
    clusters === undefined ? {} : { given: readGivenValues(io.readNamed(clusters, limits), clusters, limits) };
  const isClone = files.kindOf(join(root, ".git")) !== undefined;
  const remotes = isClone ? await io.git.remotes({ cwd: root, environment: io.environment }) : [];
  const repository = surveyed(await files.tree(root, limits), { remotes, ...given });
  return {
    root,
    repository,
    data: dataIn(repository),
    asked: places.map(({ real }) => real.slice(root.length).replaceAll("\\", "/").replace(/^\//u, "") || "."),
  };
}

/** Its applications that are in what was asked for, or are told of there: the rest of it is looked at, and not told. */
export function applicationsOf({ repository, asked }: Worktree): Applications {
  const { applications, notFound } = findApplications(repository);
  const isAsked = (path: string): boolean => asked.some((folder) => isIn(folder, path));
  return {
    applications: applications.filter(({ path, definedIn }) => isAsked(path) || definedIn.some(isAsked)),
    notFound: notFound.filter(({ path }) => isAsked(path)),
  };
}
