import type { Place } from "../errors.ts";

// Findings come by the thousand and from one text mostly: its line starts are worked out once.
let known: { readonly text: string; readonly starts: readonly number[] } | undefined;

/** Where an offset of a text is, for a message: line and column from 1, the column in characters. */
export function placeAt(text: string, file: string, offset: number): Place {
  if (known === undefined || known.text !== text) known = { text, starts: lineStarts(text) };
  const { starts } = known;
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  const before = text.slice(starts[low] ?? 0, offset);
  return { file, line: low + 1, column: [...(low === 0 ? before.replace(/^\uFEFF/u, "") : before)].length + 1 };
}

/** The offsets at which lines begin: YAML breaks lines at LF, CR LF and a lone CR. */
function lineStarts(text: string): number[] {
  const starts = [0];
  const breaks = /\r\n?|\n/gu;
  while (breaks.exec(text) !== null) starts.push(breaks.lastIndex);
  return starts;
}
