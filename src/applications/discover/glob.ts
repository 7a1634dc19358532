// Patterns of paths, in the dialects of those who read them. A text is walked once, with all the places that a pattern
// may be at: no pattern makes it slow. Names of objects are held against `*` and `?` alone, by `matchesGlob` of
// src/base/patterns.ts: to those a class or a brace is a character like others, and their steps count for a limit.

export interface Dialect {
  /** Whether `*` and `?` stop at a slash. */
  readonly stopsAtSlash: boolean;
  /** Whether `**` between slashes is any number of folders, also none. */
  readonly hasFolders: boolean;
  /** Whether `{a,b}` are alternatives. */
  readonly hasBraces: boolean;
}

/** Go's path.Match: what a git generator's directories are held against. */
export const GO_PATH: Dialect = { stopsAtSlash: true, hasFolders: false, hasBraces: false };
/** A pathspec of `git ls-files`: what a git generator's files are held against. */
export const GIT_PATHSPEC: Dialect = { stopsAtSlash: false, hasFolders: false, hasBraces: false };
/** gobwas/glob without separators: `include` and `exclude` of a directory's source. */
export const ARGO_DIRECTORY: Dialect = { stopsAtSlash: false, hasFolders: false, hasBraces: true };
/** Ours: in a document of kind Applications. */
export const OWN_GLOB: Dialect = { stopsAtSlash: true, hasFolders: true, hasBraces: true };

type Token =
  | { readonly is: "one"; readonly test: (character: string) => boolean }
  | { readonly is: "many"; readonly test: (character: string) => boolean };

const MOST_ALTERNATIVES = 1000;
const LONGEST = 1000;

/** Tells whether a path matches a pattern; undefined for a pattern that is none. */
export function globOf(pattern: string, dialect: Dialect): ((path: string) => boolean) | undefined {
  if (pattern.length > LONGEST) return undefined;
  const alternatives = dialect.hasBraces ? expanded(pattern) : [pattern];
  const compiled = alternatives?.map((one) => tokensOf(one, dialect));
  if (compiled === undefined) return undefined;
  const lists = compiled.flatMap((tokens) => (tokens === undefined ? [] : [tokens]));
  if (lists.length < compiled.length) return undefined;
  return (path) => lists.some((tokens) => matches(tokens, path));
}

/** A pattern for each way through its braces; undefined where they are too many, or not closed. */
function expanded(pattern: string): string[] | undefined {
  let done: string[] = [""];
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at] ?? "";
    if (character === "\\") {
      const escaped = pattern.slice(at, at + 2);
      done = done.map((text) => text + escaped);
      at += 1;
    } else if (character !== "{") done = done.map((text) => text + character);
    else {
      const parts = alternativesAt(pattern, at);
      if (parts === undefined) return undefined;
      const inner: string[] = [];
      for (const part of parts.texts) {
        const ways = expanded(part);
        if (ways === undefined) return undefined;
        for (const way of ways) inner.push(way);
      }
      if (done.length * inner.length > MOST_ALTERNATIVES) return undefined;
      done = done.flatMap((text) => inner.map((way) => text + way));
      at = parts.end;
    }
  }
  return done;
}

function alternativesAt(
  pattern: string,
  open: number,
): { readonly texts: readonly string[]; readonly end: number } | undefined {
  const texts: string[] = [];
  let depth = 0;
  let from = open + 1;
  for (let at = open; at < pattern.length; at++) {
    const character = pattern[at];
    if (character === "\\") at += 1;
    else if (character === "{") depth += 1;
    else if (character === "}") {
      depth -= 1;
      if (depth > 0) continue;
      texts.push(pattern.slice(from, at));
      return { texts, end: at };
    } else if (character === "," && depth === 1) {
      texts.push(pattern.slice(from, at));
      from = at + 1;
    }
  }
  return undefined;
}

function tokensOf(pattern: string, { stopsAtSlash, hasFolders }: Dialect): readonly (Token | "folders")[] | undefined {
  const tokens: (Token | "folders")[] = [];
  const any = (character: string): boolean => !stopsAtSlash || character !== "/";
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at] ?? "";
    if (character === "*") {
      const isFolders = hasFolders && pattern[at + 1] === "*" && (at === 0 || pattern[at - 1] === "/");
      if (isFolders && pattern[at + 2] === "/") {
        tokens.push("folders");
        at += 2;
      } else if (isFolders && at + 2 === pattern.length) {
        tokens.push({ is: "many", test: () => true });
        at += 1;
      } else tokens.push({ is: "many", test: any });
    } else if (character === "?") tokens.push({ is: "one", test: any });
    else if (character === "[") {
      const set = classAt(pattern, at);
      if (set === undefined) return undefined;
      tokens.push({ is: "one", test: (one) => any(one) && set.test(one) });
      at = set.end;
    } else {
      if (character === "\\") at += 1;
      const meant = pattern[at];
      if (meant === undefined) return undefined;
      tokens.push({ is: "one", test: (one) => one === meant });
    }
  }
  return tokens;
}

function classAt(
  pattern: string,
  open: number,
): { readonly test: (character: string) => boolean; readonly end: number } | undefined {
  const isNot = pattern[open + 1] === "^" || pattern[open + 1] === "!";
  const ranges: [string, string][] = [];
  for (let at = open + (isNot ? 2 : 1); at < pattern.length; at++) {
    if (pattern[at] === "]" && ranges.length > 0)
      return { test: (one) => isNot !== ranges.some(([low, high]) => low <= one && one <= high), end: at };
    if (pattern[at] === "\\") at += 1;
    const low = pattern[at];
    if (low === undefined) return undefined;
    let high = low;
    if (pattern[at + 1] === "-" && pattern[at + 2] !== undefined && pattern[at + 2] !== "]") {
      at += pattern[at + 2] === "\\" ? 3 : 2;
      high = pattern[at] ?? low;
    }
    ranges.push([low, high]);
  }
  return undefined;
}

function matches(tokens: readonly (Token | "folders")[], path: string): boolean {
  let places = withEmpty(tokens, new Set([0]));
  for (let at = 0; at < path.length; at++) {
    const character = path[at] ?? "";
    const next = new Set<number>();
    for (const place of places) {
      const whole = Math.floor(place);
      const token = tokens[whole];
      if (token === undefined) continue;
      if (token === "folders") {
        next.add(character === "/" ? whole : whole + FOLDERS_INSIDE);
      } else if (token.test(character)) next.add(token.is === "many" ? place : place + 1);
    }
    places = withEmpty(tokens, next);
    if (places.size === 0) return false;
  }
  return places.has(tokens.length);
}

// Inside a name that `**/` is passing over: it can't end there.
const FOLDERS_INSIDE = 0.5;

/** With what is reached without a character. */
function withEmpty(tokens: readonly (Token | "folders")[], places: Set<number>): Set<number> {
  for (const place of places) {
    const token = tokens[place];
    if (token === "folders" || (token !== undefined && token.is === "many")) places.add(place + 1);
  }
  return places;
}
