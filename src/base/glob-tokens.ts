import { runeAt } from "./go-text.ts";

// The dialects of patterns, and one tokenizer for all of them.

/** What a dialect understands beside `*` and `?`. */
interface Dialect {
  /** `*`, `?` and `[…]` do not match a slash. */
  readonly stopsAtSlash: boolean;
  /** `**` as a whole segment matches any number of folders, also none. */
  readonly hasFolders: boolean;
  /** `[…]` as git reads it (`[!a]`, `[]a]`, `[[:alpha:]]`), or as Go's path.Match does (`[^a]`). */
  readonly classes: "none" | "git" | "go";
  /** `{a,b}` are alternatives. */
  readonly hasBraces: boolean;
  /** What `?` and a class match one of. A string of bytes has one byte in each character. */
  readonly unit: "byte" | "character" | "rune of bytes";
}

export type GlobDialect = "name" | "gitignore" | "pathspec" | "goPath" | "envsubst" | "argoDirectory" | "configuration";

export const DIALECTS: Readonly<Record<GlobDialect, Dialect>> = {
  /** Names of objects and keys of annotations. All other characters stand for themselves, also a backslash. */
  name: { stopsAtSlash: false, hasFolders: false, classes: "none", hasBraces: false, unit: "character" },
  /** .gitignore and .krmignore (git's wildmatch.c). */
  gitignore: { stopsAtSlash: true, hasFolders: true, classes: "git", hasBraces: false, unit: "byte" },
  /** A pathspec of `git ls-files`: `files` of Argo CD's git generator. */
  pathspec: { stopsAtSlash: false, hasFolders: false, classes: "git", hasBraces: false, unit: "character" },
  /** Go's path.Match: `directories` of Argo CD's git generator, and components. */
  goPath: { stopsAtSlash: true, hasFolders: false, classes: "go", hasBraces: false, unit: "character" },
  /** path.Match of fluxcd/pkg/envsubst, in which `*` matches slashes, over bytes. */
  envsubst: { stopsAtSlash: false, hasFolders: false, classes: "go", hasBraces: false, unit: "rune of bytes" },
  /** gobwas/glob without separators: `include` and `exclude` of a directory's source in Argo CD. */
  argoDirectory: { stopsAtSlash: false, hasFolders: false, classes: "git", hasBraces: true, unit: "character" },
  /** rollstamp's own configuration. */
  configuration: { stopsAtSlash: true, hasFolders: true, classes: "git", hasBraces: true, unit: "character" },
};

/** True for a path that is more than a plain path to a reader of patterns. */
export const WILDCARD: RegExp = /[*?[\\]/u;

/** One unit of the text, a set of them, one, any number without a slash, any number, or any number of folders. */
export type GlobToken = number | CharacterClass | "one" | "star" | "deep" | "folders";

export interface CharacterClass {
  readonly isNegated: boolean;
  /** Pairs of the first and the last code. */
  readonly ranges: readonly (readonly [number, number])[];
}

/** The tokens of a pattern without braces; undefined if it is invalid. */
export function tokensOf(pattern: string, dialect: GlobDialect): readonly GlobToken[] | undefined {
  const { stopsAtSlash, hasFolders, classes } = DIALECTS[dialect];
  const tokens: GlobToken[] = [];
  for (let position = 0; position < pattern.length;) {
    const character = pattern[position];
    if (character === "*") {
      const start = position;
      while (pattern[position] === "*") position += 1;
      const isSegment =
        hasFolders &&
        position - start > 1 &&
        (start === 0 || pattern[start - 1] === "/") &&
        (position === pattern.length || pattern[position] === "/" || pattern.startsWith("\\/", position));
      if (!isSegment) tokens.push(stopsAtSlash ? "star" : "deep");
      else if (pattern[position] === "/") {
        tokens.push("folders");
        position += 1;
      } else tokens.push("deep");
    } else if (character === "?") {
      tokens.push("one");
      position += 1;
    } else if (character === "[" && classes !== "none") {
      const read =
        classes === "git" ? gitClass(pattern, position + 1, dialect) : goClass(pattern, position + 1, dialect);
      if (read === undefined) return undefined;
      tokens.push(read.token);
      position = read.end;
    } else {
      if (character === "\\" && classes !== "none") position += 1;
      if (position === pattern.length) return undefined;
      tokens.push(pattern.charCodeAt(position));
      position += 1;
    }
  }
  return tokens;
}

interface ReadClass {
  readonly token: CharacterClass;
  /** Behind the closing bracket. */
  readonly end: number;
}

/** A class as git's wildmatch.c reads it, from behind the bracket. */
function gitClass(pattern: string, start: number, dialect: GlobDialect): ReadClass | undefined {
  const ranges: [number, number][] = [];
  const isNegated = pattern[start] === "!" || pattern[start] === "^";
  let position = start + (isNegated ? 1 : 0);
  let previous: number | undefined;
  // A closing bracket that comes first is one of the characters.
  for (let isFirst = true; isFirst || pattern[position] !== "]"; isFirst = false) {
    if (position >= pattern.length) return undefined;
    const named = pattern.startsWith("[:", position) ? /^\[:([^\]]*)\]/u.exec(pattern.slice(position)) : null;
    const isRange =
      pattern[position] === "-" &&
      previous !== undefined &&
      position + 1 < pattern.length &&
      pattern[position + 1] !== "]";
    if (pattern.startsWith("[:", position) && named === null && !isRange) return undefined;
    if (named?.[1]?.endsWith(":") === true && !isRange) {
      const bounds = NAMED_CLASSES.get(named[1].slice(0, -1));
      if (bounds === undefined) return undefined;
      for (let i = 0; i < bounds.length; i += 2) ranges.push([bounds.charCodeAt(i), bounds.charCodeAt(i + 1)]);
      previous = undefined;
      position += named[0].length;
      continue;
    }
    if (isRange) position += 1;
    if (pattern[position] === "\\") position += 1;
    const unit = unitAt(pattern, position, dialect);
    if (unit === undefined) return undefined;
    if (isRange) ranges.push([previous ?? unit.code, unit.code]);
    else ranges.push([unit.code, unit.code]);
    previous = isRange ? undefined : unit.code;
    position += unit.width;
  }
  return { token: { isNegated, ranges }, end: position + 1 };
}

/** As git has them, of ASCII only (git-compat-util.h): pairs of the first and the last character. */
const NAMED_CLASSES: ReadonlyMap<string, string> = new Map([
  ["alnum", "09AZaz"],
  ["alpha", "AZaz"],
  ["blank", "  \t\t"],
  ["cntrl", "\u0000\u001f\u007f\u007f"],
  ["digit", "09"],
  ["graph", "!~"],
  ["lower", "az"],
  ["print", " ~"],
  ["punct", "!/:@[`{~"],
  ["space", "  \t\n\r\r"],
  ["upper", "AZ"],
  ["xdigit", "09AFaf"],
]);

/** A class as Go's path.Match reads it. */
function goClass(pattern: string, start: number, dialect: GlobDialect): ReadClass | undefined {
  const isNegated = pattern[start] === "^";
  const ranges: [number, number][] = [];
  let position = isNegated ? start + 1 : start;
  const bound = (): number | undefined => {
    if (pattern[position] === "-" || pattern[position] === "]") return undefined;
    if (pattern[position] === "\\") position += 1;
    const unit = unitAt(pattern, position, dialect);
    if (unit === undefined || !unit.isValid) return undefined;
    position += unit.width;
    return position < pattern.length ? unit.code : undefined;
  };
  while (ranges.length === 0 || pattern[position] !== "]") {
    const low = bound();
    let high = low;
    if (low !== undefined && pattern[position] === "-") {
      position += 1;
      high = bound();
    }
    if (low === undefined || high === undefined) return undefined;
    ranges.push([low, high]);
  }
  return { token: { isNegated, ranges }, end: position + 1 };
}

interface Unit {
  readonly code: number;
  readonly width: number;
  readonly isValid: boolean;
}

/** What `?` matches at an offset; undefined at the end. */
export function unitAt(text: string, at: number, dialect: GlobDialect): Unit | undefined {
  if (at >= text.length) return undefined;
  const { unit } = DIALECTS[dialect];
  if (unit === "byte") return { code: text.charCodeAt(at), width: 1, isValid: true };
  if (unit === "character") {
    const code = text.codePointAt(at) ?? 0;
    return { code, width: code > 0xffff ? 2 : 1, isValid: true };
  }
  const rune = runeAt(text, at);
  if (rune === undefined) return undefined;
  const isValid = rune.character !== "\ufffd" || rune.bytes.length > 1;
  return { code: rune.character.codePointAt(0) ?? 0, width: rune.bytes.length, isValid };
}

/** The text with which everything ends that the tokens match. */
export function endingOf(tokens: readonly GlobToken[]): string {
  const start = tokens.findLastIndex((token) => typeof token !== "number") + 1;
  return String.fromCharCode(...tokens.slice(start).filter((token) => typeof token === "number"));
}
