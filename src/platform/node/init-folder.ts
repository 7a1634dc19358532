import { realpathSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import fg from "fast-glob";
import type { Limits } from "../../base/limits.ts";
import type { InitFolder } from "../ports/files.ts";
import { textOf } from "../ports/files.ts";
import { readInside, repositoryOf } from "./repository-files.ts";

/** The files that a wiring looks at, below a folder and in its repository. */
export function initFolder(folder: string, { inputSize }: Limits): InitFolder {
  const here = resolve(folder);
  const root = repositoryOf(here) ?? here;
  const find = (cwd: string, glob: string): string[] =>
    fg
      .sync(glob, { cwd, dot: true, followSymbolicLinks: false, ignore: ["**/node_modules/**", "**/.git/**"] })
      .map((path) => slashed(relative(here, join(cwd, path))))
      .sort();
  return {
    read: (path) => {
      const read = readInside(join(here, path), { root: realpathSync(root), shown: path, most: inputSize });
      return read.is === "refused" && read.because === "missing" ? undefined : textOf(read);
    },
    find: (glob) => find(here, glob),
    findInRepository: (glob) => find(root, glob),
    repository: slashed(relative(here, root)) || ".",
    path: slashed(relative(root, here)) || ".",
  };
}

function slashed(path: string): string {
  return path.split(sep).join("/");
}
