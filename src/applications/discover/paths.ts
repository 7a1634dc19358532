import { posix } from "node:path";

// Paths from the root of a repository, with slashes; "." is the root.

/** The path that a folder's file means by another; undefined for one that leads out of the repository. */
export function pathFrom(folder: string, way: string): string | undefined {
  if (way.startsWith("/")) return undefined;
  return inside(posix.join(folder, way));
}

/** A path as all of these are written; undefined for one that leads out. A leading slash is the root. */
export function insidePath(path: string): string | undefined {
  return inside(posix.normalize(path.replace(/^\/+/u, "")));
}

/** A path that is normal already. */
function inside(path: string): string | undefined {
  const plain = path.endsWith("/") ? path.replace(/\/+$/u, "") : path;
  if (plain === ".." || plain.startsWith("../") || plain.includes("\0")) return undefined;
  return plain === "" ? "." : plain;
}

/** A path as Flux's controllers read it: they join it to the root of the source so that none leads out (securejoin). */
export function fluxPath(path: string): string | undefined {
  return insidePath(posix.normalize(`/${path}`));
}

export function folderOf(path: string): string {
  return posix.dirname(path);
}

/** True for a path in a folder, or the folder itself. */
export function isIn(folder: string, path: string): boolean {
  return folder === "." || path === folder || path.startsWith(`${folder}/`);
}

/** The folders around a path, the nearest first, the root last. */
export function foldersAround(path: string): string[] {
  const found: string[] = [];
  for (let at = path; at !== ".";) {
    at = posix.dirname(at);
    found.push(at);
  }
  return found;
}

/** Of some folders those that are in no other of them. */
export function topmost(folders: Iterable<string>): Set<string> {
  const all = new Set(folders);
  return new Set([...all].filter((folder) => !foldersAround(folder).some((above) => all.has(above))));
}

/** In the order of paths: what is in a folder stays together. */
export function inPathOrder<T>(things: readonly T[], pathOf: (thing: T) => string): T[] {
  return things
    .map((thing) => ({ thing, key: pathOf(thing).replaceAll("/", "\0") }))
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ thing }) => thing);
}
