// A pattern with wildcards as git matches it (wildmatch.c): on bytes, each of which is a character here.

/** What git calls special (git-compat-util, is_glob_special). */
export const WILDCARD: RegExp = /[*?[\\]/u;

/** One byte; any of some bytes; or what stands for several. */
export type Token = number | ReadonlySet<number> | "any" | "star" | "deep" | "folders";

const SLASH = 0x2f;

/** The tokens of a pattern; undefined for one that git takes for broken: it matches nothing. */
export function tokensOf(text: string): readonly Token[] | undefined {
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

/** The text with which all that the tokens stand for ends. */
export function endingOf(tokens: readonly Token[]): string {
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
export function matches(tokens: readonly Token[], text: string, from: number): boolean {
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
