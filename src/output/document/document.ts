/*
 * A report as a document: typed blocks, whose words are inline parts. A report is traversed once to make its document;
 * `printText`, `printMarkdown` and `printHtml` print it. Only the printers escape, wrap and color, so the parts hold
 * texts as they are, whatever a manifest says. Blocks of a section follow each other; top-level blocks stand apart.
 *
 *     const document: Document = {
 *       title: "Rollout plan",
 *       blocks: [
 *         verdict("attention", "▲", "Review first:", "Deployment ", code("shop/web"), " keeps the old value"),
 *         section({ id: "rows", title: "Rows", isTitleHidden: true }, [
 *           row({ label: "stale", tone: "attention", words: ["Deployment ", code("shop/web")], effect: ["its pods keep it"] }, [
 *             labelled("Fix", [{ words: [code("rollstamp stamp")] }]),
 *           ]),
 *         ]),
 *         table([numbers("pods"), texts("source")], [[["4"], [code("ConfigMap shop/env")]]]),
 *         paragraph([strong("Plan:"), " no rollouts"]),
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
  | { readonly strong: Words }
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
  | Labelled
  | List
  | Row
  | Names
  | Fold
  | Section
  | Details
  | Table
  | Code
  | Calendar
  | Filter;

export interface Document {
  readonly title: string;
  readonly blocks: readonly Block[];
  /** How wide its text is where there is no terminal; by default lines stay whole, as programs read them. */
  readonly columns?: number;
  /** What a printer that has too little room says about the rows that it leaves out. */
  readonly leftOut?: (rows: readonly Row[]) => Words;
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

/** Lines with one label: "Cause: …", "Fix: …". */
export interface Labelled {
  readonly is: "labelled";
  readonly label: string;
  readonly lines: readonly LabelledLine[];
  /** Numbers instead of one line behind the label: the order matters. */
  readonly isNumbered?: boolean;
}

export interface LabelledLine {
  readonly words: Words;
  /** What follows a colon: on a line of its own if there is no room. */
  readonly rest?: Words;
  /** A sentence of its own about the lines before it. */
  readonly isSentence?: boolean;
  readonly blocks?: readonly Block[];
}

/** Short entries: bullets in Markdown and HTML, lines in text. */
export interface List {
  readonly is: "list";
  readonly items: readonly Item[];
  readonly role?: string;
}

export interface Item {
  readonly words: Words;
  readonly tone?: Tone;
  readonly blocks?: readonly Block[];
}

/** What a row is about, and what happens to it. */
export interface Title {
  /** Which objects; empty if there are too many for one line. */
  readonly words: Words;
  /** How many: "20 workloads, 22 pods". */
  readonly size?: string;
  /** What happens to them: on the same line if there is room. */
  readonly effect?: Words;
}

/** A labelled entry of a report: what it is about, then the blocks that explain it. */
export interface Row extends Title {
  readonly is: "row";
  readonly label: string;
  readonly tone: Tone;
  /** For the eye, beside the label of a page: it says the same as the tone. */
  readonly sign?: string;
  /** Whether objects come, change or go. */
  readonly mark?: "+" | "~" | "-";
  /** Others with the same label and cause, to which something else happens. */
  readonly others?: readonly Title[];
  /** How much it weighs, on a page: "4 pods". */
  readonly cost?: string;
  readonly blocks: readonly Block[];
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
  readonly role?: string;
}

export interface Table {
  readonly is: "table";
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Words[])[];
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

/** The names that a row stands for. */
export interface Names {
  readonly is: "names";
  readonly lists: readonly NameList[];
  /** How many names of a kind text shows, and what it says about the others. */
  readonly most?: number;
  readonly more?: (names: number, objects: number) => Words;
}

/** Names in the same places. */
export interface NameList {
  readonly kinds: readonly { readonly kind: string; readonly names: readonly Name[] }[];
  /** "in all 12 applications" */
  readonly where?: Words;
  /** Whether the places are a line of their own: several kinds have them. */
  readonly isWhereApart?: boolean;
}

export interface Name {
  readonly name: string;
  /** How many objects have the name. */
  readonly objects: number;
  readonly facets?: Facets;
}

/** Rows that nobody has to read: a page and Markdown fold them. */
export interface Fold {
  readonly is: "fold";
  /** Rows with the same label. */
  readonly groups: readonly FoldGroup[];
  /** How many rows text shows, and what it says about the others. */
  readonly most?: number;
  readonly more?: (rows: readonly Row[]) => Words;
}

export interface FoldGroup {
  readonly label: string;
  readonly tone: Tone;
  readonly sign: string;
  /** "7 workloads, 18 pods" */
  readonly size: string;
  readonly rows: readonly Row[];
}

/** Days, of which a page shows the weeks as columns. Text and Markdown have no room for it. */
export interface Calendar {
  readonly is: "calendar";
  /** In order, each day once. Days between them are empty. */
  readonly days: readonly Day[];
}

export interface Day {
  /** `2026-03-09` */
  readonly date: string;
  readonly tone: Tone;
  /** What happened: the words that a pointer shows. */
  readonly title: string;
}

export interface Filter {
  readonly is: "filter";
  readonly facets: readonly Facet[];
}

export interface Facet {
  readonly id: string;
  readonly label: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
}
