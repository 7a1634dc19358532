/**
 * A large text in pieces that can be read one after the other: what is read of a piece can be packed
 * before the next is read, so that memory follows the piece and not the text. Where a text may not be
 * cut safely it is one piece. Read in pieces or at once, the events are the same
 * (test/yaml/read/pieces.test.ts).
 */
export type Pieces =
  | { readonly form: "documents"; readonly cuts: readonly number[] }
  | {
      readonly form: "items";
      /** Behind the line of the key `items`: what stands before is the beginning of the root mapping. */
      readonly itemsAt: number;
      /** Where further pieces of the list begin. */
      readonly cuts: readonly number[];
      /** The rest of the root mapping. */
      readonly restAt: number;
    };

/** Pieces are about this long: some thousand events, which the garbage collector takes in one sweep. */
export const PIECE_LENGTH: number = 1 << 16;

/** Where a text may be cut; undefined where it is to be read at once. */
export function piecesOf(text: string, length: number = PIECE_LENGTH): Pieces | undefined {
  if (text.length < 2 * length) return undefined;
  // A lone CR breaks lines, too; no host writes it. Directives reach over all that follows them.
  if (text.includes("\r") && /\r(?!\n)/u.test(text)) return undefined;
  if (text.startsWith("%") || text.includes("\n%")) return undefined;
  return documentPieces(text, length) ?? itemPieces(text, length);
}

/**
 * A document marker is one wherever it stands at the beginning of a line: no scalar may hold it
 * (YAML 1.2.2, c-forbidden).
 */
function documentPieces(text: string, length: number): Pieces | undefined {
  const marker = /\n---(?=[ \t\r\n])/gu;
  const cuts = cutsAt(text, marker, 0, text.length, length);
  return cuts.length === 0 ? undefined : { form: "documents", cuts };
}

/** The offsets of lines that match, each at least `length` behind the one before it. */
function cutsAt(text: string, line: RegExp, from: number, to: number, length: number): number[] {
  const cuts: number[] = [];
  line.lastIndex = from + length;
  for (let match = line.exec(text); match !== null && match.index + 1 < to; match = line.exec(text)) {
    cuts.push(match.index + 1);
    line.lastIndex = match.index + length;
  }
  return cuts;
}

/**
 * The list of a ResourceList, as hosts send it: a block sequence under the root's key `items`. What
 * belongs to an item stands to the right of its dash, so a dash at the list's column begins the next
 * one. YAML forbids a scalar's or a flow collection's further lines there, and js-yaml refuses them.
 */
function itemPieces(text: string, length: number): Pieces | undefined {
  const key = /(?:^|\n)items:[ \t]*\r?\n/gu;
  const found = key.exec(text);
  const itemsAt = key.lastIndex;
  // A second document, or what looks like one.
  if (found === null || text.includes("\n---", itemsAt - 1) || text.includes("\n...", itemsAt - 1)) return undefined;
  const dash = /(?:[ \t]*(?:#[^\n]*)?\r?\n)*( *)-[ \r\n]/uy;
  dash.lastIndex = itemsAt;
  const column = dash.exec(text)?.[1];
  if (column === undefined) return undefined;
  const rest = column === "" ? /\n(?![\r\n #]|-[ \r\n])/gu : /\n(?![\r\n #])/gu;
  rest.lastIndex = itemsAt;
  const end = rest.exec(text);
  const restAt = end === null || end.index + 1 >= text.length ? text.length : end.index + 1;
  const line = new RegExp(`\\n${column}-[ \\r\\n]`, "gu");
  const cuts = cutsAt(text, line, itemsAt, restAt, length);
  return cuts.length === 0 ? undefined : { form: "items", itemsAt, cuts, restAt };
}
