import { painter, type Line, broken, type Measure, runsOf, type Run, plain } from "./text-runs.ts";
import { addAllTo, sumOf } from "../../base/grouped.ts";
import {
  type Block,
  type Document,
  type Fold,
  type Item,
  type Labelled,
  type List,
  type Name,
  type NameList,
  type Names,
  type Row,
  type Table,
  type Title,
  type Tone,
  type Words,
} from "./document.ts";

export interface TextOptions {
  readonly color: boolean;
  /** The columns of a terminal; undefined where there is none. */
  readonly columns?: number | undefined;
}

/** The columns of a label, and of the mark behind it. */
const LABEL_WIDTH = 10;
const MARK_WIDTH = 2;
const STEP = 2;
/** A longer cell moves only the rest of its own line. */
const WIDEST_COLUMN = 40;

/** Prints a document for a terminal, or for a file that people read. */
export async function printText(document: Document, { color, columns }: TextOptions): Promise<string> {
  const paint = painter(color);
  const print = (measure: Measure): string => {
    const parts = document.blocks.map((block) =>
      linesOf(block, 0, measure)
        .flatMap((one) => broken(one, columns ?? (one.isWhole === true ? undefined : document.columns), measure))
        .map(paint)
        .join("\n"),
    );
    return `${parts.filter((text) => text !== "").join("\n\n")}\n`;
  };
  // To load the widths of characters costs more than to print most documents.
  let areUsual = true;
  const text = print((part) => {
    areUsual &&= USUAL.test(part);
    return part.length;
  });
  return areUsual ? text : print((await import("string-width")).default);
}

/** The signs of reports that have one column, as ASCII has. */
export const NARROW_SIGNS = "…→−·●○▲✓✕";

const USUAL = new RegExp(`^[\\u0000-\\u007f${NARROW_SIGNS}]*$`, "u");

function linesOf(block: Block, margin: number, measure: Measure): Line[] {
  switch (block.is) {
    case "heading":
      return [line(margin, [{ strong: block.words }])];
    case "verdict":
      return [
        {
          ...line(margin, [{ strong: [{ tone: block.tone, words: [`${block.phrase} `, ...block.words] }] }]),
          isWhole: true,
        },
      ];
    case "paragraph":
      return [line(margin, toned(block.tone, block.words))];
    case "labelled":
      return labelledLines(block, margin, measure);
    case "list":
      return listLines(block, margin, measure);
    case "row":
      return rowLines(block, margin, measure);
    case "names":
      return nameLines(block, margin);
    case "fold":
      return foldLines(block, margin, measure);
    case "section":
      return [
        ...(block.isTitleHidden === true ? [] : [line(margin, [{ strong: [block.title] }])]),
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
    case "calendar":
    case "filter":
      return [];
  }
}

function labelledLines({ label, lines, isNumbered }: Labelled, margin: number, measure: Measure): Line[] {
  const head: Words = [{ strong: [`${label}:`] }];
  const below = lines.flatMap(({ words, rest, blocks = [] }, i) => {
    const prefix = isNumbered === true ? `${i + 1}. ` : i === 0 ? `${label}: ` : "";
    const start = isNumbered === true ? margin + STEP : i === 0 ? margin : margin + label.length + STEP;
    const hanging = isNumbered === true ? start + prefix.length : margin + label.length + STEP;
    const shown: Words = isNumbered === true || i > 0 ? [prefix, ...words] : [...head, " ", ...words];
    return [
      {
        indent: start,
        hanging,
        runs: runsOf(shown),
        ...(rest === undefined ? {} : { rest: { words: rest, isSentence: false } }),
      },
      ...blocks.flatMap((inner) => linesOf(inner, hanging, measure)),
    ];
  });
  return isNumbered === true ? [line(margin, head), ...below] : below;
}

function listLines({ items }: List, margin: number, measure: Measure): Line[] {
  return items.flatMap(({ words, tone, blocks = [] }: Item) => [
    { ...line(margin, toned(tone, words)), hanging: margin + STEP },
    ...blocks.flatMap((inner) => linesOf(inner, margin + STEP, measure)),
  ]);
}

function rowLines(row: Row, margin: number, measure: Measure): Line[] {
  const { label, tone, mark, others = [], blocks } = row;
  const start = margin + LABEL_WIDTH + MARK_WIDTH;
  // A deletion is never green.
  const sign: Words = mark === undefined ? [] : [toned(mark === "-" ? "danger" : tone, [mark]), " "].flat();
  const width = LABEL_WIDTH + (mark === undefined ? MARK_WIDTH : 0);
  const head: Words = [{ tone, words: [label.toUpperCase().padEnd(width)] }, ...sign];
  const [first, ...more] = [row, ...others].map((title) => titleLine(title, start));
  return [
    ...(first === undefined ? [] : [{ ...first, indent: margin, runs: [...runsOf(head), ...first.runs] }]),
    ...more,
    ...blocks.flatMap((inner) => linesOf(inner, start, measure)),
  ];
}

function titleLine({ words, size, effect }: Title, start: number): Line {
  const parts: Words = [...(size === undefined ? [] : [size, ...(words.length === 0 ? [] : [" "])]), ...words];
  return {
    indent: start,
    hanging: start,
    runs: runsOf([{ strong: parts }]),
    ...(effect === undefined ? {} : { rest: { words: effect, isSentence: true } }),
  };
}

function foldLines({ groups, most = Infinity, more }: Fold, margin: number, measure: Measure): Line[] {
  const rows = groups.flatMap((group) => group.rows);
  const left = rows.slice(most);
  return [
    ...rows.slice(0, most).flatMap((row) => rowLines(row, margin, measure)),
    ...(left.length === 0 || more === undefined ? [] : [line(margin + LABEL_WIDTH + MARK_WIDTH, more(left))]),
  ];
}

function nameLines({ lists, most = Infinity, more }: Names, margin: number): Line[] {
  const kinds = new Map<string, Name[]>();
  for (const { kind, names } of lists.flatMap((one) => one.kinds)) addAllTo(kinds, kind, names);
  const left = [...kinds.values()].flatMap((names) => names.slice(most));
  if (left.length === 0 || more === undefined)
    return lists.flatMap((one) => nameListWords(one).map((words) => line(margin, words)));
  // The places are left out too: they would be those of some of the names.
  const shown = { kinds: [...kinds].map(([kind, names]) => ({ kind, names: names.slice(0, most) })) };
  const objects = sumOf(left, (name) => name.objects);
  return [...nameListWords(shown), more(left.length, objects)].map((words) => line(margin, words));
}

/** The names of a list, the kind of each once, and where they are: one or two sentences. */
export function nameListWords({ kinds, where, isWhereApart }: NameList): readonly Words[] {
  const names = kinds.flatMap(({ kind, names: own }, i): Words => [
    ...(i === 0 ? [] : ["; "]),
    `${kind} `,
    ...own.flatMap(({ name }, at): Words => [...(at === 0 ? [] : [", "]), { code: name }]),
  ]);
  if (where === undefined) return [names];
  return isWhereApart === true ? [names, where] : [[...names, " ", ...where]];
}

function tableLines({ columns, rows }: Table, margin: number, measure: Measure): Line[] {
  const titles = columns.map(({ title }): Words => [{ strong: [title] }]);
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
  return { indent, hanging: indent, runs: runsOf(words) };
}
