import { inOneLine, namesIn, plainText } from "./blocks.ts";
import { capital } from "./text-runs.ts";
import { placed, bytes, joinedPieces, type Piece, isFolding, MARKS, isLong } from "./markdown-room.ts";
import { counted } from "../../base/words.ts";
import { printable } from "../../findings/results/terminal.ts";
import type { Block, Code, Document, Labelled, List, Names, Row, Table, Title, Tone } from "./document.ts";
import { inline, inlineHtml } from "./markdown-words.ts";
import { nameListWords } from "./text.ts";

// Markdown as GitHub renders it in a comment, in which nothing that a manifest says is more than text.

export interface MarkdownOptions {
  /** The first line, by which a later run finds its comment. */
  readonly marker: string;
  /** How many bytes the document may have. */
  readonly longest: number;
}

/** GitHub takes 65,536 characters in a comment, and one fewer in the summary of a check run. */
export const LONGEST_COMMENT = 60_000;
/** Kept for the sentence that says what was left out. */
const RESERVE = 4_000;
/** How many names of a kind a routine row keeps if there is no room for all. */
const FEW_NAMES = 12;

const VERDICT_MARKS: Readonly<Record<Tone, string>> = { danger: "🛑", attention: "⚠️", ok: "✅", muted: "⚪" };

/** The first line of a comment, by which a later run finds it. */
export function commentMarker(command: string, title: string): string {
  return `<!-- rollstamp ${command}: ${title.replace(/[^\w ./=-]/gu, "_").replaceAll("--", "__")} -->`;
}

/**
 * Prints a document for a comment on a pull request. What has no room is left out and counted: first names of routine
 * rows, then routine rows, then names of others, and others at last.
 */
export function printMarkdown(document: Document, { marker, longest }: MarkdownOptions): string {
  const head = `${marker}\n`;
  const pieces = document.blocks.flatMap((block) => piecesOf(block));
  const whole = placed(pieces, longest - bytes(head));
  if (whole.every(({ piece, text }) => text === piece.full)) return `${head}${joinedPieces(whole)}\n`;
  const some = placed(pieces, longest - RESERVE - bytes(head));
  const left = some.flatMap(({ piece, text }) => (text === undefined ? (piece.row ?? []) : []));
  const rest = left.length === 0 || document.leftOut === undefined ? "" : `\n\n${inline(document.leftOut(left))}`;
  return `${head}${joinedPieces(some)}${rest}\n`;
}

function piecesOf(block: Block): readonly Piece[] {
  switch (block.is) {
    case "section": {
      const pieces = block.blocks.flatMap(piecesOf);
      if (block.isTitleHidden === true || pieces.length === 0) return pieces;
      const head = `**${inline([block.title])}**`;
      return [{ brief: head, full: head, weight: "other" }, ...pieces];
    }
    case "row": {
      const weight = block.tone === "muted" ? "other" : "risky";
      const options = { hasMark: true, isFolded: false };
      const [brief, full] = [bullet(block, { ...options, names: 0 }), bullet(block, { ...options, names: Infinity })];
      return [{ brief, full, weight, row: block }];
    }
    case "fold": {
      const hasMark = !isFolding(block);
      return block.groups.flatMap(({ rows }) =>
        rows.map((row): Piece => ({
          brief: bullet(row, { names: FEW_NAMES, hasMark, isFolded: true }),
          full: bullet(row, { names: Infinity, hasMark, isFolded: true }),
          weight: "routine",
          row,
          fold: block,
        })),
      );
    }
    case "calendar":
    case "filter":
      return [];
    default: {
      const text = blockText(block);
      const isFirst =
        block.is === "verdict" || block.is === "heading" || (block.is === "paragraph" && isFramed(block.role));
      const isBelowHeading = block.is === "paragraph" && block.role === "context";
      return text === "" ? [] : [{ brief: text, full: text, weight: isFirst ? "first" : "other", isBelowHeading }];
    }
  }
}

/** What was compared, and the totals: a comment always has them. */
function isFramed(role: string | undefined): boolean {
  return role === "context" || role === "totals" || role === "gate";
}

interface BulletOptions {
  /** How many names of a kind it has. */
  readonly names: number;
  readonly hasMark: boolean;
  /** Whether it is folded with others, so that its names need not be. */
  readonly isFolded: boolean;
}

/** A row as an entry of a list: sentences, then what needs lines of its own. */
function bullet(row: Row, options: BulletOptions): string {
  const { hasMark } = options;
  const { label, tone, mark, others = [], blocks } = row;
  const sign = hasMark ? `${MARKS[tone]} ` : "";
  const start = `- ${sign}**${inline([capital(label)])}**`;
  const change = mark === undefined || label !== "other" ? "" : `${CHANGES[mark]} `;
  const [first = "", ...more] = [row, ...others].map((title) => titleText(title, change));
  if (more.length > 0 && blocks.length === 0) return [first, ...more].map((text) => `${start}${text}`).join("\n");
  const said = [
    ...more.map((text) => text.replace(/^: /u, "")),
    ...blocks.flatMap((block) => sentencesOf(block, options)),
  ];
  const below = blocks.flatMap((block) => nestedOf(block, options));
  return [`${start}${[first, ...said].reduce(withPeriod)}`, ...below.map(indented)].join("\n");
}

const CHANGES = { "+": "+", "~": "∼", "-": "−" } as const;

function titleText({ words, size, effect }: Title, change: string): string {
  const what = plainText(words) === "" ? "" : `${size === undefined ? ": " : " "}${change}${inline(words)}`;
  const number = size === undefined ? "" : `, ${inline([size])}`;
  return `${number}${what}${effect === undefined ? "" : `: ${inline(effect)}`}`;
}

/** Sentences behind each other; one that has a period keeps it. */
function withPeriod(text: string, next: string): string {
  return `${text}${/[.:?!]$/u.test(text) ? "" : "."} ${next}`;
}

function indented(text: string): string {
  return text
    .split("\n")
    .map((line) => (line === "" ? "" : `  ${line}`))
    .join("\n");
}

/** What a block of a row says in its line. */
function sentencesOf(block: Block, options: BulletOptions): readonly string[] {
  switch (block.is) {
    case "paragraph":
      return [inline(block.words)];
    case "labelled":
      return labelledSentences(block);
    case "names":
      return isApart(block, options) ? [] : namesSentences(block, options.names);
    default:
      return [];
  }
}

function labelledSentences({ label, lines, isNumbered }: Labelled): readonly string[] {
  const head = `**${inline([`${label}:`])}**`;
  if (isNumbered === true) return [head];
  const texts = lines.map((line) => inline(inOneLine(line)));
  const said = texts.filter((_, i) => lines[i]?.isSentence !== true);
  return [`${head} ${said.join("; ")}`, ...texts.filter((_, i) => lines[i]?.isSentence === true)];
}

function namesSentences({ lists }: Names, most: number): readonly string[] {
  const all = namesIn(lists).length;
  if (most === 0) return [`${counted(all, "name")}, not shown`];
  const shown = lists.map((one) => ({
    ...one,
    kinds: one.kinds.map(({ kind, names }) => ({ kind, names: names.slice(0, most) })),
  }));
  const more = all - namesIn(shown).length;
  return [
    ...shown.map((one) => nameListWords(one).map(inline).join(" ")),
    ...(more > 0 ? [`and ${counted(more, "more name")}`] : []),
  ];
}

/** Whether the names of a row are folded below it. */
function isApart(block: Names, { names, isFolded }: BulletOptions): boolean {
  return !isFolded && names === Infinity && isLong(block);
}

/** What a block says in lines of its own. */
function nestedOf(block: Block, options: BulletOptions): readonly string[] {
  switch (block.is) {
    case "labelled":
      return [
        ...(block.isNumbered === true ? block.lines.map(({ words }, i) => `${i + 1}. ${inline(words)}`) : []),
        ...block.lines.flatMap(({ blocks = [] }) => blocks.flatMap((inner) => nestedOf(inner, options))),
      ];
    case "list":
      return block.items.map(({ words }) => `- ${inline(words)}`);
    case "code":
      return [codeText(block)];
    case "names": {
      if (!isApart(block, options)) return [];
      const text = namesSentences(block, Infinity).reduce(withPeriod);
      return [`<details><summary>${namesIn(block.lists).length} names</summary>\n\n${text}\n</details>`];
    }
    default:
      return [];
  }
}

function codeText({ title, lines, language }: Code): string {
  const longest =
    lines
      .join("\n")
      .match(/`+/gu)
      ?.reduce((n, run) => Math.max(n, run.length), 2) ?? 2;
  const fence = "`".repeat(longest + 1);
  const name = title === undefined ? "" : `${inline([{ code: title }])}\n\n`;
  return `${name}${fence}${language === "diff" ? "diff" : ""}\n${lines.map(printable).join("\n")}\n${fence}`;
}

/** A block that is in no row. */
const ALONE: BulletOptions = { names: Infinity, hasMark: false, isFolded: true };

function blockText(block: Exclude<Block, { readonly is: "section" | "row" | "fold" | "calendar" | "filter" }>): string {
  switch (block.is) {
    case "heading":
      return `${"#".repeat(block.level + 2)} ${inline(block.words)}`;
    case "verdict":
      return `### ${VERDICT_MARKS[block.tone]} ${inline([block.phrase])} ${inline(block.words)}`.trimEnd();
    case "paragraph":
      return inline(block.words);
    case "labelled":
      return [labelledSentences(block).reduce(withPeriod), ...nestedOf(block, ALONE)].join("\n\n");
    case "list":
      return listText(block);
    case "table":
      return tableText(block);
    case "code":
      return codeText(block);
    case "names":
      return namesSentences(block, Infinity).reduce(withPeriod);
    case "details": {
      const inner = block.blocks.flatMap(piecesOf).map((piece) => ({ piece, text: piece.full }));
      return `<details><summary>${inlineHtml(block.summary)}</summary>\n\n${joinedPieces(inner)}\n</details>`;
    }
  }
}

function listText({ items }: List): string {
  return items
    .map(({ words, blocks = [] }) =>
      [`- ${inline(words)}`, ...blocks.flatMap((inner) => nestedOf(inner, ALONE)).map(indented)].join("\n"),
    )
    .join("\n");
}

function tableText({ columns, rows }: Table): string {
  if (rows.length === 0) return "";
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [
    line(columns.map(({ title }) => inlineHtml([title]))),
    `|${columns.map(({ align }) => (align === "right" ? "--:" : "---")).join("|")}|`,
    ...rows.map((row) => line(row.map(inlineHtml))),
  ].join("\n");
}
