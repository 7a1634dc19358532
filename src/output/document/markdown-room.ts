import { capital } from "./text-runs.ts";
import { onceFor, sumOf } from "../../base/grouped.ts";
import { namesIn } from "./blocks.ts";
import type { Fold, Names, Row, Tone } from "./document.ts";
import { inlineHtml } from "./markdown-words.ts";

// What has room in a comment: pieces of a document, which are kept whole or left out.

/** More names of a row are folded. */
const MOST_NAMES = 30;

/** From so many lines up, routine rows are folded. */
const FEWEST_FOLDED = 3;

export const MARKS: Readonly<Record<Tone, string>> = { danger: "🔴", attention: "🟡", ok: "🟢", muted: "⚪" };

/** A part of the document that has room as a whole, or has none. */
export interface Piece {
  readonly brief: string;
  readonly full: string;
  /** What has room last. */
  readonly weight: Weight;
  /** The entry of a list that it is; entries that follow each other are one list. */
  readonly row?: Row;
  readonly fold?: Fold;
  /** What was compared stands in the line below the verdict. */
  readonly isBelowHeading?: boolean;
}

type Weight = "first" | "risky" | "other" | "routine";

export interface Placed {
  readonly piece: Piece;
  readonly text: string | undefined;
}

/** Pieces with the texts for which there is room. */
export function placed(pieces: readonly Piece[], room: number): readonly Placed[] {
  const texts = new Map<Piece, string>();
  let left = room;
  const place = (piece: Piece, text: string): void => {
    const size = bytes(text) + 2 - (texts.has(piece) ? bytes(texts.get(piece) ?? "") + 2 : 0);
    if (size > left) return;
    left -= size;
    texts.set(piece, text);
  };
  const ofWeight = (weight: Weight): readonly Piece[] => pieces.filter((piece) => piece.weight === weight);
  for (const piece of ofWeight("first")) place(piece, piece.full);
  for (const weight of ["risky", "other"] as const) for (const piece of ofWeight(weight)) place(piece, piece.brief);
  for (const weight of ["risky", "other"] as const)
    for (const piece of ofWeight(weight)) if (texts.has(piece)) place(piece, piece.full);
  const routine = ofWeight("routine");
  for (const fold of new Set(routine.flatMap((piece) => piece.fold ?? []))) left -= bytes(foldHead(fold)) + 40;
  for (const piece of routine) place(piece, piece.brief);
  for (const piece of routine) if (texts.has(piece)) place(piece, piece.full);
  return pieces.map((piece) => ({ piece, text: texts.get(piece) }));
}

/** Entries of a list stand in lines that follow each other, everything else apart. */
export function joinedPieces(all: readonly Placed[]): string {
  const shown = all.filter(({ text }) => text !== undefined);
  return shown
    .map(({ piece, text = "" }, i) => {
      const before = shown[i - 1]?.piece;
      const isFolded = piece.fold !== undefined && isFolding(piece.fold);
      const opens = isFolded && piece.fold !== before?.fold ? `${foldHead(piece.fold)}\n\n` : "";
      const closes = isFolded && shown[i + 1]?.piece.fold !== piece.fold ? "\n</details>" : "";
      const isList = before?.row !== undefined && piece.row !== undefined && opens === "" && !isClosed(before, piece);
      const gap = before === undefined ? "" : isList || piece.isBelowHeading === true ? "\n" : "\n\n";
      return `${gap}${opens}${text}${closes}`;
    })
    .join("");
}

/** Whether folded rows end between two pieces. */
function isClosed({ fold }: Piece, next: Piece): boolean {
  return fold !== undefined && isFolding(fold) && fold !== next.fold;
}

/** Whether rows are folded; asked for each of them. */
export const isFolding: (fold: Fold) => boolean = onceFor(({ groups }: Fold): boolean => {
  const rows = groups.flatMap((group) => group.rows);
  const lines = sumOf(rows, ({ others = [] }) => others.length + 1);
  return (
    lines >= FEWEST_FOLDED || rows.some(({ blocks }) => blocks.some((block) => block.is === "names" && isLong(block)))
  );
});

/** The line that stands for folded rows, which GitHub reads as HTML. */
export function foldHead({ groups }: Fold): string {
  const [first] = groups;
  const parts = groups.map(({ label, size }) => `<b>${inlineHtml([capital(label)])}</b>: ${inlineHtml([size])}`);
  return `<details><summary>${MARKS[first?.tone ?? "ok"]} ${parts.join(" · ")}</summary>`;
}

export function isLong({ lists }: Names): boolean {
  return namesIn(lists).length > MOST_NAMES;
}

/** GitHub counts characters; bytes are never fewer. */
export function bytes(text: string): number {
  return Buffer.byteLength(text, "utf8");
}
