import { tooLarge, type Limits } from "../base/limits.ts";
import type { GitOptions } from "../platform/ports/git.ts";
import type { SnapshotEntry } from "../platform/ports/snapshot.ts";
import type { ObjectSession } from "./git-batch.ts";
import { failed } from "./git.ts";
import { misnamed, pathOfBytes } from "./utf8.ts";

// The files of commits, from git's tree objects: most folders of two commits are the same, and each is read once.

export interface RevisionsOptions extends GitOptions {
  readonly limits: Limits;
}

/**
 * All files and folders of commits, without names that are invalid in a worktree, in the order of git. Names that are not
 * UTF-8 are escaped: two of them would be the same string otherwise. Throws a RollstampError for another file that has the
 * escaped name.
 */
export type Trees = (commit: string) => Promise<ReadonlyMap<string, SnapshotEntry>>;

/** What a folder has, without the folders below. */
interface Tree {
  readonly children: readonly (readonly [path: string, entry: SnapshotEntry])[];
  /** The length of its part of a list. */
  readonly length: number;
}

interface Folder extends Pick<SnapshotEntry, "id" | "isMisnamed"> {
  readonly path: string;
}

/** Creates a reader of trees, which keeps what it has read. */
export function treesIn(session: ObjectSession, { limits }: RevisionsOptions): Trees {
  const known = new Map<string, Tree>();
  const read = async (folders: readonly Folder[], count: (tree: Tree) => void): Promise<readonly Tree[]> => {
    const trees: Tree[] = [];
    let pieces: Buffer[] = [];
    await session.read(
      folders.map(({ id }) => id),
      {
        begin: () => true,
        take: (piece) => {
          pieces.push(piece);
        },
        end: (i) => {
          const folder = folders[i];
          if (folder !== undefined) {
            const tree = treeOf(Buffer.concat(pieces), folder);
            count(tree);
            trees.push(tree);
          }
          pieces = [];
        },
        missing: (i) => {
          throw failed(`unable to read tree ${folders[i]?.id ?? ""}`);
        },
      },
    );
    return trees;
  };
  return async (commit) => {
    let length = 0;
    // Before the folders below are read: a few objects can be folders in folders of any number.
    const count = (tree: Tree): void => {
      length += tree.length;
      if (length > limits.inputSize) throw tooLarge("the list of files of the repository", limits.inputSize);
    };
    const [root] = await read([{ path: "", id: `${commit}^{tree}` }], count);
    if (root === undefined) throw new Error("git printed no tree");
    const treeAt = (path: string, { id }: SnapshotEntry): Tree | undefined => known.get(`${id} ${path}`);
    for (let level: readonly Tree[] = [root]; level.length > 0;) {
      const folders = level.flatMap(({ children }) => children.filter(([, { is }]) => is === "folder"));
      const unread = folders.filter(([path, entry]) => {
        const tree = treeAt(path, entry);
        if (tree !== undefined) count(tree);
        return tree === undefined;
      });
      const trees = await read(
        unread.map(([path, entry]) => ({ path, ...entry })),
        count,
      );
      for (const [i, [path, { id }]] of unread.entries()) {
        const tree = trees[i];
        if (tree !== undefined) known.set(`${id} ${path}`, tree);
      }
      level = folders.flatMap(([path, entry]) => treeAt(path, entry) ?? []);
    }
    const entries = new Map<string, SnapshotEntry>();
    const list = (tree: Tree): void => {
      for (const [path, entry] of tree.children) {
        if (entries.has(path)) throw misnamed(path);
        entries.set(path, entry);
        const below = entry.is === "folder" ? treeAt(path, entry) : undefined;
        if (below !== undefined) list(below);
      }
    };
    list(root);
    return entries;
  };
}

/** The types of git's modes (object.h, canon_mode). */
const TYPES: ReadonlyMap<number, SnapshotEntry["is"]> = new Map([
  [0o040000, "folder"],
  [0o100000, "file"],
  [0o120000, "link"],
]);
const TYPE = 0o170000;

/** The length of mode, type and separators in a line of a list. */
const HEAD = "100644 blob \t\0".length;

/** Parses a tree object: for each entry a mode, a space, the name, NUL, and the bytes of the id. */
function treeOf(bytes: Buffer, { path: folder, id: own, isMisnamed: isBelowOne }: Folder): Tree {
  const children: [path: string, entry: SnapshotEntry][] = [];
  let length = 0;
  const idLength = own.replace("^{tree}", "").length / 2;
  for (let offset = 0; offset < bytes.length;) {
    const space = bytes.indexOf(0x20, offset);
    const end = bytes.indexOf(0, space);
    if (space < 0 || end < 0) throw failed("Its output is invalid.");
    const mode = Number.parseInt(bytes.toString("latin1", offset, space), 8);
    offset = end + 1 + idLength;
    const { path: name, isMisnamed = isBelowOne } = pathOfBytes(bytes.subarray(space + 1, end));
    if (!isNameOfFile(name)) continue;
    const path = folder === "" ? name : `${folder}/${name}`;
    const id = bytes.toString("hex", end + 1, offset);
    const is = TYPES.get(mode & TYPE) ?? "module";
    length += HEAD + id.length + path.length;
    children.push([path, isMisnamed === true ? { is, id, isMisnamed } : { is, id }]);
  }
  return { children, length };
}

/** Nobody checks the names in a tree: one may contain a slash. */
function isNameOfFile(name: string): boolean {
  return name.split("/").every((part) => part !== "" && part !== "." && part !== ".." && !/^\.git$/iu.test(part));
}
