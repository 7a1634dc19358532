import { printable } from "../../findings/results/terminal.ts";
import {
  titleOf,
  type Block,
  type Code,
  type Cut,
  type Details,
  type Document,
  type Item,
  type List,
  type Row,
  type Section,
  type Table,
  type Tone,
  type Words,
} from "./document.ts";
import { memberWords } from "./text.ts";

// Markdown as GitHub renders it in a comment, in which nothing that a manifest says is more than text.

export interface MarkdownOptions {
  /** The first line, by which a later run finds its comment. */
  readonly marker: string;
  /** How many bytes the document may have. */
  readonly longest: number;
}

/** GitHub takes no longer comment: 65,536 characters. */
export const LONGEST_COMMENT = 65_536;
/** Kept for the sentences that say what was left out. */
const RESERVE = 6_000;
/** A longer row has names that no cluster takes. */
const LONGEST_ROW = 2_000;

const MARKS: Readonly<Record<Tone, string>> = { danger: "🔴", attention: "🟡", ok: "🟢", muted: "⚪" };
const VERDICT_MARKS: Readonly<Record<Tone, string>> = { danger: "🛑", attention: "⚠️", ok: "✅", muted: "⚪" };

/** The first line of a comment, by which a later run finds it. */
export function commentMarker(command: string, title: string): string {
  return `<!-- rollstamp ${command}: ${title.replace(/[^\w ./=-]/gu, "_").replaceAll("--", "__")} -->`;
}

/**
 * Prints a document for a comment on a pull request. Where a comment can't hold it all, details go before rows, and
 * routine rows before all others; what is left out is counted.
 */
export function printMarkdown({ blocks }: Document, { marker, longest }: MarkdownOptions): string {
  const head = `${marker}\n`;
  let left = longest - RESERVE - bytes(head);
  const takes = (size: number): boolean => {
    if (size > left) return false;
    left -= size;
    return true;
  };
  const placed = blocks.flatMap((block) => piecesOf(block)).map((piece): Placed => ({ piece, text: undefined }));
  const byWeight = placed.toSorted((a, b) => Number(isRoutine(a)) - Number(isRoutine(b)));
  for (const place of byWeight) {
    const { brief, isRow } = place.piece;
    if (!(isRow && bytes(brief) > LONGEST_ROW) && takes(bytes(brief))) place.text = brief;
  }
  for (const place of byWeight) {
    const { full } = place.piece;
    if (place.text !== undefined && takes(bytes(full) - bytes(place.text))) place.text = full;
  }
  const text = placed.map(({ text: own = "", piece }, i) => {
    const { cut } = piece;
    return cut !== undefined && placed[i + 1]?.piece.cut !== cut ? own + restOf(cut, placed) : own;
  });
  return `${`${head}${text.join("")}`.trimEnd()}\n`;
}

/** A part of the document that has room as a whole, or has none. */
interface Piece {
  readonly brief: string;
  readonly full: string;
  readonly isRow: boolean;
  readonly row?: Row;
  /** The rows that it is one of. */
  readonly cut?: Cut;
}

interface Placed {
  readonly piece: Piece;
  text: string | undefined;
}

function isRoutine({ piece }: Placed): boolean {
  return piece.cut?.isRoutine === true;
}

function piecesOf(block: Block): Piece[] {
  if (block.is === "cut") return block.rows.map((row) => ({ ...rowPiece(row), cut: block }));
  if (block.is === "row") return [rowPiece(block)];
  if (block.is === "section") return sectionPieces(block);
  const text = blockText(block);
  return [{ brief: text, full: text, isRow: false }];
}

function sectionPieces({ title, isTitleHidden, blocks }: Section): Piece[] {
  const pieces = blocks.flatMap(piecesOf);
  const [first, ...others] = pieces;
  if (isTitleHidden === true || first === undefined) return pieces;
  const head = `**${escapedText(title)}**\n\n`;
  return [{ ...first, brief: `${head}${first.brief}`, full: `${head}${first.full}` }, ...others];
}

function restOf(cut: Cut, placed: readonly Placed[]): string {
  const rows = placed.flatMap(({ piece, text }) =>
    piece.cut === cut && text === undefined && piece.row !== undefined ? [piece.row] : [],
  );
  return rows.length === 0 ? "" : `${inline(cut.rest(rows))}\n\n`;
}

function rowPiece(row: Row): Piece {
  const { label, tone, brief = [], blocks, isOpen } = row;
  const line = `${MARKS[tone]} <b>${escapedText(label)}</b> ${inline(titleOf(row))}${inline(brief)}`;
  const items = blocks.flatMap(itemsOf);
  const open = isOpen === true ? " open" : "";
  const list = items.map((item) => `<li>${item}</li>\n`).join("");
  const full =
    items.length === 0
      ? `${line}\n\n`
      : `<details${open}><summary>${line}</summary>\n<ul>\n${list}</ul>\n</details>\n\n`;
  return { brief: `${line}\n\n`, full, isRow: true, row };
}

/** A block of a row, as entries of the list below its line. */
function itemsOf(block: Block): string[] {
  switch (block.is) {
    case "paragraph":
      return [inline(block.words)];
    case "list":
      return block.items.map(itemText);
    case "members":
      return [inline(memberWords(block))];
    case "code":
      return [codeText(block)];
    default:
      return [blockText(block).trimEnd()];
  }
}

function itemText({ words, blocks = [] }: Item): string {
  const inner = blocks.map((block) => {
    if (block.is === "code") return `<br>${codeText(block)}`;
    return itemsOf(block)
      .map((text) => `<br>${text}`)
      .join("");
  });
  return [inline(words), ...inner].join("");
}

function codeText({ title, lines }: Code): string {
  const name = title === undefined ? "" : codeSpan(title);
  return `${name}<pre>${lines.map(escaped).join("\n")}</pre>`;
}

function blockText(block: Block): string {
  switch (block.is) {
    case "heading":
      return `${"#".repeat(block.level + 2)} ${inline(block.words)}\n\n`;
    case "verdict":
      return `### ${VERDICT_MARKS[block.tone]} ${escapedText(block.phrase)} ${inline(block.words)}`.trimEnd() + "\n\n";
    case "paragraph":
      return `${inline(block.words)}\n\n`;
    case "list":
      return block.items.length === 0 ? "" : `${listText(block, "")}\n`;
    case "table":
      return tableText(block);
    case "code":
      return `${codeText(block)}\n\n`;
    case "details":
      return detailsText(block);
    case "members":
      return `${inline(memberWords(block))}\n\n`;
    case "row":
      return rowPiece(block).full;
    case "section":
    case "cut":
      return piecesOf(block)
        .map(({ full }) => full)
        .join("");
    case "filter":
      return "";
  }
}

function listText({ items }: List, indent: string): string {
  return items
    .map(({ words, blocks = [] }) => {
      const inner = blocks.map((block) =>
        block.is === "list"
          ? listText(block, `${indent}  `)
          : itemsOf(block)
              .map((text) => `${indent}  - ${text}\n`)
              .join(""),
      );
      return `${indent}- ${inline(words)}\n${inner.join("")}`;
    })
    .join("");
}

function tableText({ columns, rows }: Table): string {
  if (rows.length === 0) return "";
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return `${[
    line(columns.map(({ title }) => escapedText(title))),
    `|${columns.map(({ align }) => (align === "right" ? "--:" : "---")).join("|")}|`,
    ...rows.map((row) => line(row.map(inline))),
  ].join("\n")}\n\n`;
}

function detailsText({ summary, blocks, isOpen }: Details): string {
  const open = isOpen === true ? " open" : "";
  const inner = blocks.map(blockText).join("").trimEnd();
  return `<details${open}><summary>${inline(summary)}</summary>\n\n${inner}\n</details>\n\n`;
}

function inline(words: Words): string {
  return words
    .map((part) => {
      if (typeof part === "string") return escapedText(part);
      if ("code" in part) return codeSpan(part.code);
      if ("strong" in part) return `<b>${inline(typeof part.strong === "string" ? [part.strong] : part.strong)}</b>`;
      if ("link" in part) return `<a href="${escaped(part.link)}">${inline(part.words)}</a>`;
      return inline(part.words);
    })
    .join("");
}

/** Our own sentences: the names in them must not mention anybody or link anything. */
function escapedText(text: string): string {
  return escaped(text).replace(/&#(?:64|35);/gu, "$&\u200b");
}

/** In <code> GitHub looks for no mention, no issue and no commit. */
function codeSpan(text: string): string {
  return `<code>${escaped(text)}</code>`;
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

// What GitHub's Markdown reads within a line of HTML: emphasis, links, code, math, emoji, addresses. A colon before a
// space is part of none.
const MARKUP = /[&<>"'\\`*_[\]#|~@$]|:(?!\s|$)|(?<=www)\./gu;

function escaped(text: string): string {
  return printable(text).replace(MARKUP, (character) => ENTITIES[character] ?? `&#${character.charCodeAt(0)};`);
}

/** GitHub counts characters; bytes are never fewer. */
function bytes(text: string): number {
  return Buffer.byteLength(text, "utf8");
}
