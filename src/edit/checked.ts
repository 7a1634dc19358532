import { COLLECTION_STYLE, EVENT_ID } from "js-yaml";
import { RollstampError } from "../ground/errors.ts";
import { styleAt, typeAt } from "../manifest/event-table.ts";
import { placeIn, placeOf } from "../manifest/items.ts";
import { get, itemsOf, ownEntries, startOf } from "../manifest/node.ts";
import { NONE, readTree, type YamlTree } from "../manifest/tree.ts";
import { changedEntries, difference } from "./compare.ts";
import { lineStart } from "./lines.ts";
import { meantByBase, type Meant, type MeantEntries, type MeantValue } from "./meant.ts";
import { applySplices, type Splice } from "./splice.ts";

/**
 * A text with its splices, read again: what came of them is what was meant, and nothing else. Only the
 * objects that were edited are read, each by itself; where that can't be or doesn't fit, the whole text
 * decides. Throws a RollstampError where it differs: a text that hosts would refuse or misread is never given out.
 */
export function editedText(tree: YamlTree, splices: readonly Splice[]): string {
  const text = applySplices(tree.text, splices);
  if (splices.length === 0) return text;
  const all = splices.flatMap(({ meant }) => (meant === undefined ? [] : [meant]));
  if (!areRightByThemselves(tree, text, splices, all)) checkWhole(tree, text, all);
  return text;
}

function checkWhole(tree: YamlTree, text: string, all: readonly Meant[]): void {
  const bases = meantByBase(all);
  const baseNodes = [...bases.keys()].sort((a, b) => a - b);
  let after: YamlTree;
  try {
    after = readTree(text, tree.file, tree.limits);
  } catch (cause) {
    if (!(cause instanceof RollstampError)) throw cause;
    throw notAsMeant(tree, all, NONE);
  }
  if (after.documents.length !== tree.documents.length) throw notAsMeant(tree, all, NONE);
  for (const [i, root] of tree.documents.entries()) {
    const part = difference({ before: tree, after, bases, baseNodes }, root, after.documents[i] ?? NONE);
    if (part !== NONE) throw notAsMeant(tree, all, part);
  }
}

function notAsMeant(tree: YamlTree, all: readonly Meant[], node: number): RollstampError {
  const items = all.flatMap((meant) => ("item" in meant ? [meant.item] : []));
  const at = node === NONE ? (all[0]?.base ?? tree.documents[0] ?? NONE) : node;
  const item = items.find(({ node: from }) => from <= at && at < (tree.next[from] ?? 0));
  return new RollstampError("input", "what would be written here reads other than it was meant", {
    place: item === undefined ? placeOf(tree, at) : placeIn(item, at),
    remedy: "Write these lines in a plainer style, as 'kubectl get -o yaml' prints them, and report this, please.",
  });
}

/** Where an object stands in the text, and its first line's column. */
interface Piece {
  readonly from: number;
  readonly to: number;
  readonly column: number;
}

/** Whether what was edited reads as it was meant, each object by itself. False where that can't be told. */
function areRightByThemselves(
  tree: YamlTree,
  text: string,
  splices: readonly Splice[],
  all: readonly Meant[],
): boolean {
  const values = all.filter((meant): meant is MeantValue => "value" in meant);
  const isValue = ({ meant }: Splice): boolean => meant !== undefined && "value" in meant;
  const ordered = splices.filter((splice) => !isValue(splice)).sort((a, b) => a.offset - b.offset);
  const moves = movesOf(ordered);
  const byItem = new Map<number, MeantEntries[]>();
  for (const meant of all) {
    if ("value" in meant) continue;
    const known = byItem.get(meant.item.node);
    if (known === undefined) byItem.set(meant.item.node, [meant]);
    else known.push(meant);
  }
  let next = 0;
  for (const [node, meant] of [...byItem].sort(([a], [b]) => a - b)) {
    const before = next;
    /** What came of a piece; undefined where the next edit is not in it. */
    const edited = ({ from, to, column }: Piece): string | undefined => {
      if ((ordered[before]?.offset ?? -1) < from) return undefined;
      for (next = before; next < ordered.length && isInside(ordered[next], { from, to, column });) next += 1;
      return " ".repeat(column) + text.slice(from + (moves[before] ?? 0), to + (moves[next] ?? 0));
    };
    if (!isEntryRight(tree, meant, edited) && !isObjectRight(tree, node, meant, edited)) return false;
  }
  if (next < ordered.length) return false;
  return values.length === 0 || isRestRight(tree, splices.filter(isValue), values);
}

/** By how much the text behind each number of splices moves. */
function movesOf(ordered: readonly Splice[]): number[] {
  const moves = [0];
  for (const { insert, remove } of ordered) moves.push((moves.at(-1) ?? 0) + insert.length - remove);
  return moves;
}

function isInside(splice: Splice | undefined, { from, to }: Piece): boolean {
  return splice !== undefined && splice.offset >= from && splice.offset + splice.remove <= to;
}

type EditedPiece = (piece: Piece) => string | undefined;

/** Looks at the one entry of the mapping from which the path starts: mostly a pod template's metadata. */
function isEntryRight(tree: YamlTree, meant: readonly MeantEntries[], edited: EditedPiece): boolean {
  const [first, ...others] = meant;
  // An anchor may stand anywhere before it.
  if (first === undefined || others.length > 0 || tree.aliases.size > 0) return false;
  const { base, path } = first;
  const entries = ownEntries(tree, base);
  const entry = entries.find(({ key }) => key === path[0]) ?? entries[0];
  if (entry === undefined || styleAt(tree.events, base) === COLLECTION_STYLE.FLOW) return false;
  const piece = pieceFrom(tree, startOf(tree, entry.keyNode), tree.next[entry.valueNode] ?? 0);
  const text = piece === undefined ? undefined : edited(piece);
  const after = text === undefined ? undefined : readOnce(text, tree);
  const bases = meantByBase(meant);
  const here = bases.get(base);
  if (after === undefined || here === undefined) return false;
  const root = after.documents[0] ?? NONE;
  return changedEntries({ before: tree, after, bases, baseNodes: [base] }, base, [entry], root, here) === NONE;
}

/** Looks at the whole object. */
function isObjectRight(tree: YamlTree, node: number, meant: readonly MeantEntries[], edited: EditedPiece): boolean {
  const piece = pieceOf(tree, node);
  const text = piece === undefined ? undefined : edited(piece);
  const after = text === undefined ? undefined : readOnce(text, tree);
  if (after === undefined) return false;
  const bases = meantByBase(meant);
  const baseNodes = [...bases.keys()].sort((a, b) => a - b);
  return difference({ before: tree, after, bases, baseNodes }, node, after.documents[0] ?? NONE) === NONE;
}

/** A text of one document; undefined where it is none. */
function readOnce(text: string, { file, limits }: YamlTree): YamlTree | undefined {
  try {
    const tree = readTree(text, file, limits);
    return tree.documents.length === 1 ? tree : undefined;
  } catch (cause) {
    if (cause instanceof RollstampError) return undefined;
    throw cause;
  }
}

/**
 * The part of a text that is an object and nothing else, so that it reads by itself as it does where it stands;
 * undefined where that can't be told. Of a document all its lines, between two markers; of a block list's element
 * what stands behind its dash, up to the line on which what follows it begins.
 */
function pieceOf(tree: YamlTree, node: number): Piece | undefined {
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
function pieceFrom(tree: YamlTree, start: number, behind: number): Piece | undefined {
  const line = lineStart(tree.text, start);
  if (!/^ *(?:- +)*$/u.test(tree.text.slice(line, start))) return undefined;
  const to = startBehind(tree, start, behind);
  return to === undefined ? undefined : { from: start, to, column: start - line };
}

/** Where the line begins on which the next node is told, or the next document; undefined where that can't be told. */
function startBehind(tree: YamlTree, start: number, event: number): number | undefined {
  const { text, events } = tree;
  let node = event;
  while (typeAt(events, node) === EVENT_ID.POP) node += 1;
  if (node >= tree.next.length) return text.length;
  if (typeAt(events, node) === EVENT_ID.DOCUMENT) return nextMarker(text, start);
  return lineStart(text, startOf(tree, node));
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

/** Whether the fields of a ResourceList beside its items are what they were, with those that were meant. */
function isRestRight(tree: YamlTree, splices: readonly Splice[], values: readonly MeantValue[]): boolean {
  const root = values[0]?.base ?? NONE;
  const items = get(tree, root, "items");
  const first = itemsOf(tree, items)[0];
  const last = itemsOf(tree, items).at(-1);
  if (first === undefined || last === undefined || tree.aliases.size > 0) return false;
  if (styleAt(tree.events, items) === COLLECTION_STYLE.FLOW || values.some(({ path }) => path[0] === "items"))
    return false;
  const from = lineStart(tree.text, startOf(tree, first));
  const to = startBehind(tree, startOf(tree, last), tree.next[last] ?? 0);
  if (to === undefined) return false;
  if (from <= startOf(tree, items - 1) || splices.some(({ offset }) => offset < to)) return false;
  // The list is left out, in the text that was and in the one that came of it.
  const head = tree.text.slice(0, from);
  const rest = tree.text.slice(to);
  const before = readOnce(head + rest, tree);
  const after = readOnce(
    head +
      applySplices(
        rest,
        splices.map((splice) => ({ ...splice, offset: splice.offset - to })),
      ),
    tree,
  );
  if (before === undefined || after === undefined) return false;
  const base = before.documents[0] ?? NONE;
  const bases = meantByBase(values.map((value) => ({ ...value, base })));
  return difference({ before, after, bases, baseNodes: [base] }, base, after.documents[0] ?? NONE) === NONE;
}
