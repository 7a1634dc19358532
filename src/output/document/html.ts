import { BREAK, element, LINE_BREAK, type Child, type Html } from "../html/html.ts";
import { page } from "../html/page.ts";
import { DOCUMENT_SCRIPT } from "../html/pages.js";
import { choice, filterBar, searchField } from "../html/parts.ts";
import type {
  Block,
  Code,
  Cut,
  Details,
  Document,
  Facets,
  Filter,
  Item,
  List,
  Member,
  Members,
  Row,
  Section,
  Table,
  Verdict,
  Words,
} from "./document.ts";
import { nameInPlace } from "./text.ts";

/** Prints a document as one page that needs nothing else: to read, to search, and to print on paper. */
export function printHtml(document: Document): string {
  return page({ title: document.title, body: bodyOf(document), script: DOCUMENT_SCRIPT });
}

/** Where rows and members are in the page, and which is the first with each value of a facet. */
interface Places {
  readonly idOf: (entry: Row | Member) => string;
  readonly firstWith: (facet: string, value: string) => string | undefined;
  /** The attributes by which the script filters. */
  readonly attributesOf: (facets: Facets | undefined) => Readonly<Record<`data-${string}`, string>>;
}

/** What comes before the first section is the head of the page. */
function bodyOf({ title, blocks }: Document): Html {
  const places = placesOf(blocks);
  const start = blocks.findIndex(({ is }) => is === "section");
  const head = start < 0 ? blocks : blocks.slice(0, start);
  return element(
    "div",
    { class: "page plan" },
    element("header", {}, element("h1", {}, title), children(head, places)),
    element("main", {}, children(start < 0 ? [] : blocks.slice(start), places)),
  );
}

function placesOf(blocks: readonly Block[]): Places {
  const ids = new Map<Row | Member, string>();
  const firsts = new Map<string, string>();
  const isFiltered = blocks.some(({ is }) => is === "filter");
  for (const entry of entriesOf(blocks)) {
    const id = `w${ids.size}`;
    ids.set(entry, id);
    for (const [facet, values] of Object.entries(entry.facets ?? {}))
      for (const value of values) if (!firsts.has(`${facet} ${value}`)) firsts.set(`${facet} ${value}`, id);
  }
  return {
    idOf: (entry) => ids.get(entry) ?? "",
    firstWith: (facet, value) => firsts.get(`${facet} ${value}`),
    attributesOf: (facets = {}) =>
      Object.fromEntries(
        Object.entries(isFiltered ? facets : {}).flatMap(([facet, values]): [`data-${string}`, string][] =>
          values.length === 0 ? [] : [[`data-${facet}`, values.map(token).join(" ")]],
        ),
      ),
  };
}

/** Rows and members, in the order of the page. */
function entriesOf(blocks: readonly Block[]): (Row | Member)[] {
  return blocks.flatMap((block): (Row | Member)[] => {
    switch (block.is) {
      case "row":
        return [block, ...entriesOf(block.blocks)];
      case "cut":
        return entriesOf(block.rows);
      case "section":
      case "details":
        return entriesOf(block.blocks);
      case "members":
        return [...block.members];
      default:
        return [];
    }
  });
}

/** A value of a facet among others, apart by spaces. */
function token(value: string): string {
  return value.replaceAll("%", "%25").replaceAll(" ", "%20");
}

/** Rows that follow each other are one list. */
function children(blocks: readonly Block[], places: Places): Child[] {
  const found: Child[] = [];
  let rows: Html[] = [];
  const end = (): void => {
    if (rows.length > 0) found.push(element("ul", { class: "cards", role: "list" }, rows));
    rows = [];
  };
  for (const block of blocks) {
    if (block.is === "row") rows.push(rowItem(block, places));
    else if (block.is === "cut") rows.push(...block.rows.map((row) => rowItem(row, places)));
    else {
      end();
      found.push(blockHtml(block, places));
    }
  }
  end();
  return found;
}

function blockHtml(block: Exclude<Block, Row | Cut>, places: Places): Child {
  switch (block.is) {
    case "heading":
      return element(({ 1: "h1", 2: "h2", 3: "h3" } as const)[block.level], {}, inline(block.words, places));
    case "verdict":
      return verdictHtml(block, places);
    case "paragraph":
      return element("p", { class: classes(block.role, block.tone) }, inline(block.words, places));
    case "list":
      return listHtml(block, places);
    case "section":
      return sectionHtml(block, places);
    case "details":
      return detailsHtml(block, places);
    case "table":
      return tableHtml(block, places);
    case "code":
      return codeHtml(block);
    case "members":
      return membersHtml(block, places);
    case "filter":
      return filterHtml(block);
  }
}

function verdictHtml({ tone, sign, phrase, words }: Verdict, places: Places): Html {
  return element(
    "p",
    { class: `verdict ${tone}` },
    mark(sign),
    " ",
    element("strong", {}, phrase),
    " ",
    inline(words, places),
  );
}

/** A sign for the eye: the words beside it say the same. */
function mark(sign: string): Html {
  return element("span", { class: "mark", "aria-hidden": "true" }, sign);
}

function sectionHtml({ id, title, total, blocks }: Section, places: Places): Html {
  return element(
    "section",
    {
      id,
      class: blocks.some(({ is }) => is === "row" || is === "cut") ? "rows" : undefined,
      "aria-labelledby": `${id}-title`,
    },
    element(
      "h2",
      { id: `${id}-title` },
      title,
      total === undefined ? undefined : [" ", element("span", { class: "total" }, total)],
    ),
    children(blocks, places),
  );
}

function rowItem(row: Row, places: Places): Html {
  const { label, tone, sign, words, count, cost, effect, blocks, facets } = row;
  const id = places.idOf(row);
  const name = (): Html => {
    if (count !== undefined)
      return element("strong", {}, element("span", { class: "total" }, count.number), ` ${count.noun}`);
    // What is not filtered is nothing to refer to.
    return facets === undefined
      ? element("span", { class: "name" }, inline(words, places))
      : element("a", { href: `#${id}`, class: "name" }, inline(words, places));
  };
  return element(
    "li",
    { id, class: classes("card", tone, count === undefined ? undefined : "group"), ...places.attributesOf(facets) },
    element(
      "h3",
      {},
      element("span", { class: `badge ${tone}` }, sign === undefined ? undefined : [mark(sign), " "], label),
      " ",
      name(),
      cost === undefined ? undefined : [" ", element("span", { class: "cost" }, cost)],
    ),
    effect === undefined ? undefined : element("p", { class: "effect" }, inline(effect, places)),
    children(blocks, places),
  );
}

function listHtml({ items, role, foldAfter = Infinity }: List, places: Places): Child {
  if (items.length === 0) return undefined;
  const all = items.map((item) => itemHtml(item, places));
  return foldedList(all, foldAfter, (some) => element("ul", { class: role }, some));
}

/** The first of many; one alone is not worth folding. */
function foldedList(all: readonly Html[], most: number, wrap: (some: readonly Html[]) => Html): Child {
  if (all.length <= most + 1) return wrap(all);
  const rest = all.slice(most);
  return [wrap(all.slice(0, most)), element("details", {}, element("summary", {}, `${rest.length} more`), wrap(rest))];
}

function itemHtml({ words, tone, blocks = [] }: Item, places: Places): Html {
  return element("li", { class: tone }, inline(words, places), children(blocks, places));
}

function tableHtml({ columns, rows, foldAfter = Infinity }: Table, places: Places): Child {
  if (rows.length === 0) return undefined;
  const named = columns.findIndex(({ align }) => align === "left");
  const head = columns.map(({ title, align }) => element("th", { scope: "col", class: numberClass(align) }, title));
  const lines = rows.map((cells) =>
    element(
      "tr",
      {},
      cells.map((words, i) =>
        i === named
          ? element("th", { scope: "row" }, inline(words, places))
          : element("td", { class: numberClass(columns[i]?.align) }, inline(words, places)),
      ),
    ),
  );
  return foldedList(lines, foldAfter, (some) =>
    element("table", {}, element("thead", {}, element("tr", {}, head)), element("tbody", {}, some)),
  );
}

function numberClass(align: "left" | "right" | undefined): string | undefined {
  return align === "right" ? "number" : undefined;
}

function detailsHtml({ summary, blocks, isOpen, role }: Details, places: Places): Html {
  return element(
    "details",
    { class: role, open: isOpen === true ? true : undefined },
    element("summary", {}, inline(summary, places)),
    children(blocks, places),
  );
}

function codeHtml({ title, lines, language }: Code): Html {
  const shown = element(
    "pre",
    {},
    lines.flatMap((line, i) => [i === 0 ? "" : LINE_BREAK, codeLine(line, language)]),
  );
  if (title === undefined) return shown;
  return element("details", {}, element("summary", {}, element("code", {}, title)), shown);
}

function codeLine(line: string, language: Code["language"]): Child {
  if (language === "text") return line;
  const sign = line.slice(0, 1);
  return element("span", { class: sign === "+" ? "added" : sign === "-" ? "removed" : "same" }, line);
}

/** How many names stand beside the folded ones. */
const FIRST_NAMES = 3;

function membersHtml({ members }: Members, places: Places): Html {
  const names = members.map(({ name }) => name);
  const isAmbiguous = new Set(names).size < names.length;
  const shown = members.slice(0, FIRST_NAMES).map((member) => (isAmbiguous ? nameInPlace(member) : member.name));
  const more = members.length - shown.length;
  return element(
    "details",
    { class: "members" },
    element("summary", {}, `Names: ${shown.join(", ")}${more === 0 ? "" : ` and ${more} more`}`),
    element(
      "ul",
      {},
      members.map((member) => memberItem(member, places)),
    ),
  );
}

function memberItem(member: Member, places: Places): Html {
  const { kind, name, place, words = [], facets, blocks } = member;
  const id = places.idOf(member);
  return element(
    "li",
    { id, class: "member", ...places.attributesOf(facets) },
    element(
      "a",
      { href: `#${id}`, class: "name" },
      `${kind} ${name}`,
      place === undefined ? undefined : [" in ", element("code", {}, place)],
    ),
    inline(words, places),
    children(blocks, places),
  );
}

function filterHtml({ facets }: Filter): Html {
  return filterBar(
    searchField("Search"),
    ...facets.map(({ id, label, options }) =>
      choice(
        id,
        label,
        options.map((option) => ({ ...option, value: token(option.value) })),
      ),
    ),
  );
}

function inline(words: Words, places: Places): Child[] {
  return words.map((part): Child => {
    if (typeof part === "string") return part;
    if ("code" in part) return element("code", {}, breakable(part.code));
    if ("strong" in part)
      return element("strong", {}, typeof part.strong === "string" ? part.strong : inline(part.strong, places));
    if ("tone" in part) return element("span", { class: part.tone }, inline(part.words, places));
    if ("link" in part) return element("a", { href: part.link }, inline(part.words, places));
    const first = places.firstWith(part.facet, part.value);
    if (first === undefined) return inline(part.words, places);
    return element(
      "a",
      { href: `#${first}`, "data-facet": part.facet, "data-value": token(part.value) },
      inline(part.words, places),
    );
  });
}

/** A path breaks behind its parts: a phone is narrow. Who copies it gets it whole. */
function breakable(text: string): Child[] {
  return text.split(/(?<=[./\]])(?=.)/u).map((part, i) => (i === 0 ? part : [BREAK, part]));
}

function classes(...names: readonly (string | undefined)[]): string | undefined {
  const all = names.filter((name) => name !== undefined);
  return all.length === 0 ? undefined : all.join(" ");
}
