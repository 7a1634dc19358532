import { RollstampError } from "../ground/errors.ts";

// The patterns of gitignore(5), matched as git matches them (dir.c, wildmatch.c): on bytes, the last pattern
// that matches decides. Libraries turn them into regular expressions that look back: a pattern such as
// `*a*a*a*b` then takes minutes. Here each takes at most the length of the path times its own, and those
// without wildcards, which are most, one look into a map for all of them.

/** The patterns of one ignore file. */
export interface IgnorePatterns {
  /** How many of them have wildcards that each path has to be held against. */
  readonly globs: number;
  /** Whether the file ignores a path below its folder (with slashes), re-includes it, or says nothing of it. */
  readonly test: (path: string, isFolder: boolean) => "ignored" | "kept" | undefined;
}

interface Pattern {
  /** Its place among the others: the last one that matches decides. */
  readonly rank: number;
  readonly keeps: boolean;
  readonly foldersOnly: boolean;
}

interface Glob extends Pattern {
  /** It is held against the name alone, not against the path. */
  readonly ofName: boolean;
  /** What stands before the first wildcard. */
  readonly prefix: string;
  /** What stands behind the last one: most paths end otherwise, which is seen at once. */
  readonly ending: string;
  readonly tokens: readonly Token[];
}

/**
 * Reads the text of an ignore file, of which every character is a byte. Throws a RollstampError for a
 * pattern that is longer than `longest`; `file` is its name for messages.
 */
export function readIgnorePatterns(text: string, file: string, longest: number): IgnorePatterns {
  const names = new Literals();
  const paths = new Literals();
  const endings = new Map<number, Literals>();
  const globs: Glob[] = [];
  for (const [i, line] of linesOf(text).entries()) {
    const read = readLine(line, i);
    if (read === undefined) continue;
    const { pattern, text: own } = read;
    if (own.length > longest) throw tooLong(file, i + 1, longest);
    const ofName = !own.includes("/");
    const rest = own.startsWith("/") ? own.slice(1) : own;
    const special = rest.search(WILDCARD);
    if (special < 0) (ofName ? names : paths).add(rest, pattern);
    else if (ofName && special === 0 && rest.startsWith("*") && !WILDCARD.test(rest.slice(1))) {
      const ending = rest.slice(1);
      const known = endings.get(ending.length) ?? new Literals();
      endings.set(ending.length, known);
      known.add(ending, pattern);
    } else {
      // As git does: the wildcards are read as if the pattern began with the first of them.
      const tokens = tokensOf(rest.slice(special));
      if (tokens === undefined) continue;
      globs.push({ ...pattern, ofName, prefix: rest.slice(0, special), ending: endingOf(tokens), tokens });
    }
  }
  globs.reverse();
  return {
    globs: globs.length,
    test: (path, isFolder) => {
      const bytes = asBytes(path);
      const name = bytes.slice(bytes.lastIndexOf("/") + 1);
      let last = laterOf(names.find(name, isFolder), paths.find(bytes, isFolder));
      for (const [length, known] of endings) {
        if (length <= name.length) last = laterOf(last, known.find(name.slice(name.length - length), isFolder));
      }
      for (const glob of globs) {
        if (last !== undefined && glob.rank < last.rank) break;
        if (glob.foldersOnly && !isFolder) continue;
        const held = glob.ofName ? name : bytes;
        if (!held.startsWith(glob.prefix) || !held.endsWith(glob.ending)) continue;
        if (!matches(glob.tokens, held, glob.prefix.length)) continue;
        last = glob;
        break;
      }
      if (last === undefined) return undefined;
      return last.keeps ? "kept" : "ignored";
    },
  };
}

/** Patterns that are texts: of those that are equal the last one counts. */
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
  // A byte order mark, of which every byte is a character here.
  return (text.startsWith("\u00ef\u00bb\u00bf") ? text.slice(3) : text).split("\n");
}

/** A pattern and what it says of itself; undefined for a line without one. */
function readLine(line: string, rank: number): { readonly pattern: Pattern; readonly text: string } | undefined {
  const [whole = ""] = (line.endsWith("\r") ? line.slice(0, -1) : line).split("\0", 1);
  const own = withoutTrailingSpaces(whole);
  if (own === "" || own.startsWith("#")) return undefined;
  const keeps = own.startsWith("!");
  const foldersOnly = own.endsWith("/");
  const text = own.slice(keeps ? 1 : 0, foldersOnly ? -1 : undefined);
  return text === "" ? undefined : { pattern: { rank, keeps, foldersOnly }, text };
}

/** Spaces at the end don't count, but for one behind a backslash and those before it. */
function withoutTrailingSpaces(line: string): string {
  let end = line.length;
  while (end > 0 && line[end - 1] === " ") end -= 1;
  if (end === line.length) return line;
  let backslashes = 0;
  while (line[end - 1 - backslashes] === "\\") backslashes += 1;
  return line.slice(0, backslashes % 2 === 1 ? end + 1 : end);
}

/** What git calls special (git-compat-util, is_glob_special). */
const WILDCARD = /[*?[\\]/u;

/** One byte; any of some bytes; or what stands for several. */
type Token = number | ReadonlySet<number> | "any" | "star" | "deep" | "folders";

const SLASH = 0x2f;

/** The tokens of a pattern; undefined for one that git takes for broken: it matches nothing. */
function tokensOf(text: string): readonly Token[] | undefined {
  const tokens: Token[] = [];
  for (let i = 0; i < text.length;) {
    const char = text[i];
    if (char === "*") {
      const start = i;
      while (text[i] === "*") i += 1;
      const begins = start === 0 || text[start - 1] === "/";
      if (i - start === 1 || !begins || !(i === text.length || text[i] === "/" || text.startsWith("\\/", i))) {
        tokens.push("star");
      } else if (text[i] === "/") {
        tokens.push("folders");
        i += 1;
      } else tokens.push("deep");
    } else if (char === "?") {
      tokens.push("any");
      i += 1;
    } else if (char === "[") {
      const read = readClass(text, i + 1);
      if (read === undefined) return undefined;
      tokens.push(read.bytes);
      i = read.end;
    } else {
      if (char === "\\") i += 1;
      if (i === text.length) return undefined;
      tokens.push(text.charCodeAt(i));
      i += 1;
    }
  }
  return tokens;
}

function endingOf(tokens: readonly Token[]): string {
  let ending = "";
  for (let i = tokens.length - 1; i >= 0; i -= 1) {
    const token = tokens[i];
    if (typeof token !== "number") break;
    ending = String.fromCharCode(token) + ending;
  }
  return ending;
}

/** The bytes that `[…]` stands for, read from behind the bracket; undefined where it has no end. */
function readClass(
  text: string,
  start: number,
): { readonly bytes: ReadonlySet<number>; readonly end: number } | undefined {
  const bytes = new Set<number>();
  const negates = text[start] === "!" || text[start] === "^";
  let i = start + (negates ? 1 : 0);
  let previous: number | undefined;
  // A bracket that comes first is one of the bytes.
  for (let isFirst = true; isFirst || text[i] !== "]"; isFirst = false) {
    if (i >= text.length) return undefined;
    const named = text.startsWith("[:", i) ? /^\[:([^\]]*)\]/u.exec(text.slice(i)) : null;
    if (text[i] === "-" && previous !== undefined && i + 1 < text.length && text[i + 1] !== "]") {
      i += text[i + 1] === "\\" ? 2 : 1;
      if (i >= text.length) return undefined;
      for (let byte = previous; byte <= text.charCodeAt(i); byte += 1) bytes.add(byte);
      previous = undefined;
      i += 1;
      continue;
    }
    // `[:` that no `]` follows has no end either.
    if (text.startsWith("[:", i) && named === null) return undefined;
    if (named?.[1]?.endsWith(":") === true) {
      const known = NAMED_CLASSES.get(named[1].slice(0, -1));
      if (known === undefined) return undefined;
      for (let byte = 0; byte < 0x80; byte += 1) if (known.test(String.fromCharCode(byte))) bytes.add(byte);
      previous = undefined;
      i += named[0].length;
      continue;
    }
    if (text[i] === "\\") i += 1;
    if (i >= text.length) return undefined;
    previous = text.charCodeAt(i);
    bytes.add(previous);
    i += 1;
  }
  if (!negates) return { bytes: without(bytes, SLASH), end: i + 1 };
  const others = new Set<number>();
  for (let byte = 1; byte < 0x100; byte += 1) if (!bytes.has(byte)) others.add(byte);
  return { bytes: without(others, SLASH), end: i + 1 };
}

function without(bytes: Set<number>, byte: number): ReadonlySet<number> {
  bytes.delete(byte);
  return bytes;
}

/** As git has them, of ASCII alone (git-compat-util). */
const NAMED_CLASSES: ReadonlyMap<string, RegExp> = new Map([
  ["alnum", /[A-Za-z0-9]/u],
  ["alpha", /[A-Za-z]/u],
  ["blank", /[ \t]/u],
  // oxlint-disable-next-line no-control-regex
  ["cntrl", /[\u0000-\u001f\u007f]/u],
  ["digit", /[0-9]/u],
  ["graph", /[!-~]/u],
  ["lower", /[a-z]/u],
  ["print", /[ -~]/u],
  ["punct", /[!-/:-@[-`{-~]/u],
  ["space", /[ \t\n\r]/u],
  ["upper", /[A-Z]/u],
  ["xdigit", /[0-9A-Fa-f]/u],
]);

/**
 * Whether the rest of a text is what the tokens say. On a mismatch the last star takes one byte more, or
 * the last `**` one folder more; none before it need be tried again, as the least that it took is enough.
 */
function matches(tokens: readonly Token[], text: string, from: number): boolean {
  let t = 0;
  let i = from;
  let star: Retry | undefined;
  let deep: Retry | undefined;
  for (;;) {
    const token = tokens[t];
    if (token === undefined) {
      if (i === text.length) return true;
    } else if (token === "star") {
      t += 1;
      star = { token: t, at: i };
      continue;
    } else if (token === "deep" || token === "folders") {
      t += 1;
      if (t === tokens.length && token === "deep") return true;
      deep = { token: t, at: i };
      star = undefined;
      continue;
    } else if (i < text.length && takes(token, text.charCodeAt(i))) {
      t += 1;
      i += 1;
      continue;
    }
    if (star !== undefined && star.at < text.length && text.charCodeAt(star.at) !== SLASH) {
      star.at += 1;
      ({ token: t, at: i } = star);
    } else if (deep !== undefined && deep.at < text.length) {
      const slash = tokens[deep.token - 1] === "folders" ? text.indexOf("/", deep.at) : deep.at;
      if (slash < 0) return false;
      deep.at = slash + 1;
      star = undefined;
      ({ token: t, at: i } = deep);
    } else return false;
  }
}

/** Where matching goes on after a mismatch. */
interface Retry {
  readonly token: number;
  at: number;
}

function takes(token: number | ReadonlySet<number> | "any", byte: number): boolean {
  if (token === "any") return byte !== SLASH;
  return typeof token === "number" ? token === byte : token.has(byte);
}

// oxlint-disable-next-line no-control-regex
const ASCII = /^[\u0000-\u007f]*$/u;

/** A path as its bytes: git takes `?` for one of them. */
function asBytes(path: string): string {
  return ASCII.test(path) ? path : Buffer.from(path, "utf8").toString("latin1");
}

function tooLong(file: string, line: number, most: number): RollstampError {
  return new RollstampError("input", `this pattern has more than ${most} characters`, {
    place: { file, line },
    remedy: "Make it shorter, or raise the limit: --max-expression.",
  });
}
