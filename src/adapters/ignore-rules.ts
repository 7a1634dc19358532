import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import ignore, { type Ignore } from "ignore";

/** The files whose rules count, each by itself: git's, and kpt's for what is no part of a package. */
const IGNORE_FILES = [".gitignore", ".krmignore"] as const;

/** The rules that hold in a folder: its own and those of the folders above it. */
export interface IgnoreRules {
  readonly above: IgnoreRules | undefined;
  readonly folder: string;
  /** One set for each of IGNORE_FILES that the folder has. */
  readonly sets: readonly { readonly name: (typeof IGNORE_FILES)[number]; readonly rules: Ignore }[];
}

/** Adds the rules that a folder brings to those above it; the same object where it brings none. */
export function rulesOf(folder: string, above: IgnoreRules | undefined): IgnoreRules | undefined {
  const sets = IGNORE_FILES.flatMap((name) => {
    const text = readIfThere(join(folder, name));
    // git takes case as it is, unless a file system can't.
    return text === undefined ? [] : [{ name, rules: ignore({ ignorecase: false }).add(text) }];
  });
  return sets.length === 0 ? above : { above, folder, sets };
}

/** The rules that reach a folder from above it, up to the root of its repository. */
export function rulesAbove(folder: string): IgnoreRules | undefined {
  const root = repositoryOf(folder);
  if (root === undefined) return undefined;
  const folders: string[] = [];
  for (let at = folder; at !== root;) {
    at = dirname(at);
    folders.unshift(at);
  }
  return folders.reduce<IgnoreRules | undefined>((above, at) => rulesOf(at, above), undefined);
}

/** The folder of the repository in which a folder is; undefined where it is in none. */
export function repositoryOf(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, ".git"))) return at;
    if (dirname(at) === at) return undefined;
  }
}

/** True where a file of one kind ignores the path: of its rules the nearest folder's decide. */
export function isIgnored(rules: IgnoreRules | undefined, path: string, isFolder: boolean): boolean {
  return IGNORE_FILES.some((name) => {
    for (let at = rules; at !== undefined; at = at.above) {
      const set = at.sets.find((candidate) => candidate.name === name);
      if (set === undefined) continue;
      const inFolder = relative(at.folder, path).replaceAll(sep, "/");
      const { ignored, unignored } = set.rules.test(isFolder ? `${inFolder}/` : inFolder);
      if (ignored || unignored) return ignored;
    }
    return false;
  });
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // None, or a folder of that name: git takes no rules from it either.
    return undefined;
  }
}
