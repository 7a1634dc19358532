import { posix } from "node:path";
import { countBefore } from "../../base/sorted.ts";

// Paths relative to the root of a repository, with slashes; "." is the root.

/** Resolves a path in a file of a folder; undefined if it leads out of the repository. */
export function pathFrom(folder: string, way: string): string | undefined {
  if (way.startsWith("/")) return undefined;
  return inside(posix.join(folder, way));
}

/** Normalizes a path; undefined if it leads out of the repository. A leading slash is the root. */
export function insidePath(path: string): string | undefined {
  return inside(posix.normalize(path.replace(/^\/+/u, "")));
}

function inside(path: string): string | undefined {
  const plain = path.endsWith("/") ? path.replace(/\/+$/u, "") : path;
  if (plain === ".." || plain.startsWith("../") || plain.includes("\0")) return undefined;
  return plain === "" ? "." : plain;
}

/** Resolves a path as Flux does: it joins the path to the root of the source, so that none leads out (securejoin). */
export function fluxPath(path: string): string | undefined {
  return insidePath(posix.normalize(`/${path}`));
}

export function folderOf(path: string): string {
  return posix.dirname(path);
}

/** Whether a path is in a folder, or is the folder. */
export function isInFolder(folder: string, path: string): boolean {
  return folder === "." || path === folder || path.startsWith(`${folder}/`);
}

/** The folders around a path: the nearest first, the root last. */
export function foldersAround(path: string): string[] {
  const found: string[] = [];
  for (let folder = path; folder !== ".";) {
    folder = posix.dirname(folder);
    found.push(folder);
  }
  return found;
}

/** The folders that are in no other of them. */
export function topmost(folders: Iterable<string>): Set<string> {
  const all = new Set(folders);
  return new Set([...all].filter((folder) => !foldersAround(folder).some((above) => all.has(above))));
}

/** Sorts by path: the contents of a folder stay together. */
export function inPathOrder<T>(things: readonly T[], pathOf: (thing: T) => string): T[] {
  return things
    .map((thing) => ({ thing, key: orderKey(pathOf(thing)) }))
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ thing }) => thing);
}

function orderKey(path: string): string {
  return path.replaceAll("/", "\0");
}

/**
 * Those of some paths, in path order, that are in a folder. Thousands of applications look for theirs among tens of thousands
 * of files, so it searches and does not filter.
 */
export function pathsIn(folder: string, ordered: readonly string[]): readonly string[] {
  if (folder === ".") return ordered;
  const key = orderKey(folder);
  const countUpTo = (bound: string): number => countBefore(ordered.length, (i) => orderKey(ordered[i] ?? "") < bound);
  return ordered.slice(countUpTo(key), countUpTo(`${key}\u0001`));
}
