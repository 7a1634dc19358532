import type { Place } from "../ground/errors.ts";

// Findings come by the thousand and from one text mostly: its line starts are worked out once.
let known: Lines | undefined;

interface Lines {
  readonly text: string;
  readonly starts: readonly number[];
  /** The last place that was asked for. */
  last: { readonly start: number; readonly offset: number; readonly column: number };
}

/** Where an offset of a text is, for a message: line and column from 1, the column in characters. */
export function placeAt(text: string, file: string, offset: number): Place {
  const lines = linesOf(text);
  const line = lineIndex(lines, offset);
  return { file, line: line + 1, column: columnOf(lines, lines.starts[line] ?? 0, offset) };
}

/** Where the line of an offset begins, and where the next one does; undefined for the last. */
export function lineAt(text: string, offset: number): { readonly start: number; readonly next: number | undefined } {
  const lines = linesOf(text);
  const line = lineIndex(lines, offset);
  return { start: lines.starts[line] ?? 0, next: lines.starts[line + 1] };
}

function linesOf(text: string): Lines {
  if (known === undefined || known.text !== text) {
    known = { text, starts: lineStarts(text), last: { start: 0, offset: 0, column: 1 } };
  }
  return known;
}

function lineIndex({ starts }: Lines, offset: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The column of an offset in the line that begins at another. */
function columnOf(lines: Lines, start: number, offset: number): number {
  // JSON may be one line of megabytes: its findings are counted on from one to the next.
  const { last } = lines;
  const isBehind = last.start === start && last.offset <= offset;
  const from = isBehind ? last.offset : start;
  const column = (isBehind ? last.column : 1) + characters(lines.text, from, offset);
  lines.last = { start, offset, column };
  return column;
}

/** The characters between two offsets: a pair of surrogates is one, a byte order mark none. */
function characters(text: string, from: number, to: number): number {
  let count = to - from;
  for (let i = from; i < to; i++) {
    const code = text.charCodeAt(i);
    // The second half of a pair, or the mark at the very beginning.
    if ((code >= 0xdc00 && code <= 0xdfff) || (i === 0 && code === 0xfeff)) count -= 1;
  }
  return count;
}

/** The offsets at which lines begin: YAML breaks lines at LF, CR LF and a lone CR. */
function lineStarts(text: string): number[] {
  const starts = [0];
  const breaks = /\r\n?|\n/gu;
  while (breaks.exec(text) !== null) starts.push(breaks.lastIndex);
  return starts;
}
