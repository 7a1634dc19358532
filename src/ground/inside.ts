import { isAbsolute, relative, sep } from "node:path";

/** True for a path in a folder, or the folder itself; both are real paths. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}
