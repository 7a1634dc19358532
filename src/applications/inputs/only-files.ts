import { relative, resolve, sep } from "node:path";
import type { Files } from "../../platform/ports/files.ts";

/**
 * The files of this machine, of which only some below a folder are found: `wanted` are their paths from there. What else
 * stands there is looked at otherwise, and nothing is said of it.
 */
export function onlyFiles(files: Files, root: string, wanted: ReadonlySet<string>): Files {
  const above = files.realPath(root) ?? root;
  const isWanted = (path: string): boolean => wanted.has(relative(above, path).split(sep).join("/"));
  return {
    ...files,
    find: (paths, options) => {
      const found = files.find(paths, options);
      return {
        ...found,
        files: found.files.filter(({ real }) => isWanted(real)),
        left: found.left.filter(({ path }) => isWanted(resolve(files.here(), path))),
        kustomizeInput: [],
        charts: [],
      };
    },
  };
}
