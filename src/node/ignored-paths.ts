import { onceForText } from "../base/grouped.ts";
import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { gitEnvironment } from "../applications/inputs/revision-range.ts";
import { gitOutputAtOnce } from "./git-options.ts";
import { ignoredBy, wayFrom, type IgnoreRules } from "./ignore-rules.ts";
import { repositoryOf } from "./repository-files.ts";

/** What ignores the entries of a folder. */
export interface Ignoring {
  readonly rules: IgnoreRules | undefined;
  /** Git ignores the whole folder: only tracked files in it count, whatever a .gitignore in it says. */
  readonly isIgnored: boolean;
}

/** Whether a path counts, counts only because Git tracks it, or ignore files leave it out. */
export type FateOf = (ignoring: Ignoring, path: string, isFolder: boolean) => "in" | "tracked" | "out";

/**
 * Says which paths count. Git ignores no tracked file (gitignore(5)); kpt's ignore files leave those out, too. `unknown` gets the
 * repositories whose files git can't list.
 */
export function fatesOfPaths(unknown: (root: string) => void): FateOf {
  const isTracked = trackedPaths(unknown);
  return ({ rules, isIgnored }, path, isFolder) => {
    const by = ignoredBy(rules, path, isFolder) ?? (isIgnored ? ".gitignore" : undefined);
    if (by === undefined) return "in";
    return by === ".gitignore" && isTracked(path) ? "tracked" : "out";
  };
}

/**
 * Says of real paths whether Git tracks them: files in the index of their repository, and the folders around those.
 * Reads each index once, when it is first needed. Without git or a repository, nothing is tracked.
 */
function trackedPaths(unknown: (root: string) => void): (path: string) => boolean {
  const rootOf = onceForText(repositoryOf);
  const indexIn = onceForText((root) => {
    const index = knownIndexOf(root);
    if (index === undefined) unknown(root);
    return index;
  });
  return (path) => {
    const root = rootOf(dirname(path));
    return root !== undefined && indexIn(root)?.has(wayFrom(root, path)) === true;
  };
}

/** Undefined if git can't list it. */
type Index = ReadonlySet<string> | undefined;

/** The last index that was read: some commands look for files twice. */
let last: { readonly root: string; readonly state: string; readonly index: Index } | undefined;

function knownIndexOf(root: string): Index {
  // A linked worktree has its index elsewhere: it is read each time.
  const file = join(root, ".git", "index");
  if (!existsSync(file)) return indexOf(root);
  const { ino, size, mtimeNs } = statSync(file, { bigint: true });
  const state = `${ino} ${size} ${mtimeNs}`;
  if (last?.root !== root || last.state !== state) last = { root, state, index: indexOf(root) };
  return last.index;
}

function indexOf(root: string): Index {
  // Not only the ignored ones (-c -i): for those git matches every path again, which takes ten times as long.
  const listed = gitOutputAtOnce(["ls-files", "-z"], {
    cwd: root,
    environment: gitEnvironment(process.env),
    most: MOST_BYTES,
  });
  if (listed === "failed") return undefined;
  const paths = new Set<string>();
  for (const file of listed === "notStarted" ? [] : listed.toString("utf8").split("\0")) {
    // A folder that is known has all folders around it.
    for (let path = file; path !== "." && !paths.has(path); path = dirname(path)) paths.add(path);
  }
  return paths;
}

// The paths of a million files.
const MOST_BYTES = 1 << 26;
