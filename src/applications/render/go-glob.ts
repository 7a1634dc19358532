import { runeAt } from "./go-text.ts";

// Patterns of shells as Go's path.Match reads them, but that `*` and `?` stand for slashes too (fluxcd/pkg/envsubst, path).

type Element =
  | { readonly is: "byte"; readonly byte: string }
  | { readonly is: "any" }
  | { readonly is: "class"; readonly isNegated: boolean; readonly ranges: readonly (readonly [number, number])[] };

/** What stands between two stars. */
interface Chunk {
  readonly hasStar: boolean;
  readonly elements: readonly Element[];
}

export type Glob = readonly Chunk[];

/** A pattern; undefined for one that is none, which matches nothing. */
export function globOf(pattern: string): Glob | undefined {
  const chunks: { hasStar: boolean; elements: Element[] }[] = [];
  const last = (): Element[] => {
    if (chunks.length === 0) chunks.push({ hasStar: false, elements: [] });
    return chunks.at(-1)?.elements ?? [];
  };
  for (let at = 0; at < pattern.length;) {
    const byte = pattern.charAt(at);
    if (byte === "*") {
      const end = chunks.at(-1);
      if (end === undefined || end.elements.length > 0) chunks.push({ hasStar: true, elements: [] });
      else end.hasStar = true;
      at += 1;
    } else if (byte === "?") {
      last().push({ is: "any" });
      at += 1;
    } else if (byte === "[") {
      const read = classAt(pattern, at + 1);
      if (read === undefined) return undefined;
      last().push(read.element);
      at = read.end;
    } else {
      if (byte === "\\") at += 1;
      if (at >= pattern.length) return undefined;
      last().push({ is: "byte", byte: pattern.charAt(at) });
      at += 1;
    }
  }
  return chunks;
}

function classAt(pattern: string, from: number): { readonly element: Element; readonly end: number } | undefined {
  const isNegated = pattern.charAt(from) === "^";
  const ranges: [number, number][] = [];
  let at = isNegated ? from + 1 : from;
  const bound = (): number | undefined => {
    const first = pattern.charAt(at);
    if (first === "" || first === "-" || first === "]") return undefined;
    if (first === "\\") at += 1;
    const rune = runeAt(pattern, at);
    if (rune === undefined || (rune.character === "\ufffd" && rune.bytes.length === 1)) return undefined;
    at += rune.bytes.length;
    return at < pattern.length ? rune.character.codePointAt(0) : undefined;
  };
  while (ranges.length === 0 || pattern.charAt(at) !== "]") {
    const low = bound();
    if (low === undefined) return undefined;
    let high: number | undefined = low;
    if (pattern.charAt(at) === "-") {
      at += 1;
      high = bound();
      if (high === undefined) return undefined;
    }
    ranges.push([low, high]);
  }
  return { element: { is: "class", isNegated, ranges }, end: at + 1 };
}

/** True where the pattern stands for the whole text. `spend` is told of each step. */
export function isMatch(glob: Glob, text: string, spend: (steps: number) => void): boolean {
  let at = 0;
  for (const [index, { hasStar, elements }] of glob.entries()) {
    const isLast = index === glob.length - 1;
    if (hasStar && elements.length === 0) return true;
    let end: number | undefined;
    for (let from = at; from <= text.length; from += 1) {
      const found = chunkEnd(elements, text, from, spend);
      if (found !== undefined && (!isLast || found === text.length)) {
        end = found;
        break;
      }
      if (!hasStar) break;
    }
    if (end === undefined) return false;
    at = end;
  }
  return at === text.length;
}

/** Where a chunk ends that begins at a byte; undefined where the text is another one. */
function chunkEnd(
  elements: readonly Element[],
  text: string,
  from: number,
  spend: (steps: number) => void,
): number | undefined {
  let at = from;
  for (const element of elements) {
    spend(1);
    if (at >= text.length) return undefined;
    if (element.is === "byte") {
      if (text.charAt(at) !== element.byte) return undefined;
      at += 1;
      continue;
    }
    const rune = runeAt(text, at);
    if (rune === undefined) return undefined;
    if (element.is === "class") {
      const point = rune.character.codePointAt(0) ?? 0;
      if (element.ranges.some(([low, high]) => low <= point && point <= high) === element.isNegated) return undefined;
    }
    at += rune.bytes.length;
  }
  return at;
}
