import { COLLECTION_STYLE, EVENT_ID } from "js-yaml";
import { quietly, RollstampError } from "../../base/errors.ts";
import { changedEntries, difference } from "./compare.ts";
import { lineStart } from "./lines.ts";
import { applySplices, type Splice, meantByBase, type Meant, type MeantEntries, type MeantValue } from "./splice.ts";
import { styleAt, typeAt } from "../read/event-table.ts";
import { placeIn, placeOf } from "../read/items.ts";
import { get, itemsOf, ownEntries, startOf, type Entry } from "../read/node.ts";
import { PIECE_LENGTH } from "../read/pieces.ts";
import { NONE, readTree, type YamlTree } from "../read/tree.ts";

/**
 * Applies splices to the text and parses the result, to verify that it contains the intended changes and no others. Only
 * edited objects are parsed, each on its own. If that is not possible or they differ, the whole text is compared.
 * Throws a RollstampError if it differs, so a result that hosts reject or misread is never returned.
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
  const nearest = node === NONE ? (all[0]?.base ?? tree.documents[0] ?? NONE) : node;
  const item = items.find(({ node: from }) => from <= nearest && nearest < (tree.next[from] ?? 0));
  return new RollstampError("input", "the edited text would not have the intended meaning", {
    place: item === undefined ? placeOf(tree, nearest) : placeIn(item, nearest),
    remedy: "Write these lines in a plainer style, as 'kubectl get -o yaml' prints them, and please report this.",
  });
}

/** Whether each edited object has the intended content. False if this is unknown. */
function areRightByThemselves(
  tree: YamlTree,
  text: string,
  splices: readonly Splice[],
  all: readonly Meant[],
): boolean {
  const values = all.filter((meant): meant is MeantValue => "value" in meant);
  const isValue = ({ meant }: Splice): boolean => meant !== undefined && "value" in meant;
  const ordered = splices.filter((splice) => !isValue(splice)).sort((a, b) => a.offset - b.offset);
  const edited: Edited = { tree, text, ordered, moves: movesOf(ordered), items: editedItems(splices) };
  if (!areItemsRight(edited, entryOf) && !areItemsRight(edited, () => undefined)) return false;
  return values.length === 0 || isRestRight(tree, splices.filter(isValue), values);
}

/** The original, the result, and the edits in the order of the text. */
interface Edited {
  readonly tree: YamlTree;
  readonly text: string;
  readonly ordered: readonly Splice[];
  readonly moves: readonly number[];
  /** The edited objects, in the order of the text. */
  readonly items: readonly EditedItem[];
}

interface EditedItem {
  readonly node: number;
  readonly meant: MeantEntries[];
  /** The number of edits that make the change. */
  edits: number;
}

function editedItems(splices: readonly Splice[]): EditedItem[] {
  const items = new Map<number, EditedItem>();
  let item: EditedItem | undefined;
  for (const { meant } of splices) {
    if (meant !== undefined && "value" in meant) item = undefined;
    else if (meant !== undefined) {
      const { node } = meant.item;
      item = items.get(node);
      if (item === undefined) items.set(node, (item = { node, meant: [], edits: 0 }));
      item.meant.push(meant);
    }
    // Edits without a meaning of their own belong to the edit before them.
    if (item !== undefined) item.edits += 1;
  }
  return [...items.values()].sort((a, b) => a.node - b.node);
}

/** How far the text moves after each number of splices. */
function movesOf(ordered: readonly Splice[]): number[] {
  const moves = [0];
  for (const { insert, remove } of ordered) moves.push((moves.at(-1) ?? 0) + insert.length - remove);
  return moves;
}

function isInside(splice: Splice | undefined, { from, to }: Piece): boolean {
  return splice !== undefined && splice.offset >= from && splice.offset + splice.remove <= to;
}

/** A piece in the result, and the number of edits before its end; undefined if the next edit is not inside. */
function editedPiece(
  { text, ordered, moves }: Edited,
  { from, to, column }: Piece,
  before: number,
): { readonly text: string; readonly next: number } | undefined {
  if ((ordered[before]?.offset ?? -1) < from) return undefined;
  let next = before;
  while (next < ordered.length && isInside(ordered[next], { from, to, column })) next += 1;
  return { text: " ".repeat(column) + text.slice(from + (moves[before] ?? 0), to + (moves[next] ?? 0)), next };
}

/** The entry of an object that contains its edits. */
interface EditedEntry {
  readonly meant: MeantEntries;
  readonly entry: Entry;
  readonly text: string;
}

/**
 * Compares the entry of each object that `entryFor` returns, else the whole object. Entries are small, so many are
 * parsed at once, each as a document: between document markers, text has the same meaning as on its own.
 */
function areItemsRight(edited: Edited, entryFor: typeof entryOf): boolean {
  const { tree, ordered, items } = edited;
  let entries: EditedEntry[] = [];
  let length = 0;
  let next = 0;
  for (const item of items) {
    const [meant, ...others] = item.meant;
    const entry = meant === undefined || others.length > 0 ? undefined : entryFor(tree, meant);
    const piece = entry && pieceFrom(tree, startOf(tree, entry.keyNode), tree.next[entry.valueNode] ?? 0);
    const now = piece && editedPiece(edited, piece, next);
    if (meant === undefined || entry === undefined || now === undefined || now.next - next !== item.edits) {
      const end = isObjectRight(edited, item, next);
      if (end === undefined) return false;
      next = end;
      continue;
    }
    next = now.next;
    entries.push({ meant, entry, text: now.text });
    length += now.text.length;
    if (length < PIECE_LENGTH) continue;
    if (!areEntriesRight(tree, entries)) return false;
    entries = [];
    length = 0;
  }
  return next === ordered.length && areEntriesRight(tree, entries);
}

/**
 * The entry to be changed, in the mapping where the path begins: usually the metadata of a pod template. If there is
 * none yet, the first entry. Undefined if it cannot be parsed on its own.
 */
function entryOf(tree: YamlTree, { base, path }: MeantEntries): Entry | undefined {
  // An anchor may be anywhere before it.
  if (tree.aliases.size > 0 || styleAt(tree.events, base) === COLLECTION_STYLE.FLOW) return undefined;
  const entries = ownEntries(tree, base);
  return entries.find(({ key }) => key === path[0]) ?? entries[0];
}

const NEW_DOCUMENT = "---\n";

/** Whether entries have the intended content. */
function areEntriesRight(tree: YamlTree, entries: readonly EditedEntry[]): boolean {
  if (entries.length === 0) return true;
  // Only the last one may lack a line break at its end, which could change its value.
  if (entries.some(({ text }, i) => !text.endsWith("\n") && i < entries.length - 1)) return false;
  const after = readOnce(entries.map(({ text }) => text).join(NEW_DOCUMENT), tree, entries.length);
  if (after === undefined) return false;
  let from = 0;
  return entries.every(({ meant, entry, text }, i) => {
    const root = after.documents[i] ?? NONE;
    const start = startOf(after, root);
    // Each document belongs to its own text.
    if (start < from || start >= from + text.length) return false;
    from += text.length + NEW_DOCUMENT.length;
    const bases = meantByBase([meant]);
    const here = bases.get(meant.base);
    const compared = { before: tree, after, bases, baseNodes: [meant.base] };
    return here !== undefined && changedEntries(compared, meant.base, [entry], root, here) === NONE;
  });
}

/** Compares a whole object. Returns the number of edits before its end; undefined if it differs. */
function isObjectRight(edited: Edited, { node, meant }: EditedItem, before: number): number | undefined {
  const { tree } = edited;
  const piece = pieceOf(tree, node);
  const now = piece && editedPiece(edited, piece, before);
  const after = now && readOnce(now.text, tree, 1);
  if (now === undefined || after === undefined) return undefined;
  const bases = meantByBase(meant);
  const baseNodes = [...bases.keys()].sort((a, b) => a - b);
  const part = difference({ before: tree, after, bases, baseNodes }, node, after.documents[0] ?? NONE);
  return part === NONE ? now.next : undefined;
}

/** Parses text that must have this number of documents; undefined if the number differs. */
function readOnce(text: string, { file, limits }: YamlTree, documents: number): YamlTree | undefined {
  const tree = quietly(() => readTree(text, file, limits));
  return tree?.documents.length === documents ? tree : undefined;
}

/** Whether the fields of a ResourceList besides its items are unchanged, except for the intended changes. */
function isRestRight(tree: YamlTree, splices: readonly Splice[], values: readonly MeantValue[]): boolean {
  const root = values[0]?.base ?? NONE;
  const items = get(tree, root, "items");
  const first = itemsOf(tree, items)[0];
  const last = itemsOf(tree, items).at(-1);
  if (first === undefined || last === undefined || tree.aliases.size > 0) return false;
  if (styleAt(tree.events, items) === COLLECTION_STYLE.FLOW || values.some(({ path }) => path[0] === "items"))
    return false;
  const from = lineStart(tree, startOf(tree, first));
  const to = startBehind(tree, startOf(tree, last), tree.next[last] ?? 0);
  if (to === undefined) return false;
  if (from <= startOf(tree, items - 1) || splices.some(({ offset }) => offset < to)) return false;
  // The list of items is left out, before and after.
  const head = tree.text.slice(0, from);
  const rest = tree.text.slice(to);
  const before = readOnce(head + rest, tree, 1);
  const after = readOnce(
    head +
      applySplices(
        rest,
        splices.map((splice) => ({ ...splice, offset: splice.offset - to })),
      ),
    tree,
    1,
  );
  if (before === undefined || after === undefined) return false;
  const base = before.documents[0] ?? NONE;
  const bases = meantByBase(values.map((value) => ({ ...value, base })));
  return difference({ before, after, bases, baseNodes: [base] }, base, after.documents[0] ?? NONE) === NONE;
}

/** A part of the text that has the same meaning on its own, and the column of its first line. */
interface Piece {
  readonly from: number;
  readonly to: number;
  readonly column: number;
}

/**
 * The part of the text that is exactly one object and has the same meaning on its own; undefined if this is unknown.
 * For a document, all lines between two markers. For an element of a block list, the text after its dash, up to the
 * line in which the next node begins.
 */
function pieceOf(tree: YamlTree, node: number): Piece | undefined {
  const { events, next } = tree;
  const start = startOf(tree, node);
  // The event of a document comes before that of its root.
  if (typeAt(events, node - 1) === EVENT_ID.DOCUMENT) return documentPiece(tree, start);
  // An anchor may be anywhere before it.
  if (tree.aliases.size > 0) return undefined;
  if (styleAt(events, node) === COLLECTION_STYLE.FLOW) return undefined;
  return pieceFrom(tree, start, next[node] ?? 0);
}

/** From an offset with only dashes before it in its line, to the line of the next event. */
function pieceFrom(tree: YamlTree, start: number, behind: number): Piece | undefined {
  const line = lineStart(tree, start);
  if (!/^ *(?:- +)*$/u.test(tree.text.slice(line, start))) return undefined;
  const to = startBehind(tree, start, behind);
  return to === undefined ? undefined : { from: start, to, column: start - line };
}

/** Where the line of the next node or document begins; undefined if this is unknown. */
function startBehind(tree: YamlTree, start: number, event: number): number | undefined {
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
  // A lone CR breaks lines, too, but no host writes it.
  return /\r(?!\n)/u.test(text.slice(start, to)) ? undefined : to;
}
