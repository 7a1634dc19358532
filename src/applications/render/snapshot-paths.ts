import { countBefore } from "../../base/sorted.ts";
import { posix } from "node:path";
import { KUSTOMIZATION_FILES } from "../../base/hosts/kustomize.ts";
import { onceFor } from "../../base/grouped.ts";
import type { Snapshot, SnapshotEntry } from "../../platform/ports/snapshot.ts";

/** The file or folder at a path, after all links. */
export interface Resolved {
  readonly path: string;
  readonly is: "file" | "folder";
  readonly id: string;
}

export interface Way {
  /** Undefined if nothing is there, or something that no rendering may read. */
  readonly to: Resolved | undefined;
  /** The links on the path, and its last entry: they determine the result. */
  readonly looked: readonly string[];
}

const MOST_LINKS = 40;

type Files = Pick<Snapshot, "entries" | "contents">;

/** Follows a path of a snapshot from the root, through its links. */
export function follow({ entries, contents }: Files, path: string): Way {
  const looked: string[] = [];
  let left = split(path);
  let resolved: string[] = [];
  for (let links = 0; left.length > 0;) {
    const [name = "", ...rest] = left;
    left = rest;
    if (name === "..") {
      if (resolved.length === 0) return { to: undefined, looked };
      resolved.pop();
      continue;
    }
    const here = [...resolved, name].join("/");
    const entry = entries.get(here);
    if (entry?.is === "link") {
      looked.push(here);
      links += 1;
      const target = links > MOST_LINKS ? undefined : targetOf(entry, here, contents);
      if (target === undefined || target.startsWith("/")) return { to: undefined, looked };
      left = [...split(target), ...left];
      continue;
    }
    if (entry === undefined || entry.is === "module" || (entry.is === "file" && left.length > 0)) {
      // Nothing is there. An entry that appears here would change the result.
      looked.push(here);
      return { to: undefined, looked };
    }
    resolved.push(name);
  }
  const end = resolved.join("/");
  if (end === "") return { to: { path: ".", is: "folder", id: "" }, looked };
  const entry = entries.get(end);
  if (entry === undefined || entry.is === "link" || entry.is === "module") return { to: undefined, looked };
  return { to: { path: end, is: entry.is, id: entry.id }, looked };
}

function split(path: string): string[] {
  return path.split("/").filter((part) => part !== "" && part !== ".");
}

function targetOf({ id }: SnapshotEntry, path: string, contents: Snapshot["contents"]): string | undefined {
  const read = contents.text(id, path);
  return read.is === "text" && !read.text.includes("\0") ? read.text : undefined;
}

/** Joins a path to a folder; undefined if it leads outside of the repository or is not a valid path. */
export function pathBelow(folder: string, way: string): string | undefined {
  if (posix.isAbsolute(way) || way.includes("\0")) return undefined;
  const path = posix.join(folder, way).replace(/\/+$/u, "");
  return path === ".." || path.startsWith("../") ? undefined : path;
}

type Entries = Pick<Snapshot, "entries">;

/** The links of a snapshot, sorted. */
export const linksOf: (snapshot: Entries) => readonly string[] = onceFor(({ entries }: Entries) =>
  [...entries].flatMap(([path, { is }]) => (is === "link" ? [path] : [])).sort(),
);

const KUSTOMIZATION_NAMES: ReadonlySet<string> = new Set(KUSTOMIZATION_FILES);

/** The kustomization files of a snapshot, sorted. */
export const kustomizationsOf: (snapshot: Entries) => readonly string[] = onceFor(({ entries }: Entries) =>
  [...entries.keys()].filter((path) => KUSTOMIZATION_NAMES.has(posix.basename(path))).sort(),
);

/** All paths of a snapshot, sorted. */
export const pathsOf: (snapshot: Entries) => readonly string[] = onceFor(({ entries }: Entries) =>
  [...entries.keys()].sort(),
);

/** The sorted paths that are below a folder. Uses a binary search, because it runs for every folder. */
export function pathsBelow(sorted: readonly string[], folder: string): readonly string[] {
  if (folder === ".") return sorted;
  const firstFrom = (bound: string): number => countBefore(sorted.length, (i) => (sorted[i] ?? "") < bound);
  // "0" is the character that follows the slash.
  return sorted.slice(firstFrom(`${folder}/`), firstFrom(`${folder}0`));
}
