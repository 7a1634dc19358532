import { realpathSync } from "node:fs";
import { join, relative, sep } from "node:path";
import type { RepositoryTree } from "../../applications/discover/repository-tree.ts";
import type { Limits } from "../../base/limits.ts";
import { findFiles } from "./find-files.ts";
import { readInPlace, readInside } from "./repository-files.ts";
import { keepYoungMemory } from "./processes.ts";

/** The files of a folder that is a repository's root, or is taken for one. Throws a RollstampError where it can't be read. */
export function repositoryTree(folder: string, limits: Limits): RepositoryTree {
  keepYoungMemory();
  const root = realpathSync(folder);
  const { files, left, errors } = findFiles([root], { kustomizeInput: true, all: true, limits });
  const [error] = errors;
  if (error !== undefined) throw error;
  const slashed = (path: string): string => relative(root, path).split(sep).join("/");
  const reals = new Map(files.map(({ path, real }) => [slashed(path), real]));
  const read: RepositoryTree["read"] = (path) => {
    const real = reals.get(path);
    return real === undefined
      ? readInside(join(root, path), { root, shown: path, most: limits.inputSize })
      : readInPlace(real, path, limits.inputSize);
  };
  return {
    files: [...reals.keys()],
    left: left.map(({ path, ...more }) => ({ path: slashed(path), ...more })),
    read,
    says: (path, test) => {
      const found = read(path);
      return found.is === "text" && test(found.text);
    },
    limits,
  };
}
