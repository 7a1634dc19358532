import { dirname, join, sep } from "node:path";
import { RollstampError } from "../../base/errors.ts";
import type { Limits } from "../../base/limits.ts";
import { readIgnorePatterns, type IgnorePatterns } from "./ignore-patterns.ts";
import { readBytesInside, repositoryOf } from "./repository-files.ts";

/** The files whose rules count, each by itself: git's, and kpt's for what is no part of a package. */
const IGNORE_FILES = [".gitignore", ".krmignore"] as const;
export const KPT_IGNORE_FILE: string = IGNORE_FILES[1];

/** The rules that hold in a folder: its own and those of the folders above it. */
export interface IgnoreRules {
  readonly above: IgnoreRules | undefined;
  readonly folder: string;
  /** One set for each of IGNORE_FILES that the folder has. */
  readonly sets: readonly { readonly name: (typeof IGNORE_FILES)[number]; readonly patterns: IgnorePatterns }[];
  /** How many patterns with wildcards a path may be held against. */
  readonly globs: number;
}

export interface RulesOptions {
  /** The real path of the folder that no ignore file leads out of. */
  readonly root: string;
  readonly limits: Limits;
  /** The folder as the rules see it: behind a link another one. */
  readonly seenAs?: string;
}

/**
 * Adds the rules that a folder brings to those above it; the same object where it brings none.
 * Throws a RollstampError for more patterns than are matched.
 */
export function rulesOf(
  folder: string,
  above: IgnoreRules | undefined,
  { root, limits, seenAs = folder }: RulesOptions,
): IgnoreRules | undefined {
  return addedRules(seenAs, above, folder, (name) => readPatterns(join(folder, name), root, limits));
}

/** The same of a folder that is none of this machine's; `textOf` gives the text of a file in it, each byte a character. */
export function rulesFrom(
  folder: string,
  above: IgnoreRules | undefined,
  textOf: (name: string) => string | undefined,
  longest: number,
): IgnoreRules | undefined {
  return addedRules(folder, above, folder, (name) => {
    const text = textOf(name);
    return text === undefined ? undefined : readIgnorePatterns(text, join(folder, name), longest);
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

/** The rules that reach a folder from above it, up to the root of its repository. */
export function rulesAbove(folder: string, limits: Limits): IgnoreRules | undefined {
  const root = repositoryOf(folder);
  if (root === undefined) return undefined;
  const folders: string[] = [];
  for (let at = folder; at !== root;) {
    at = dirname(at);
    folders.unshift(at);
  }
  return folders.reduce<IgnoreRules | undefined>((above, at) => rulesOf(at, above, { root, limits }), undefined);
}

/** True where a file of one kind ignores the path: of its rules the nearest folder's decide. */
export function isIgnored(rules: IgnoreRules | undefined, path: string, isFolder: boolean): boolean {
  if (rules === undefined) return false;
  return IGNORE_FILES.some((name) => {
    for (let at: IgnoreRules | undefined = rules; at !== undefined; at = at.above) {
      const set = at.sets.find((candidate) => candidate.name === name);
      if (set === undefined) continue;
      const said = set.patterns.test(wayFrom(at.folder, path), isFolder);
      if (said !== undefined) return said === "ignored";
    }
    return false;
  });
}

/** True where rules from above ignore a folder, or one that it is in: nothing below that is looked at. */
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

/** Of some rules those that hold in a folder. */
function holdingIn(rules: IgnoreRules | undefined, folder: string): IgnoreRules | undefined {
  let at = rules;
  while (at !== undefined && at.folder.length > folder.length) at = at.above;
  return at;
}

/** The way from a folder to a path in it, with slashes. */
function wayFrom(folder: string, path: string): string {
  const way = path.slice(folder.endsWith(sep) ? folder.length : folder.length + 1);
  return sep === "/" ? way : way.replaceAll(sep, "/");
}

// Repositories that list every generated file have long ignore files: of names, which cost nothing.
const MOST_GLOBS = 1000;
const LARGEST_FILE = 8 * (1 << 20);

function readPatterns(file: string, root: string, { expression }: Limits): IgnorePatterns | undefined {
  const read = readBytesInside(file, { root, shown: file, most: LARGEST_FILE });
  if (read.is === "text") return readIgnorePatterns(read.text, file, expression);
  // None, or a folder of that name, a pipe, a link out: git takes no rules from it either.
  if (read.because !== "tooLarge") return undefined;
  throw new RollstampError("input", "this ignore file is larger than 8 MiB", {
    place: { file },
    remedy: "Ignore folders in the place of their files.",
  });
}

function tooMany(file: string, globs: number): RollstampError {
  return new RollstampError(
    "input",
    `with this ignore file ${globs} patterns with wildcards hold in one folder, and ${MOST_GLOBS} may`,
    { place: { file }, remedy: "Ignore folders, or files by their names: those are not counted." },
  );
}
