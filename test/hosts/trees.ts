// Temporary folders for hosts, so that fixtures do not change.
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A folder of files, and the folder in it that the host is given. */
export interface Tree {
  readonly folder: string;
  readonly build: string;
}

// The real path: a temporary folder may be a link, and the hosts print where they really are.
const temporary = realpathSync(mkdtempSync(join(tmpdir(), "rollstamp-hosts-")));
process.once("exit", () => rmSync(temporary, { recursive: true, force: true }));

/** A new temporary folder; it goes away with the test process. */
export function temporaryFolder(): string {
  return mkdtempSync(join(temporary, "tree-"));
}

/** The tree at a folder; `build` is relative to it. */
export function treeAt(folder: string, build: string): Tree {
  return { folder, build: join(folder, build) };
}

/** A copy of a tree in a new temporary folder. */
export function copyOf(tree: Tree): Tree {
  const folder = temporaryFolder();
  cpSync(tree.folder, folder, { recursive: true });
  return { folder, build: join(folder, tree.build.slice(tree.folder.length)) };
}

/** A new tree of the given files, path to text, which the host is given as a whole. */
export function treeOf(files: Readonly<Record<string, string>>): Tree {
  const folder = temporaryFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return treeAt(folder, ".");
}
