import type {
  Item,
  Verdict,
  Part,
  Words,
  Tone,
  Heading,
  Paragraph,
  LabelledLine,
  Labelled,
  List,
  Row,
  Block,
  Section,
  Column,
  Table,
  Facet,
  Code,
  NameList,
  Name,
} from "./document.ts";
import { compareNames } from "../../base/names.ts";

// Makes blocks and words of documents, and reads words.

/** A name, a path or a value. */
export function code(text: string): Part {
  return { code: text };
}

/** Names with commas between them: at most so many, and how many more there are. `others` of them are not in the list. */
export function codes(names: readonly string[], most: number = Infinity, others: number = 0): Words {
  const shown = names.map((name) => [code(name)]);
  return someOf(shown, most, others);
}

export function strong(words: string | Words): Part {
  return { strong: asWords(words) };
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

/** Lines with one label. */
export function labelled(label: string, lines: readonly LabelledLine[], isNumbered: boolean = false): Labelled {
  return { is: "labelled", label, lines, ...(isNumbered ? { isNumbered } : {}) };
}

/** A list of texts, or of entries with blocks of their own. */
export function list(items: readonly (string | Words | Item)[], options: Pick<List, "role"> = {}): List {
  return { is: "list", items: items.map(asItem), ...options };
}

export function row(given: Omit<Row, "is" | "blocks">, blocks: readonly Block[] = []): Row {
  return { is: "row", ...given, blocks };
}

export function section(given: Omit<Section, "is" | "blocks">, blocks: readonly Block[]): Section {
  return { is: "section", ...given, blocks };
}

/** A table with its columns; rows of words. */
export function table(columns: readonly Column[], rows: readonly (readonly Words[])[]): Table {
  return { is: "table", columns, rows };
}

/** Labelled values. A label with several values stands beside the first one; one without any is left out. */
export function fields(
  all: readonly (readonly [label: string, values: string | readonly string[] | undefined])[],
): Table {
  return table(
    [texts(""), texts("")],
    all.flatMap(([label, values = []]) => [values].flat().map((value, i) => [[i === 0 ? label : ""], [value]])),
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

/** A choice among values, in the order of names. */
export function facet(id: string, label: string, values: Iterable<string>): Facet {
  return { id, label, options: [...new Set(values)].sort(compareNames).map((value) => ({ value, label: value })) };
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

/** A line with what follows its colon. */
export function inOneLine({ words, rest }: Pick<LabelledLine, "words" | "rest">): Words {
  return rest === undefined ? words : [...words, ": ", ...rest];
}

/** All names of some lists. */
export function namesIn(lists: readonly NameList[]): readonly Name[] {
  return lists.flatMap(({ kinds }) => kinds.flatMap(({ names }) => names));
}

/** Words with commas between them. */
export function joined(all: readonly Words[], separator: string = ", "): Words {
  return all.flatMap((words, i) => (i === 0 ? words : [separator, ...words]));
}

/** The same of at most so many, and how many more there are. */
export function someOf(all: readonly Words[], most: number, others: number = 0): Words {
  const more = Math.max(0, all.length - most) + others;
  return [...joined(all.slice(0, most)), ...(more > 0 ? [` and ${more} more`] : [])];
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
