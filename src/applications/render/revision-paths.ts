import { posix } from "node:path";
import { KUSTOMIZATION_FILES } from "../../base/hosts/kustomize.ts";
import { onceFor } from "../../base/once-for.ts";
import type { Revision, RevisionEntry, Revisions } from "../../platform/ports/revisions.ts";

/** What stands behind all links of a path of a revision. */
export interface Resolved {
  readonly path: string;
  readonly is: "file" | "folder";
  readonly id: string;
}

/** What a path leads to: undefined where there is nothing, or what no rendering may read. */
export interface Way {
  readonly to: Resolved | undefined;
  /** The links on the way, and where the way ends: what decides where it leads. */
  readonly looked: readonly string[];
}

const MOST_LINKS = 40;

/** Follows a path of a revision, from the root, through its links. */
export function follow(revision: Revision, path: string, contents: Pick<Revisions, "text">): Way {
  const looked: string[] = [];
  let left = split(path);
  let at: string[] = [];
  for (let links = 0; left.length > 0;) {
    const [name = "", ...rest] = left;
    left = rest;
    if (name === "..") {
      if (at.length === 0) return { to: undefined, looked };
      at.pop();
      continue;
    }
    const here = [...at, name].join("/");
    const entry = revision.entries.get(here);
    if (entry?.is === "link") {
      looked.push(here);
      links += 1;
      const target = links > MOST_LINKS ? undefined : targetOf(entry, here, contents);
      if (target === undefined || target.startsWith("/")) return { to: undefined, looked };
      left = [...split(target), ...left];
      continue;
    }
    if (entry === undefined || entry.is === "module" || (entry.is === "file" && left.length > 0)) {
      // Nothing is there: what would make a difference is that something is.
      looked.push(here);
      return { to: undefined, looked };
    }
    at.push(name);
  }
  const end = at.join("/");
  if (end === "") return { to: { path: ".", is: "folder", id: "" }, looked };
  const entry = revision.entries.get(end);
  if (entry === undefined || entry.is === "link" || entry.is === "module") return { to: undefined, looked };
  return { to: { path: end, is: entry.is, id: entry.id }, looked };
}

function split(path: string): string[] {
  return path.split("/").filter((part) => part !== "" && part !== ".");
}

function targetOf({ id }: RevisionEntry, path: string, contents: Pick<Revisions, "text">): string | undefined {
  const read = contents.text(id, path);
  return read.is === "text" && !read.text.includes("\0") ? read.text : undefined;
}

/** A path from a folder; undefined for one that leads out of the repository, or is none. */
export function pathBelow(folder: string, way: string): string | undefined {
  if (posix.isAbsolute(way) || way.includes("\0")) return undefined;
  const path = posix.join(folder, way).replace(/\/+$/u, "");
  return path === ".." || path.startsWith("../") ? undefined : path;
}

/** The links of a revision, sorted. */
export const linksOf: (revision: Revision) => readonly string[] = onceFor(({ entries }: Revision) =>
  [...entries].flatMap(([path, { is }]) => (is === "link" ? [path] : [])).sort(),
);

const KUSTOMIZATION_NAMES: ReadonlySet<string> = new Set(KUSTOMIZATION_FILES);

/** Its kustomization files, sorted. */
export const kustomizationsOf: (revision: Revision) => readonly string[] = onceFor(({ entries }: Revision) =>
  [...entries.keys()].filter((path) => KUSTOMIZATION_NAMES.has(posix.basename(path))).sort(),
);

/** Of sorted paths those below a folder: looked for by halves, as there are many folders. */
export function pathsBelow(sorted: readonly string[], folder: string): readonly string[] {
  if (folder === ".") return sorted;
  const firstFrom = (bound: string): number => {
    let [from, to] = [0, sorted.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((sorted[middle] ?? "") < bound) from = middle + 1;
      else to = middle;
    }
    return from;
  };
  // "0" is the character behind the slash.
  return sorted.slice(firstFrom(`${folder}/`), firstFrom(`${folder}0`));
}
