import { COLLECTION_STYLE, EVENT_ID } from "js-yaml";
import { styleAt, typeAt } from "../read/event-table.ts";
import { startOf } from "../read/node.ts";
import type { YamlTree } from "../read/tree.ts";
import { lineStart } from "./lines.ts";

/** Where a part of a text stands that reads by itself as it does there, and its first line's column. */
export interface Piece {
  readonly from: number;
  readonly to: number;
  readonly column: number;
}

/**
 * The part of a text that is an object and nothing else, so that it reads by itself as it does where it stands;
 * undefined where that can't be told. Of a document all its lines, between two markers; of a block list's element
 * what stands behind its dash, up to the line on which what follows it begins.
 */
export function pieceOf(tree: YamlTree, node: number): Piece | undefined {
  const { events, next } = tree;
  const start = startOf(tree, node);
  // A document's event comes before its root's.
  if (typeAt(events, node - 1) === EVENT_ID.DOCUMENT) return documentPiece(tree, start);
  // An anchor may stand anywhere before it.
  if (tree.aliases.size > 0) return undefined;
  if (styleAt(events, node) === COLLECTION_STYLE.FLOW) return undefined;
  return pieceFrom(tree, start, next[node] ?? 0);
}

/** From an offset before which there are only dashes on its line, to the line of the event behind. */
export function pieceFrom(tree: YamlTree, start: number, behind: number): Piece | undefined {
  const line = lineStart(tree, start);
  if (!/^ *(?:- +)*$/u.test(tree.text.slice(line, start))) return undefined;
  const to = startBehind(tree, start, behind);
  return to === undefined ? undefined : { from: start, to, column: start - line };
}

/** Where the line begins on which the next node is told, or the next document; undefined where that can't be told. */
export function startBehind(tree: YamlTree, start: number, event: number): number | undefined {
  const { text, events } = tree;
  let node = event;
  while (typeAt(events, node) === EVENT_ID.POP) node += 1;
  if (node >= tree.next.length) return text.length;
  if (typeAt(events, node) === EVENT_ID.DOCUMENT) return nextMarker(text, start);
  return lineStart(tree, startOf(tree, node));
}

const MARKER = /\n---(?=[ \t\r\n]|$)/gu;

function documentPiece({ text, documents }: YamlTree, start: number): Piece | undefined {
  if (documents.length === 1) return { from: 0, to: text.length, column: 0 };
  const to = nextMarker(text, start);
  if (to === undefined) return undefined;
  const before = text.lastIndexOf("\n---", start);
  const from = before < 0 ? 0 : before + 1;
  return { from, to, column: 0 };
}

function nextMarker(text: string, start: number): number | undefined {
  MARKER.lastIndex = start;
  const found = MARKER.exec(text);
  const to = found === null ? text.length : found.index + 1;
  // A lone CR breaks lines, too; no host writes it.
  return /\r(?!\n)/u.test(text.slice(start, to)) ? undefined : to;
}
