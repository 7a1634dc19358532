import { countBelow } from "../../base/sorted.ts";
import { COLLECTION_STYLE, EVENT_ID } from "js-yaml";
import { RollstampError, quietly } from "../../base/errors.ts";
import { groupedBy } from "../../base/grouped.ts";
import { areSame, changedEntries, difference, isWritten } from "./compare.ts";
import { documentPiece, lineStart, nextMarker, type Piece } from "./lines.ts";
import { applySplices, type Splice, meantByBase, type IntendedObjects, type IntendedNodeChange } from "./splice.ts";
import { styleAt, typeAt } from "../read/event-table.ts";
import { holdsNothing, placeIn, placeOf, readManifests, type Manifests } from "../read/items.ts";
import { stableJson } from "../read/json.ts";
import { ownEntries, startOf, toJson, type Entry } from "../read/node.ts";
import { PIECE_LENGTH } from "../read/pieces.ts";
import { NONE, readTree, type YamlTree } from "../read/tree.ts";

/**
 * Applies splices to the text and parses the result, to verify that it contains the intended changes and no others. Only
 * edited entries of mappings are parsed, or edited documents with aliases. If that is not possible or they differ, the whole
 * text is compared. Throws a RollstampError if it differs, so a result that hosts reject or misread is never returned.
 */
export function editedText(tree: YamlTree, splices: readonly Splice[]): string {
  if (splices.length === 0) return tree.text;
  const objects = splices.filter(changesObjects);
  const entries = objects.length === 0 ? splices : splices.filter((splice) => !changesObjects(splice));
  const text = applySplices(tree.text, entries);
  if (entries.length > 0 && !arePartsRight(tree, entries)) {
    const all = entries.flatMap(({ intended }) => (intended === undefined || "objects" in intended ? [] : [intended]));
    checkWhole(tree, text, all);
  }
  return objects.length === 0 ? text : withObjects(tree, text, splices);
}

function changesObjects({ intended }: Splice): boolean {
  return intended !== undefined && "objects" in intended;
}

/** The text with all splices, checked against the text without those that add and remove objects. */
function withObjects(tree: YamlTree, without: string, splices: readonly Splice[]): string {
  const text = applySplices(tree.text, splices);
  const changes = splices.flatMap(({ intended }) =>
    intended !== undefined && "objects" in intended ? [intended] : [],
  );
  const before = without === tree.text ? tree : readTree(without, tree.file, tree.limits);
  const after = quietly(() => readTree(text, tree.file, tree.limits));
  if (after === undefined || !areObjectsRight(before, after, changes)) {
    const [first] = changes;
    const item = first?.item;
    throw new RollstampError(
      "input",
      "this text cannot be edited safely: the result would not have the intended meaning",
      {
        ...(item === undefined ? {} : { place: placeIn(item, item.node) }),
        remedy: "Write this document in a plainer style, as 'kubectl get -o yaml' prints it, and please report this.",
      },
    );
  }
  return text;
}

/** Whether the objects after an edit are those before, in order, without the removed ones and with the new ones. */
function areObjectsRight(before: YamlTree, after: YamlTree, changes: readonly IntendedObjects[]): boolean {
  const old = readManifests(before);
  // A file with nothing but removed copies: their source has moved to another file.
  if (changes.length === old.items.length && changes.every(({ objects }) => objects === "removed"))
    return holdsNothing(after);
  const now = readManifests(after);
  if (old.form !== now.form || fieldsBeside(old) !== fieldsBeside(now)) return false;
  const byIndex = groupedBy(changes, ({ item }) => item.index);
  const found = now.items[Symbol.iterator]();
  const next = (): number => found.next().value?.node ?? NONE;
  for (const { index, node } of old.items) {
    const here = byIndex.get(index) ?? [];
    if (!here.some(({ objects }) => objects === "removed") && !areSame(before, node, after, next())) return false;
    for (const { objects } of here) {
      if (objects === "removed") continue;
      for (const object of objects) {
        const is = next();
        if (is === NONE || stableJson(toJson(after, is)) !== stableJson(object)) return false;
      }
    }
  }
  return found.next().done === true;
}

/** The number of fields of a ResourceList: none of them may end up in an object. */
function fieldsBeside({ tree, root }: Manifests): number {
  return root === NONE ? 0 : ownEntries(tree, root).length;
}

function checkWhole(tree: YamlTree, text: string, all: readonly IntendedNodeChange[]): void {
  const bases = meantByBase(all);
  const baseNodes = [...bases.keys()].sort((a, b) => a - b);
  const after = quietly(() => readTree(text, tree.file, tree.limits));
  if (after?.documents.length !== tree.documents.length) throw notAsMeant(tree, all, NONE);
  for (const [i, root] of tree.documents.entries()) {
    const part = difference({ before: tree, after, bases, baseNodes }, root, after.documents[i] ?? NONE);
    if (part !== NONE) throw notAsMeant(tree, all, part);
  }
}

function notAsMeant(tree: YamlTree, all: readonly IntendedNodeChange[], node: number): RollstampError {
  const items = all.flatMap((intended) => ("item" in intended ? [intended.item] : []));
  const nearest = node === NONE ? (all[0]?.base ?? tree.documents[0] ?? NONE) : node;
  const item = items.find(({ node: from }) => from <= nearest && nearest < (tree.next[from] ?? 0));
  return new RollstampError(
    "input",
    "this text cannot be edited safely: the result would not have the intended meaning",
    {
      place: item === undefined ? placeOf(tree, nearest) : placeIn(item, nearest),
      remedy: "Write these lines in a plainer style, as 'kubectl get -o yaml' prints them, and please report this.",
    },
  );
}

/** Changes that begin in one mapping with the same key, or that are in one document with aliases; and their splices. */
interface Edit {
  /** The mapping, or the document. */
  readonly node: number;
  readonly isDocument: boolean;
  readonly intended: IntendedNodeChange[];
  readonly splices: Splice[];
}

/** Undefined if the meaning of a splice is unknown. */
function editsOf(tree: YamlTree, splices: readonly Splice[]): readonly Edit[] | undefined {
  // An anchor may be anywhere before its alias, but in the same document.
  const aliased = new Set([...tree.aliases.keys()].map((alias) => documentOf(tree, alias)));
  const edits = new Map<string, Edit>();
  let edit: Edit | undefined;
  for (const splice of splices) {
    const { intended } = splice;
    if (intended !== undefined && !("objects" in intended)) {
      const root = aliased.size === 0 ? NONE : documentOf(tree, intended.base);
      const isDocument = aliased.has(root);
      const node = isDocument ? root : intended.base;
      const key = isDocument ? `${node}` : `${node} ${intended.path[0]}`;
      edit = edits.get(key);
      if (edit === undefined) edits.set(key, (edit = { node, isDocument, intended: [], splices: [] }));
      edit.intended.push(intended);
    }
    // Splices without a meaning of their own belong to the one before them.
    if (edit === undefined) return undefined;
    edit.splices.push(splice);
  }
  return [...edits.values()];
}

function documentOf({ documents }: YamlTree, node: number): number {
  return documents[Math.max(0, countBelow(documents, node + 1) - 1)] ?? NONE;
}

/** An entry or a document that contains all splices of an edit, and the edited text of its lines. */
interface EditedPiece extends Piece {
  readonly edit: Edit;
  /** Undefined for a new entry, and for a document. */
  readonly entry: Entry | undefined;
  readonly text: string;
}

/**
 * Whether each edited part has the intended content. False if this is unknown. Entries are small, so many are parsed at
 * once, each as a document: between document markers, text has the same meaning as on its own.
 */
function arePartsRight(tree: YamlTree, splices: readonly Splice[]): boolean {
  const edits = editsOf(tree, splices);
  const pieces: EditedPiece[] = [];
  for (const edit of edits ?? []) {
    const piece = edit.isDocument ? editedDocument(tree, edit) : editedEntry(tree, edit);
    if (piece === undefined) return false;
    pieces.push(piece);
  }
  pieces.sort((a, b) => a.from - b.from || a.to - b.to);
  // No edit may be in the part of another one.
  if (edits === undefined || pieces.some(({ from }, i) => from < (pieces[i - 1]?.to ?? 0))) return false;
  let batch: EditedPiece[] = [];
  let length = 0;
  for (const piece of pieces) {
    if (piece.edit.isDocument) {
      if (!isDocumentRight(tree, piece)) return false;
      continue;
    }
    batch.push(piece);
    length += piece.text.length;
    if (length < PIECE_LENGTH) continue;
    if (!areEntriesRight(tree, batch)) return false;
    batch = [];
    length = 0;
  }
  return areEntriesRight(tree, batch);
}

function editedDocument(tree: YamlTree, edit: Edit): EditedPiece | undefined {
  return editedPiece(tree, edit, undefined, documentPiece(tree, startOf(tree, edit.node)));
}

/** The entry in which an edit is: usually the metadata of a pod template. Undefined if it cannot be parsed on its own. */
function editedEntry(tree: YamlTree, edit: Edit): EditedPiece | undefined {
  const { node, intended } = edit;
  if (styleAt(tree.events, node) === COLLECTION_STYLE.FLOW) return undefined;
  const entries = ownEntries(tree, node);
  const [first] = entries;
  const last = entries.at(-1);
  if (first === undefined || last === undefined) return undefined;
  if (intended[0]?.path.length === 0) {
    const piece = pieceFrom(tree, startOf(tree, first.keyNode), tree.next[last.valueNode] ?? 0);
    return editedPiece(tree, edit, undefined, piece);
  }
  const known = entries.find(({ key }) => key === intended[0]?.path[0]);
  const added = known === undefined ? newEntry(tree, edit, first, last) : undefined;
  // A missing entry may also be inserted into the line of the first one.
  const { keyNode, valueNode } = known ?? first;
  const piece = pieceFrom(tree, startOf(tree, keyNode), tree.next[valueNode] ?? 0);
  return added ?? editedPiece(tree, edit, known ?? first, piece);
}

/**
 * The lines of a new entry before the first entry of a block mapping, or behind the last one. They can be parsed separately: what
 * is before them ends at their column.
 */
function newEntry(tree: YamlTree, edit: Edit, first: Entry, last: Entry): EditedPiece | undefined {
  const [splice, ...others] = edit.splices;
  if (splice === undefined || others.length > 0 || splice.remove > 0) return undefined;
  const { offset, insert } = splice;
  const start = startOf(tree, first.keyNode);
  const line = lineStart(tree, start);
  const indent = tree.text.slice(line, start);
  const isBefore = offset === line && /^ *$/u.test(indent);
  const isBehind = offset === startBehind(tree, start, tree.next[last.valueNode] ?? 0);
  const isAligned = /^ */u.exec(insert)?.[0].length === indent.length && insert.endsWith("\n");
  if (!(isBefore || isBehind) || !isAligned || (offset > 0 && tree.text[offset - 1] !== "\n")) return undefined;
  return { edit, entry: undefined, from: offset, to: offset, column: 0, text: insert };
}

/** A part after an edit; undefined if not all its splices are inside. */
function editedPiece(
  tree: YamlTree,
  edit: Edit,
  entry: Entry | undefined,
  piece: Piece | undefined,
): EditedPiece | undefined {
  if (piece === undefined) return undefined;
  const { from, to, column } = piece;
  const { splices } = edit;
  if (splices.some(({ offset, remove }) => offset < from || offset + remove > to)) return undefined;
  const moved = splices.map((splice) => ({ ...splice, offset: splice.offset - from }));
  return { edit, entry, ...piece, text: " ".repeat(column) + applySplices(tree.text.slice(from, to), moved) };
}

const NEW_DOCUMENT = "---\n";

function areEntriesRight(tree: YamlTree, entries: readonly EditedPiece[]): boolean {
  if (entries.length === 0) return true;
  // Only the last one may lack a line break at its end, which could change its value.
  if (entries.some(({ text }, i) => !text.endsWith("\n") && i < entries.length - 1)) return false;
  const all = entries.map(({ text }) => text).join(NEW_DOCUMENT);
  const after = quietly(() => readTree(all, tree.file, tree.limits));
  if (after?.documents.length !== entries.length) return false;
  let from = 0;
  return entries.every(({ edit: { node: base, intended }, entry, text }, i) => {
    const root = after.documents[i] ?? NONE;
    const start = startOf(after, root);
    // Each document belongs to its own text.
    if (start < from || start >= from + text.length) return false;
    from += text.length + NEW_DOCUMENT.length;
    const bases = meantByBase(intended);
    const here = bases.get(base);
    const compared = { before: tree, after, bases, baseNodes: [base] };
    const known = entry === undefined ? [] : [entry];
    if (here === undefined) return false;
    return here.changes.length > 0
      ? isWritten(compared, base, root, here)
      : changedEntries(compared, base, known, root, here) === NONE;
  });
}

function isDocumentRight(tree: YamlTree, { edit: { node, intended }, text }: EditedPiece): boolean {
  const after = quietly(() => readTree(text, tree.file, tree.limits));
  if (after?.documents.length !== 1) return false;
  const bases = meantByBase(intended);
  const baseNodes = [...bases.keys()].sort((a, b) => a - b);
  return difference({ before: tree, after, bases, baseNodes }, node, after.documents[0] ?? NONE) === NONE;
}

/** From an offset with only dashes before it in its line, to the line of the next event; undefined if this is unknown. */
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
