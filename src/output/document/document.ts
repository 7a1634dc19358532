/*
 * A report as a document: typed blocks, whose words are inline parts. A report is traversed once to make its document;
 * `printText`, `printMarkdown` and `printHtml` print it. Only the printers escape, wrap and color, so the parts hold
 * texts as they are, whatever a manifest says. Blocks of a section follow each other; top-level blocks stand apart.
 *
 *     const document: Document = {
 *       title: "Rollout status",
 *       blocks: [
 *         verdict("attention", "▲", "Review first:", "1 workload is stale"),
 *         row({ label: "stale", tone: "attention", words: [code("Deployment"), " ", code("shop/web")] }, [
 *           paragraph([code("LOG_LEVEL"), " changed"]),
 *         ]),
 *         table([numbers("pods"), texts("source")], [[["4"], [code("ConfigMap shop/env")]]]),
 *         diff(["-LOG_LEVEL: info", "+LOG_LEVEL: debug"]),
 *         paragraph([strong("14 workloads checked")]),
 *       ],
 *     };
 *     await io.writeStdout(await printText(document, { color: true, columns: io.stdoutColumns }));
 */

/** How much something matters: red, amber, green, or grey for what is not applied or less important. */
export type Tone = "danger" | "attention" | "ok" | "muted";

/** A piece of a sentence. A string is our own wording; it may quote names, so printers escape it like everything else. */
export type Part =
  | string
  /** A name, a path or a value: never broken, never read as markup. */
  | { readonly code: string }
  | { readonly strong: string | Words }
  | { readonly tone: Tone; readonly words: Words }
  | { readonly link: `https://${string}`; readonly words: Words }
  /** In HTML a link that filters by a facet; elsewhere its words. */
  | { readonly facet: string; readonly value: string; readonly words: Words };

/** A sentence, or a part of one. */
export type Words = readonly Part[];

export type Block =
  | Heading
  | Verdict
  | Paragraph
  | List
  | Row
  | Section
  | Details
  | Table
  | Code
  | Members
  | Filter
  | Cut;

export interface Document {
  readonly title: string;
  readonly blocks: readonly Block[];
}

export interface Heading {
  readonly is: "heading";
  readonly level: 1 | 2 | 3;
  readonly words: Words;
}

/** The decision: the first line of a report. */
export interface Verdict {
  readonly is: "verdict";
  readonly tone: Tone;
  /** A sign that says the same as the tone, where color is not seen. */
  readonly sign: string;
  /** "Review first:" */
  readonly phrase: string;
  readonly words: Words;
}

export interface Paragraph {
  readonly is: "paragraph";
  readonly words: Words;
  readonly tone?: Tone;
  /** What kind of paragraph it is, for the style of a page. */
  readonly role?: string;
}

/** Short entries: bullets in Markdown and HTML, lines in text. */
export interface List {
  readonly is: "list";
  readonly items: readonly Item[];
  readonly role?: string;
  /** How many entries a page shows before it folds the others. */
  readonly foldAfter?: number;
}

export interface Item {
  readonly words: Words;
  readonly tone?: Tone;
  readonly blocks?: readonly Block[];
}

/** A labelled entry of a report: what it is about, then the blocks that explain it. */
export interface Row {
  readonly is: "row";
  readonly label: string;
  readonly tone: Tone;
  readonly sign?: string;
  readonly words: Words;
  /** Of how many things it tells, where it stands for several: "300 workloads". */
  readonly count?: { readonly number: number; readonly noun: string };
  /** How much it weighs: "4 pods". */
  readonly cost?: string;
  /** What happens to it, in the same line. */
  readonly effect?: Words;
  /** What else its line says where its blocks are folded: Markdown has it. */
  readonly brief?: Words;
  readonly blocks: readonly Block[];
  /** Whether it is shown in full where rows can be folded. */
  readonly isOpen?: boolean;
  /** The values by which a page filters it. */
  readonly facets?: Facets;
}

/** Values by the facet that they belong to. */
export type Facets = Readonly<Record<string, readonly string[]>>;

/** Blocks that belong together. */
export interface Section {
  readonly is: "section";
  readonly id: string;
  readonly title: string;
  /** How many things it has. */
  readonly total?: number;
  /** Whether only a page shows the title: rows say by their labels what they are. */
  readonly isTitleHidden?: boolean;
  readonly blocks: readonly Block[];
}

/** Blocks that a page and Markdown fold behind a summary. */
export interface Details {
  readonly is: "details";
  readonly summary: Words;
  readonly blocks: readonly Block[];
  readonly isOpen?: boolean;
  readonly role?: string;
}

export interface Table {
  readonly is: "table";
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Words[])[];
  readonly foldAfter?: number;
}

export interface Column {
  readonly title: string;
  readonly align: "left" | "right";
}

/** Lines as they are; of a diff their first characters say what they are. */
export interface Code {
  readonly is: "code";
  readonly lines: readonly string[];
  readonly language: "diff" | "text";
  /** What the lines are of. */
  readonly title?: string;
}

/** Names that one row stands for: a page folds them, text and Markdown name the first. */
export interface Members {
  readonly is: "members";
  readonly members: readonly Member[];
  /** How many names text and Markdown have. */
  readonly most: number;
}

export interface Member {
  readonly kind: string;
  readonly name: string;
  /** Where it is, if that has to be said. */
  readonly place?: string;
  /** What follows the name. */
  readonly words?: Words;
  readonly facets?: Facets;
  /** What differs from the other members. */
  readonly blocks: readonly Block[];
}

/** The filters of a page. */
export interface Filter {
  readonly is: "filter";
  readonly facets: readonly Facet[];
}

export interface Facet {
  readonly id: string;
  readonly label: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
}

/** Rows of which a printer that has too little room leaves out the last; `rest` says what it has left out. */
export interface Cut {
  readonly is: "cut";
  readonly rows: readonly Row[];
  /** Whether these are the first to be left out, as nobody has to read them. */
  readonly isRoutine: boolean;
  readonly rest: (rows: readonly Row[]) => Words;
}

/** A name, a path or a value. */
export function code(text: string): Part {
  return { code: text };
}

export function strong(words: string | Words): Part {
  return { strong: words };
}

export function verdict(tone: Tone, sign: string, phrase: string, ...words: Part[]): Verdict {
  return { is: "verdict", tone, sign, phrase, words };
}

export function heading(level: Heading["level"], words: string | Words): Heading {
  return { is: "heading", level, words: asWords(words) };
}

export function paragraph(words: string | Words, options: Pick<Paragraph, "tone" | "role"> = {}): Paragraph {
  return { is: "paragraph", words: asWords(words), ...options };
}

/** A list of texts, or of entries with blocks of their own. */
export function list(items: readonly (string | Words | Item)[], options: Pick<List, "role" | "foldAfter"> = {}): List {
  return { is: "list", items: items.map(asItem), ...options };
}

export function row(given: Omit<Row, "is" | "blocks">, blocks: readonly Block[] = []): Row {
  return { is: "row", ...given, blocks };
}

export function section(given: Omit<Section, "is" | "blocks">, blocks: readonly Block[]): Section {
  return { is: "section", ...given, blocks };
}

/** A table with its columns; rows of words. */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly Words[])[],
  options: Pick<Table, "foldAfter"> = {},
): Table {
  return { is: "table", columns, rows, ...options };
}

/** Labelled values. A label with several values stands beside the first one. */
export function fields(all: readonly (readonly [label: string, values: readonly string[]])[]): Table {
  return table(
    [texts(""), texts("")],
    all.flatMap(([label, values]) => values.map((value, i) => [[i === 0 ? label : ""], [value]])),
  );
}

/** A section that is known by its title. */
export function titled(title: string, ...blocks: readonly Block[]): Section {
  return section({ id: title, title }, blocks);
}

/** A column of numbers. */
export function numbers(title: string): Column {
  return { title, align: "right" };
}

/** A column of texts. */
export function texts(title: string): Column {
  return { title, align: "left" };
}

/** The lines of a diff. */
export function diff(lines: readonly string[], title?: string): Code {
  return { is: "code", lines, language: "diff", ...(title === undefined ? {} : { title }) };
}

function isItem(item: Words | Item): item is Item {
  return "words" in item;
}

function asItem(item: string | Words | Item): Item {
  if (typeof item === "string") return { words: [item] };
  return isItem(item) ? item : { words: item };
}

function asWords(words: string | Words): Words {
  return typeof words === "string" ? [words] : words;
}

/** The line of a row: how many things or which, and what happens to them. */
export function titleOf({ words, count, cost, effect }: Row): Words {
  const size = count === undefined ? [] : [`${count.number} ${count.noun}${cost === undefined ? "" : `, ${cost}`}`];
  return [{ strong: [...size, ...words] }, ...(effect === undefined ? [] : [": ", ...effect])];
}

/** The text of words without any form: for comparisons and labels, not for output. */
export function plainText(words: string | Words): string {
  if (typeof words === "string") return words;
  return words
    .map((part) => {
      if (typeof part === "string") return part;
      if ("code" in part) return part.code;
      return plainText("strong" in part ? part.strong : part.words);
    })
    .join("");
}
