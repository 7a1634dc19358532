import { dirname, join, sep } from "node:path";
import { RollstampError } from "../base/errors.ts";
import { LARGEST_IGNORE_FILE, type Limits } from "../base/limits.ts";
import type { LeftFile } from "../platform/ports/files.ts";
import { readIgnorePatterns, type IgnorePatterns } from "./ignore-patterns.ts";
import { readBytesInside, repositoryOf } from "./repository-files.ts";

/** The ignore files, each evaluated separately: git's, and kpt's for files outside of a package. */
const IGNORE_FILES = [".gitignore", ".krmignore"] as const;
export const KPT_IGNORE_FILE: string = IGNORE_FILES[1];

/** The rules for a folder: its own and those of the folders above it. */
export interface IgnoreRules {
  readonly above: IgnoreRules | undefined;
  readonly folder: string;
  /** One set for each of IGNORE_FILES that the folder has. */
  readonly sets: readonly { readonly name: (typeof IGNORE_FILES)[number]; readonly patterns: IgnorePatterns }[];
  /** The number of patterns with wildcards for each path. */
  readonly globs: number;
}

export interface RulesOptions {
  /** The real path of the folder that ignore files must be in. */
  readonly root: string;
  readonly limits: Limits;
  /** The path of the folder for the rules: behind a link, that of the link. */
  readonly seenAs?: string;
  /** Hears of an ignore file that is not read. */
  readonly refused: (refused: LeftFile) => void;
}

/**
 * Adds the rules of a folder to those above it; returns the same object if it has none. Throws a RollstampError if
 * there are too many patterns.
 */
export function rulesOf(
  folder: string,
  above: IgnoreRules | undefined,
  { root, limits, seenAs = folder, refused }: RulesOptions,
): IgnoreRules | undefined {
  return addedRules(seenAs, above, folder, (name) => {
    const file = join(folder, name);
    const read = readBytesInside(file, { root, shown: file, most: LARGEST_FILE });
    if (read.is === "text") return readIgnorePatterns(read.text, file, limits.expression);
    if (read.because === "missing" || read.because === "folder") return undefined;
    // Git ignores a pipe or a link out, too: its patterns hide nothing.
    refused({ path: name, because: read.because === "tooLarge" ? "longIgnoreFile" : read.because });
    return undefined;
  });
}

/**
 * The same for a folder that is not on disk. `textOf` returns the text of a file in it, with one byte in each
 * character.
 */
export function rulesFrom(
  folder: string,
  above: IgnoreRules | undefined,
  textOf: (name: string) => string | undefined,
  longest: number,
): IgnoreRules | undefined {
  // For messages: from the root of the repository, which is not a folder on disk.
  const shown = folder.slice(sep.length);
  return addedRules(folder, above, shown, (name) => {
    const text = textOf(name);
    return text === undefined ? undefined : readIgnorePatterns(text, join(shown, name), longest);
  });
}

function addedRules(
  folder: string,
  above: IgnoreRules | undefined,
  shown: string,
  patternsOf: (name: string) => IgnorePatterns | undefined,
): IgnoreRules | undefined {
  const sets = IGNORE_FILES.flatMap((name) => {
    const patterns = patternsOf(name);
    return patterns === undefined ? [] : [{ name, patterns }];
  });
  if (sets.length === 0) return above;
  const globs = sets.reduce((sum, { patterns }) => sum + patterns.globs, above?.globs ?? 0);
  if (globs > MOST_GLOBS) throw tooMany(join(shown, sets[0]?.name ?? ""), globs);
  return { above, folder, sets, globs };
}

/** The rules of all folders above a folder, up to the root of its repository. */
export function rulesAbove(folder: string, limits: Limits, refused: (file: LeftFile) => void): IgnoreRules | undefined {
  const root = repositoryOf(folder);
  if (root === undefined) return undefined;
  const folders: string[] = [];
  for (let current = folder; current !== root;) {
    current = dirname(current);
    folders.unshift(current);
  }
  return folders.reduce<IgnoreRules | undefined>(
    (above, current) =>
      rulesOf(current, above, {
        root,
        limits,
        refused: (file) => refused(Object.assign({}, file, { path: join(current, file.path) })),
      }),
    undefined,
  );
}

/** Whether one of the kinds of ignore files ignores a path. */
export function isIgnored(rules: IgnoreRules | undefined, path: string, isFolder: boolean): boolean {
  return ignoredBy(rules, path, isFolder) !== undefined;
}

/** The kind of ignore files that ignores a path, kpt's before git's: the nearest folder with a matching rule decides. */
export function ignoredBy(
  rules: IgnoreRules | undefined,
  path: string,
  isFolder: boolean,
): (typeof IGNORE_FILES)[number] | undefined {
  if (rules === undefined) return undefined;
  return IGNORE_FILES.findLast((name) => {
    for (let current: IgnoreRules | undefined = rules; current !== undefined; current = current.above) {
      const set = current.sets.find((candidate) => candidate.name === name);
      if (set === undefined) continue;
      const verdict = set.patterns.test(wayFrom(current.folder, path), isFolder);
      if (verdict !== undefined) return verdict === "ignored";
    }
    return false;
  });
}

/** Whether rules from above ignore a folder, or a folder around it. */
export function isInIgnored(rules: IgnoreRules | undefined, folder: string): boolean {
  let top = rules;
  while (top?.above !== undefined) top = top.above;
  if (top === undefined) return false;
  const segments = wayFrom(top.folder, folder).split("/");
  return segments.some((_, i) =>
    isIgnored(
      holdingIn(rules, join(top.folder, ...segments.slice(0, i))),
      join(top.folder, ...segments.slice(0, i + 1)),
      true,
    ),
  );
}

function holdingIn(rules: IgnoreRules | undefined, folder: string): IgnoreRules | undefined {
  let current = rules;
  while (current !== undefined && current.folder.length > folder.length) current = current.above;
  return current;
}

/** The path relative to a folder, with slashes. */
export function wayFrom(folder: string, path: string): string {
  const way = path.slice(folder.endsWith(sep) ? folder.length : folder.length + 1);
  return sep === "/" ? way : way.replaceAll(sep, "/");
}

// Long ignore files usually list names, which cost nothing.
const MOST_GLOBS = 1000;
export const LARGEST_FILE: number = LARGEST_IGNORE_FILE * (1 << 20);

function tooMany(file: string, globs: number): RollstampError {
  return new RollstampError(
    "input",
    `with this ignore file ${globs} patterns with wildcards hold in one folder, and ${MOST_GLOBS} may`,
    { place: { file }, remedy: "Ignore folders, or files by name: names do not count." },
  );
}
