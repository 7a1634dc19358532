import picocolors from "picocolors";
import { printable } from "../../findings/results/terminal.ts";
import {
  titleOf,
  type Block,
  type Document,
  type Item,
  type List,
  type Member,
  type Members,
  type Row,
  type Table,
  type Tone,
  type Words,
} from "./document.ts";

export interface TextOptions {
  readonly color: boolean;
  /** The columns of a terminal; undefined where there is none: lines then stay whole, as programs read them. */
  readonly columns?: number | undefined;
}

/** Where the text of a row begins, behind its label. */
const LABEL_WIDTH = 12;
/** Narrower than this, every word would be a line. */
const FEWEST_COLUMNS = 40;
const STEP = 2;
/** A longer cell moves only the rest of its own line. */
const WIDEST_COLUMN = 40;

/** A stretch of text in one style. */
interface Run {
  readonly text: string;
  readonly isStrong: boolean;
  readonly tone: Tone | undefined;
}

interface Line {
  readonly indent: number;
  /** Where the line continues if it is broken. */
  readonly hanging: number;
  readonly runs: readonly Run[];
}

type Measure = (text: string) => number;

/** Prints a document for a terminal, or for a file that people read. */
export async function printText({ blocks }: Document, { color, columns }: TextOptions): Promise<string> {
  const measure = await measureFor(blocks);
  const paint = painter(color);
  const print = (lines: readonly Line[]): string =>
    lines
      .flatMap((one) => broken(one, columns, measure))
      .map(paint)
      .join("\n");
  const parts = blocks.map((block) => print(linesOf(block, 0, measure))).filter((text) => text !== "");
  return `${parts.join("\n\n")}\n`;
}

/** Only characters beyond ASCII can be wider or narrower than one column. */
async function measureFor(blocks: readonly Block[]): Promise<Measure> {
  // oxlint-disable-next-line no-control-regex
  if (/^[\u0000-\u007f]*$/u.test(JSON.stringify(blocks))) return (text) => text.length;
  return (await import("string-width")).default;
}

function linesOf(block: Block, margin: number, measure: Measure): Line[] {
  switch (block.is) {
    case "heading":
      return [line(margin, [{ strong: block.words }])];
    case "verdict":
      return [line(margin, [{ strong: [{ tone: block.tone, words: [`${block.phrase} `, ...block.words] }] }])];
    case "paragraph":
      return [line(margin, toned(block.tone, block.words))];
    case "list":
      return listLines(block, margin, measure);
    case "row":
      return rowLines(block, margin, measure);
    case "cut":
      return block.rows.flatMap((row) => rowLines(row, margin, measure));
    case "section":
      return [
        ...(block.isTitleHidden === true ? [] : [line(margin, [{ strong: block.title }])]),
        ...block.blocks.flatMap((inner) => linesOf(inner, inner.is === "table" ? margin + STEP : margin, measure)),
      ];
    case "details":
      return [line(margin, block.summary), ...block.blocks.flatMap((inner) => linesOf(inner, margin + STEP, measure))];
    case "table":
      return tableLines(block, margin, measure);
    case "code":
      return [
        ...(block.title === undefined ? [] : [line(margin, [{ code: block.title }, ":"])]),
        ...block.lines.map((text) => line(margin + STEP, toned(diffTone(block.language, text), [{ code: text }]))),
      ];
    case "members":
      return [line(margin, memberWords(block))];
    case "filter":
      return [];
  }
}

function listLines({ items }: List, margin: number, measure: Measure): Line[] {
  return items.flatMap(({ words, tone, blocks = [] }: Item) => [
    line(margin, toned(tone, words)),
    ...blocks.flatMap((inner) => linesOf(inner, margin + STEP, measure)),
  ]);
}

function rowLines(row: Row, margin: number, measure: Measure): Line[] {
  const { label, tone, blocks } = row;
  const start = margin + LABEL_WIDTH;
  const title: Words = [{ tone, words: [label.toUpperCase().padEnd(LABEL_WIDTH)] }, ...titleOf(row)];
  return [
    { indent: margin, hanging: start, runs: runsOf(title) },
    ...blocks.flatMap((inner) => linesOf(inner, start, measure)),
  ];
}

/** The names of members, the kind of each once. */
export function memberWords({ members, most }: Members): Words {
  const shown = members.slice(0, most);
  const words = shown.flatMap((member, i): Words => {
    const isSameKind = shown[i - 1]?.kind === member.kind;
    return [
      ...(i === 0 ? [] : [isSameKind ? ", " : "; "]),
      ...(isSameKind ? [] : [{ code: member.kind }, " "]),
      { code: nameInPlace(member) },
      ...(member.words ?? []),
    ];
  });
  return members.length > shown.length ? [...words, ` and ${members.length - shown.length} more`] : words;
}

/** A member's name, with its place. */
export function nameInPlace({ name, place }: Pick<Member, "name" | "place">): string {
  return place === undefined ? name : `${name} in ${place}`;
}

function tableLines({ columns, rows }: Table, margin: number, measure: Measure): Line[] {
  const titles = columns.map(({ title }): Words => [{ strong: title }]);
  const hasTitles = columns.some(({ title }) => title !== "");
  // Nothing follows the last cell of a row that has any text, so it may be as long as it is.
  const cells = [...(hasTitles ? [titles] : []), ...rows]
    .map((row) => row.map(runsOf))
    .map((row) => row.slice(0, row.findLastIndex((runs) => runs.some(({ text }) => text !== "")) + 1));
  const widthOf = (runs: readonly Run[]): number => measure(runs.map(({ text }) => text).join(""));
  const isPadded = (row: readonly unknown[], i: number): boolean => i < row.length - 1 || columns[i]?.align === "right";
  // As arguments of one call, the widths of hundreds of thousands of rows would be too many.
  const widths = columns
    .map((_, i) => cells.reduce((most, row) => (isPadded(row, i) ? Math.max(most, widthOf(row[i] ?? [])) : most), 0))
    .map((width) => Math.min(width, WIDEST_COLUMN));
  const start = widths.slice(0, -1).reduce((sum, width) => sum + width + STEP, margin);
  return cells.map((row) => ({
    indent: margin,
    hanging: start,
    runs: row.flatMap((runs, i) => {
      const space = plain(" ".repeat(Math.max(0, (widths[i] ?? 0) - widthOf(runs))));
      const padded = !isPadded(row, i) ? runs : columns[i]?.align === "right" ? [space, ...runs] : [...runs, space];
      return i === row.length - 1 ? padded : [...padded, plain("  ")];
    }),
  }));
}

function diffTone(language: "diff" | "text", text: string): Tone | undefined {
  if (language === "text") return undefined;
  return text.startsWith("+") ? "ok" : text.startsWith("-") ? "danger" : "muted";
}

function toned(tone: Tone | undefined, words: Words): Words {
  return tone === undefined ? words : [{ tone, words }];
}

function line(indent: number, words: Words): Line {
  return { indent, hanging: indent + STEP, runs: runsOf(words) };
}

function plain(text: string): Run {
  return { text, isStrong: false, tone: undefined };
}

function runsOf(words: Words): readonly Run[] {
  return styled(words, plain(""));
}

function styled(words: Words, style: Run): readonly Run[] {
  return words.flatMap((part): readonly Run[] => {
    if (typeof part === "string") return [{ ...style, text: printable(part) }];
    if ("code" in part) return [{ ...style, text: printable(part.code) }];
    if ("strong" in part) {
      const inner = typeof part.strong === "string" ? [part.strong] : part.strong;
      return styled(inner, { ...style, isStrong: true });
    }
    return styled(part.words, "tone" in part ? { ...style, tone: part.tone } : style);
  });
}

/** A line broken at its spaces where it is longer than the terminal is wide. A longer word stays whole: people copy it. */
function broken({ indent, hanging, runs }: Line, columns: number | undefined, measure: Measure): Run[][] {
  const start = (n: number): Run[] => (n === 0 ? [] : [plain(" ".repeat(n))]);
  const width = columns === undefined ? Infinity : Math.max(columns, FEWEST_COLUMNS);
  const text = runs.map((run) => run.text).join("");
  if (indent + measure(text) <= width) return [guarded([...start(indent), ...runs])];
  // At least half of a line is for the text.
  const next = Math.min(hanging, Math.floor(width / 2));
  const lines: Run[][] = [];
  let current: Run[] = start(Math.min(indent, next));
  let used = Math.min(indent, next);
  let isEmpty = true;
  for (const word of wordsOf(runs)) {
    const length = measure(word.map((run) => run.text).join(""));
    const isSpace = word.every((run) => run.text.trim() === "");
    if (!isEmpty && !isSpace && used + length > width) {
      lines.push(current);
      current = start(next);
      used = next;
    } else if (isSpace && lines.length > 0 && used === next) continue;
    current.push(...word);
    used += length;
    isEmpty = isEmpty && isSpace;
  }
  return [...lines, current].map(guarded);
}

/** Runs at the spaces between words: each element is a word or a stretch of spaces, in the styles that it has. */
function wordsOf(runs: readonly Run[]): Run[][] {
  const words: Run[][] = [];
  let wasSpace: boolean | undefined;
  for (const run of runs) {
    for (const text of run.text.match(/ +|[^ ]+/gu) ?? []) {
      const isSpace = text.startsWith(" ");
      const piece = { ...run, text };
      if (isSpace === wasSpace) words.at(-1)?.push(piece);
      else words.push([piece]);
      wasSpace = isSpace;
    }
  }
  return words;
}

/**
 * GitHub's runner takes a line that begins with `::`, indented or not, for a command, and `##[` wherever it stands
 * (actions/runner, ActionCommand.cs). `printable` sees each run by itself.
 */
function guarded(runs: readonly Run[]): Run[] {
  let before = "";
  const ended = runs.findLastIndex(({ text }) => text.trim() !== "");
  return runs.slice(0, ended + 1).map((run, i) => {
    let { text } = run;
    if (i === ended) text = text.trimEnd();
    if (before.endsWith("##") && text.startsWith("[")) text = `\\u005b${text.slice(1)}`;
    else if (before.endsWith("#") && text.startsWith("#[")) text = `\\u0023${text.slice(1)}`;
    const colon = before.trim() === "" ? /^\s*:(?=:)/u.exec(text) : null;
    if (colon !== null) text = `${text.slice(0, colon[0].length - 1)}\\u003a${text.slice(colon[0].length)}`;
    else if (before.trim() === ":" && text.startsWith(":")) text = `\\u003a${text.slice(1)}`;
    before += run.text;
    return { ...run, text };
  });
}

function painter(color: boolean): (runs: readonly Run[]) => string {
  const colors = picocolors.createColors(color);
  const tones = { danger: colors.red, attention: colors.yellow, ok: colors.green, muted: colors.dim };
  return (runs) =>
    runs
      .map(({ text, isStrong, tone }) => {
        if (text.trim() === "") return text;
        const painted = tone === undefined ? text : tones[tone](text);
        return isStrong ? colors.bold(painted) : painted;
      })
      .join("");
}
