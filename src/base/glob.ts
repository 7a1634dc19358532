import { DIALECTS, tokensOf, unitAt, type CharacterClass, type GlobDialect, type GlobToken } from "./glob-tokens.ts";

// Patterns of paths and names: one matcher for the dialects of all who read such patterns (glob-tokens.ts). Libraries turn
// patterns into regular expressions that backtrack; here a match takes at most the product of both lengths.

/** Whether a whole text matches. `spend` gets the number of steps, for a limit over many matches. */
export type Glob = (text: string, spend?: (steps: number) => void) => boolean;

const LONGEST = 1000;
const MOST_ALTERNATIVES = 1000;
/** The characters of all alternatives together: each takes memory for itself. */
const MOST_CHARACTERS = 20_000;

/** What any dialect reads as more than itself. Most paths of configurations have none of it. */
const SPECIAL = /[*?[\\{}]/u;

/** Compiles a pattern; undefined if it is invalid. */
export function globOf(pattern: string, dialect: GlobDialect): Glob | undefined {
  if (pattern.length <= LONGEST && !SPECIAL.test(pattern)) {
    return (text, spend) => {
      spend?.(1);
      return text === pattern;
    };
  }
  if (!DIALECTS[dialect].hasBraces) {
    const tokens = tokensOf(pattern, dialect);
    return tokens === undefined ? undefined : (text, spend) => isMatch(tokens, text, { dialect, spend });
  }
  if (pattern.length > LONGEST) return undefined;
  const alternatives = expandBraces(pattern)?.map((alternative) => tokensOf(alternative, dialect));
  const all = alternatives?.flatMap((tokens) => (tokens === undefined ? [] : [tokens])) ?? [];
  if (alternatives === undefined || all.length < alternatives.length) return undefined;
  return (text, spend) => all.some((tokens) => isMatch(tokens, text, { dialect, spend }));
}

const names = new Map<string, Glob | undefined>();

/** Whether a name matches a pattern of `*` and `?`. */
export function matchesGlob(pattern: string, name: string, spend: (steps: number) => void): boolean {
  if (names.size > LONGEST) names.clear();
  let glob = names.get(pattern);
  if (glob === undefined) names.set(pattern, (glob = globOf(pattern, "name")));
  return glob?.(name, spend) === true;
}

const SLASH = 0x2f;

/** Where a match continues after a mismatch. */
interface Retry {
  readonly token: number;
  position: number;
}

/**
 * Whether the text matches from an offset to its end. After a mismatch the last `*` takes one unit more, or the last `**`
 * one folder more. Earlier ones need no retry: the least that they took is enough.
 */
export function isMatch(
  tokens: readonly GlobToken[],
  text: string,
  { dialect, from = 0, spend }: { dialect: GlobDialect; from?: number; spend?: ((steps: number) => void) | undefined },
): boolean {
  const { stopsAtSlash } = DIALECTS[dialect];
  let t = 0;
  let position = from;
  let star: Retry | undefined;
  let deep: Retry | undefined;
  let steps = 0;
  const result = (isMatching: boolean): boolean => {
    spend?.(steps);
    return isMatching;
  };
  for (;;) {
    steps += 1;
    const token = tokens[t];
    if (token === undefined) {
      if (position === text.length) return result(true);
    } else if (token === "star") {
      t += 1;
      star = { token: t, position };
      continue;
    } else if (token === "deep" || token === "folders") {
      t += 1;
      if (t === tokens.length && token === "deep") return result(true);
      deep = { token: t, position };
      star = undefined;
      continue;
    } else if (typeof token === "number") {
      if (text.charCodeAt(position) === token) {
        t += 1;
        position += 1;
        continue;
      }
    } else {
      if (typeof token !== "string") steps += token.ranges.length;
      const unit = unitAt(text, position, dialect);
      if (unit !== undefined && !(stopsAtSlash && unit.code === SLASH) && (token === "one" || isIn(unit.code, token))) {
        t += 1;
        position += unit.width;
        continue;
      }
    }
    if (star !== undefined && star.position < text.length && text.charCodeAt(star.position) !== SLASH) {
      star.position += 1;
      ({ token: t, position } = star);
    } else if (deep !== undefined && deep.position < text.length) {
      const before = tokens[deep.token - 1] === "folders" ? text.indexOf("/", deep.position) : deep.position;
      if (before < 0) return result(false);
      deep.position = before + 1;
      star = undefined;
      ({ token: t, position } = deep);
    } else return result(false);
  }
}

function lengthOf(texts: readonly string[]): number {
  return texts.reduce((sum, { length }) => sum + length, 0);
}

function isIn(code: number, { isNegated, ranges }: CharacterClass): boolean {
  return ranges.some(([low, high]) => low <= code && code <= high) !== isNegated;
}

/** One pattern for each combination of alternatives; undefined if a brace is not closed, or if there are too many. */
function expandBraces(pattern: string): readonly string[] | undefined {
  const parts: string[] = [];
  let open = -1;
  let from = 0;
  let depth = 0;
  for (let position = 0; position < pattern.length; position += 1) {
    const character = pattern[position];
    if (character === "\\") position += 1;
    else if (character === "{") {
      depth += 1;
      if (depth > 1) continue;
      open = position;
      from = position + 1;
    } else if (depth === 1 && (character === "," || character === "}")) {
      parts.push(pattern.slice(from, position));
      from = position + 1;
      if (character === "}") {
        const inner = parts.map(expandBraces);
        const rest = expandBraces(pattern.slice(from));
        const heads = inner.flatMap((alternatives) => alternatives ?? []);
        if (rest === undefined || inner.includes(undefined)) return undefined;
        const count = heads.length * rest.length;
        const characters = open * count + lengthOf(heads) * rest.length + lengthOf(rest) * heads.length;
        if (count > MOST_ALTERNATIVES || characters > MOST_CHARACTERS) return undefined;
        return heads.flatMap((head) => rest.map((tail) => pattern.slice(0, open) + head + tail));
      }
    } else if (character === "}" && depth > 1) depth -= 1;
  }
  return depth === 0 ? [pattern] : undefined;
}
