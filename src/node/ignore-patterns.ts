import { goText } from "../base/go-text.ts";
import { RollstampError } from "../base/errors.ts";
import { endingOf, tokensOf, WILDCARD, type GlobToken } from "../base/glob-tokens.ts";
import { isMatch } from "../base/glob.ts";

// The patterns of gitignore(5), matched as git matches them (dir.c, wildmatch.c): on bytes, and the last pattern that
// matches decides. Patterns without wildcards, which are most, cost one lookup for all of them.
// docs/why/decisions.md says why this is not a package.

export interface IgnorePatterns {
  /** The number of patterns with wildcards that each path is matched with. */
  readonly globs: number;
  /** Whether the file ignores a path below its folder (with slashes), re-includes it, or has no pattern for it. */
  readonly test: (path: string, isFolder: boolean) => "ignored" | "kept" | undefined;
}

interface Pattern {
  /** The position: the last pattern that matches decides. */
  readonly rank: number;
  readonly keeps: boolean;
  readonly foldersOnly: boolean;
}

interface Glob extends Pattern {
  /** It is matched with the name only, not with the path. */
  readonly ofName: boolean;
  /** The text before the first wildcard. */
  readonly prefix: string;
  /** The text after the last wildcard: most paths end differently. */
  readonly ending: string;
  readonly tokens: readonly GlobToken[];
}

/**
 * Reads an ignore file, in which every character is a byte. Throws a RollstampError for a pattern that is longer than
 * `longest`; `file` is the name for messages.
 */
export function readIgnorePatterns(text: string, file: string, longest: number): IgnorePatterns {
  const names = new Literals();
  const paths = new Literals();
  const endings = new Map<number, Literals>();
  const globs: Glob[] = [];
  for (const [i, line] of linesOf(text).entries()) {
    const read = readLine(line, i);
    if (read === undefined) continue;
    const { pattern, text: patternText } = read;
    if (patternText.length > longest) throw tooLong(file, i + 1, longest);
    const ofName = !patternText.includes("/");
    const rest = patternText.startsWith("/") ? patternText.slice(1) : patternText;
    const special = rest.search(WILDCARD);
    if (special < 0) (ofName ? names : paths).add(rest, pattern);
    else if (ofName && special === 0 && rest.startsWith("*") && !WILDCARD.test(rest.slice(1))) {
      const ending = rest.slice(1);
      const known = endings.get(ending.length) ?? new Literals();
      endings.set(ending.length, known);
      known.add(ending, pattern);
    } else {
      // As in git: the pattern is parsed from its first wildcard on.
      const tokens = tokensOf(rest.slice(special), "gitignore");
      if (tokens === undefined) continue;
      globs.push({ ...pattern, ofName, prefix: rest.slice(0, special), ending: endingOf(tokens), tokens });
    }
  }
  globs.reverse();
  return {
    globs: globs.length,
    test: (path, isFolder) => {
      // In git, `?` matches one byte.
      const bytes = goText(path);
      const name = bytes.slice(bytes.lastIndexOf("/") + 1);
      let last = laterOf(names.find(name, isFolder), paths.find(bytes, isFolder));
      for (const [length, known] of endings) {
        if (length <= name.length) last = laterOf(last, known.find(name.slice(name.length - length), isFolder));
      }
      for (const glob of globs) {
        if (last !== undefined && glob.rank < last.rank) break;
        if (glob.foldersOnly && !isFolder) continue;
        const subject = glob.ofName ? name : bytes;
        if (!subject.startsWith(glob.prefix) || !subject.endsWith(glob.ending)) continue;
        if (!isMatch(glob.tokens, subject, { dialect: "gitignore", from: glob.prefix.length })) continue;
        last = glob;
        break;
      }
      if (last === undefined) return undefined;
      return last.keeps ? "kept" : "ignored";
    },
  };
}

/** Patterns without wildcards. Of equal ones the last one counts. */
class Literals {
  readonly #all = new Map<string, Pattern>();
  readonly #folders = new Map<string, Pattern>();

  add(text: string, pattern: Pattern): void {
    (pattern.foldersOnly ? this.#folders : this.#all).set(text, pattern);
  }

  find(text: string, isFolder: boolean): Pattern | undefined {
    const found = this.#all.get(text);
    return isFolder ? laterOf(found, this.#folders.get(text)) : found;
  }
}

function laterOf(a: Pattern | undefined, b: Pattern | undefined): Pattern | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return a.rank > b.rank ? a : b;
}

function linesOf(text: string): readonly string[] {
  // The bytes of a byte order mark.
  return (text.startsWith("\u00ef\u00bb\u00bf") ? text.slice(3) : text).split("\n");
}

/** The pattern of a line; undefined for a line without one. */
function readLine(line: string, rank: number): { readonly pattern: Pattern; readonly text: string } | undefined {
  const [whole = ""] = (line.endsWith("\r") ? line.slice(0, -1) : line).split("\0", 1);
  const trimmedLine = withoutTrailingSpaces(whole);
  if (trimmedLine === "" || trimmedLine.startsWith("#")) return undefined;
  const keeps = trimmedLine.startsWith("!");
  const foldersOnly = trimmedLine.endsWith("/");
  const text = trimmedLine.slice(keeps ? 1 : 0, foldersOnly ? -1 : undefined);
  return text === "" ? undefined : { pattern: { rank, keeps, foldersOnly }, text };
}

/** Trailing spaces do not count, except for one after a backslash and those before it. */
function withoutTrailingSpaces(line: string): string {
  let end = line.length;
  while (end > 0 && line[end - 1] === " ") end -= 1;
  if (end === line.length) return line;
  let backslashes = 0;
  while (line[end - 1 - backslashes] === "\\") backslashes += 1;
  return line.slice(0, backslashes % 2 === 1 ? end + 1 : end);
}

function tooLong(file: string, line: number, most: number): RollstampError {
  return new RollstampError("input", `this pattern has more than ${most} characters`, {
    place: { file, line },
    remedy: "Make it shorter, or raise the limit: --max-expression.",
  });
}
