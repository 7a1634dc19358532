import { countBelow } from "../../base/sorted.ts";
import type { Place } from "../../base/errors.ts";

/** The lines of a file. They are indexed on first use, because most files have no finding. */
export class Lines {
  readonly #text: string;
  #starts: readonly number[] | undefined;
  /** The last position that was requested. */
  #last = { start: 0, offset: 0, column: 1 };

  constructor(text: string) {
    this.#text = text;
  }

  /** The location of an offset for a message: line and column from 1, the column in characters. */
  placeAt(file: string, offset: number): Place {
    const starts = this.#known();
    const line = Math.max(0, countBelow(starts, offset + 1) - 1);
    return { file, line: line + 1, column: this.#columnOf(starts[line] ?? 0, offset) };
  }

  /** Where the line of an offset begins, and where the next line begins; undefined for the last line. */
  lineAt(offset: number): { readonly start: number; readonly next: number | undefined } {
    const starts = this.#known();
    const line = Math.max(0, countBelow(starts, offset + 1) - 1);
    return { start: starts[line] ?? 0, next: starts[line + 1] };
  }

  #known(): readonly number[] {
    return (this.#starts ??= lineStarts(this.#text));
  }

  /** The column of an offset, given the beginning of its line. */
  #columnOf(start: number, offset: number): number {
    // JSON may be one line of megabytes, so the count continues from the last finding.
    const last = this.#last;
    const isBehind = last.start === start && last.offset <= offset;
    const from = isBehind ? last.offset : start;
    const column = (isBehind ? last.column : 1) + characters(this.#text, from, offset);
    this.#last = { start, offset, column };
    return column;
  }
}

/** The number of characters between two offsets: a surrogate pair is one, a byte order mark none. */
function characters(text: string, from: number, to: number): number {
  let count = to - from;
  for (let i = from; i < to; i++) {
    const code = text.charCodeAt(i);
    // The second half of a pair, or a byte order mark at the beginning.
    if ((code >= 0xdc00 && code <= 0xdfff) || (i === 0 && code === 0xfeff)) count -= 1;
  }
  return count;
}

/** The offsets at which lines begin: YAML breaks lines at LF, CR LF and a lone CR. */
function lineStarts(text: string): number[] {
  const starts = [0];
  if (!text.includes("\r")) {
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", end + 1)) starts.push(end + 1);
    return starts;
  }
  const breaks = /\r\n?|\n/gu;
  while (breaks.exec(text) !== null) starts.push(breaks.lastIndex);
  return starts;
}
