import { BREAK, element, LINE_BREAK, type Child, type Html } from "../html/html.ts";
import { page } from "../html/page.ts";
import { DOCUMENT_SCRIPT } from "../html/pages.js";
import { choice, filterBar, searchField } from "../html/parts.ts";
import {
  plainText,
  type Block,
  type Code,
  type Details,
  type Document,
  type Facets,
  type Filter,
  type Fold,
  type Labelled,
  type List,
  type Name,
  type Names,
  type Row,
  type Section,
  type Table,
  type Title,
  type Verdict,
  type Words,
} from "./document.ts";
import { sentence } from "./text.ts";

/** Prints a document as one page that needs nothing else: to read, to search, and to print on paper. */
export function printHtml(document: Document): string {
  return page({ title: titleOf(document), body: bodyOf(document), script: DOCUMENT_SCRIPT });
}

/** The name of the page in a list of tabs: what was decided, then which report it is. */
function titleOf({ title, blocks }: Document): string {
  const decision = verdictIn(blocks);
  return decision === undefined ? title : `${decision.phrase} ${plainText(decision.words)} · ${title}`;
}

function verdictIn(blocks: readonly Block[]): Verdict | undefined {
  for (const block of blocks) {
    if (block.is === "verdict") return block;
    const inner = block.is === "section" ? verdictIn(block.blocks) : undefined;
    if (inner !== undefined) return inner;
  }
  return undefined;
}

/** Where rows are in the page, and which is the first with each value of a facet. */
interface Places {
  readonly idOf: (row: Row) => string;
  readonly firstWith: (facet: string, value: string) => string | undefined;
  /** The attributes by which the script filters. */
  readonly attributesOf: (facets: Facets | undefined) => Readonly<Record<`data-${string}`, string>>;
}

/** The verdict is the head of the page, which stays in sight. */
function bodyOf({ title, blocks }: Document): Html {
  const places = placesOf(blocks);
  const decision = verdictIn(blocks);
  return element(
    "div",
    { class: "page" },
    element("header", {}, decision === undefined ? element("h1", {}, title) : verdictHtml(decision, places)),
    element("main", {}, children(blocks, places)),
  );
}

function placesOf(blocks: readonly Block[]): Places {
  const ids = new Map<Row, string>();
  const firsts = new Map<string, string>();
  const isFiltered = hasFilter(blocks);
  for (const row of rowsOf(blocks)) {
    const id = `w${ids.size}`;
    ids.set(row, id);
    for (const [facet, values] of Object.entries(row.facets ?? {}))
      for (const value of values) if (!firsts.has(`${facet} ${value}`)) firsts.set(`${facet} ${value}`, id);
  }
  return {
    idOf: (row) => ids.get(row) ?? "",
    firstWith: (facet, value) => firsts.get(`${facet} ${value}`),
    attributesOf: (facets = {}) =>
      Object.fromEntries(
        Object.entries(isFiltered ? facets : {}).flatMap(([facet, values]): [`data-${string}`, string][] =>
          values.length === 0 ? [] : [[`data-${facet}`, values.map(token).join(" ")]],
        ),
      ),
  };
}

function hasFilter(blocks: readonly Block[]): boolean {
  return blocks.some((block) => block.is === "filter" || (block.is === "section" && hasFilter(block.blocks)));
}

/** Rows, in the order of the page. */
function rowsOf(blocks: readonly Block[]): readonly Row[] {
  return blocks.flatMap((block): readonly Row[] => {
    switch (block.is) {
      case "row":
        return [block];
      case "fold":
        return block.groups.flatMap(({ rows }) => rows);
      case "section":
      case "details":
        return rowsOf(block.blocks);
      default:
        return [];
    }
  });
}

/** A value of a facet among others, apart by spaces. */
function token(value: string): string {
  return value.replaceAll("%", "%25").replaceAll(" ", "%20");
}

/** Rows with one label that follow each other are one group. */
function children(blocks: readonly Block[], places: Places): Child[] {
  const found: Child[] = [];
  let rows: Row[] = [];
  const end = (): void => {
    const [first] = rows;
    if (first !== undefined)
      found.push(
        element(
          "section",
          { class: `group ${first.tone}` },
          labelHeading(first),
          rows.map((row) => rowHtml(row, places)),
        ),
      );
    rows = [];
  };
  for (const block of blocks) {
    if (block.is !== "row" || (rows[0] !== undefined && (rows[0].label !== block.label || rows[0].tone !== block.tone)))
      end();
    if (block.is === "row") rows.push(block);
    else found.push(blockHtml(block, places));
  }
  end();
  return found;
}

function labelHeading({ label, sign }: Pick<Row, "label" | "sign">): Html {
  return element("h2", {}, sign === undefined ? undefined : [mark(sign), " "], capital(label));
}

function capital(text: string): string {
  return plainText(sentence([text]));
}

function blockHtml(block: Exclude<Block, Row>, places: Places): Child {
  switch (block.is) {
    case "heading":
      return element(({ 1: "h1", 2: "h2", 3: "h3" } as const)[block.level], {}, inline(block.words, places));
    case "verdict":
      // It is the head of the page.
      return undefined;
    case "paragraph":
      return element("p", { class: classes(block.role, block.tone) }, inline(block.words, places));
    case "labelled":
      return labelledHtml(block, places);
    case "list":
      return listHtml(block, places);
    case "names":
      return namesHtml(block, places);
    case "fold":
      return foldHtml(block, places);
    case "section":
      return sectionHtml(block, places);
    case "details":
      return detailsHtml(block, places);
    case "table":
      return tableHtml(block, places);
    case "code":
      return codeHtml(block);
    case "filter":
      return filterHtml(block);
  }
}

function verdictHtml({ tone, sign, phrase, words }: Verdict, places: Places): Html {
  return element(
    "h1",
    { class: `verdict ${tone}` },
    mark(sign),
    " ",
    element("strong", {}, phrase),
    " ",
    element("span", { class: "what" }, inline(words, places)),
  );
}

/** A sign for the eye: the words beside it say the same. */
function mark(sign: string): Html {
  return element("span", { class: "mark", "aria-hidden": "true" }, sign);
}

function sectionHtml({ id, title, total, isTitleHidden, blocks }: Section, places: Places): Html {
  const isHidden = isTitleHidden === true;
  return element(
    "section",
    { id, "aria-label": isHidden ? title : undefined },
    isHidden
      ? undefined
      : element("h2", {}, title, total === undefined ? undefined : [" ", element("span", { class: "total" }, total)]),
    children(blocks, places),
  );
}

function rowHtml(row: Row, places: Places): Html {
  const { tone, cost, others = [], blocks, facets } = row;
  const id = places.idOf(row);
  return element(
    "article",
    { id, class: `row ${tone}`, ...places.attributesOf(facets) },
    titleHtml(row, places, { id, cost, mark: row.label === "other" ? row.mark : undefined }),
    others.map((title) => titleHtml(title, places, {})),
    children(blocks, places),
  );
}

interface TitleOptions {
  readonly id?: string;
  readonly cost?: string | undefined;
  readonly mark?: Row["mark"] | undefined;
}

const MARKS = { "+": "+", "~": "~", "-": "−" } as const;

function titleHtml({ words, size, effect }: Title, places: Places, { id, cost, mark: change }: TitleOptions): Child {
  const what: Child[] = [
    change === undefined ? undefined : [element("span", { class: "change" }, MARKS[change]), " "],
    size === undefined ? undefined : element("span", { class: "size" }, size),
    size === undefined || words.length === 0 ? undefined : " ",
    inline(words, places),
  ];
  return [
    element(
      "h3",
      {},
      id === undefined || hasLink(words)
        ? element("span", { class: "name" }, what)
        : element("a", { href: `#${id}`, class: "name" }, what),
      cost === undefined ? undefined : [" ", element("span", { class: "cost" }, cost)],
    ),
    effect === undefined ? undefined : element("p", { class: "effect" }, inline(sentence(effect), places)),
  ];
}

/** A link has no other links in it. */
function hasLink(words: Words): boolean {
  return words.some((part) => typeof part !== "string" && ("link" in part || "facet" in part));
}

function labelledHtml({ label, lines, isNumbered }: Labelled, places: Places): Html {
  const head = element("b", {}, `${label}:`);
  const texts = lines.map(({ words, rest, blocks = [] }): Child[] => [
    inline(words, places),
    rest === undefined ? undefined : [": ", inline(rest, places)],
    children(blocks, places),
  ]);
  const [only, ...others] = texts;
  const kind = label.replace(/\W.*$/u, "").toLowerCase();
  if (isNumbered === true)
    return element(
      "div",
      { class: `labelled ${kind}` },
      head,
      element(
        "ol",
        {},
        texts.map((text) => element("li", {}, text)),
      ),
    );
  if (others.length === 0) return element("div", { class: `labelled ${kind}` }, head, " ", only);
  return element(
    "div",
    { class: `labelled ${kind}` },
    head,
    element(
      "ul",
      {},
      texts.map((text) => element("li", {}, text)),
    ),
  );
}

function listHtml({ items, role }: List, places: Places): Child {
  if (items.length === 0) return undefined;
  return element(
    "ul",
    { class: role },
    items.map(({ words, tone, blocks = [] }) =>
      element("li", { class: tone }, inline(words, places), children(blocks, places)),
    ),
  );
}

/** Names one behind the other, the kind of each once. */
function namesHtml({ lists }: Names, places: Places): Child {
  return lists.map(({ kinds, where }) =>
    element(
      "div",
      { class: "names" },
      element(
        "ul",
        {},
        kinds.map(({ kind, names }) =>
          element(
            "li",
            {},
            element("span", { class: "kind" }, kind),
            " ",
            names.flatMap((name, i) => nameHtml(name, i, places)),
          ),
        ),
      ),
      where === undefined ? undefined : [" ", element("span", { class: "where" }, inline(where, places))],
    ),
  );
}

function nameHtml({ name, facets }: Name, i: number, places: Places): Child[] {
  const shown = element("code", { class: "name", ...places.attributesOf(facets) }, breakable(name));
  return i === 0 ? [shown] : [" ", shown];
}

/** Rows that nobody has to read, behind one line for each label. */
function foldHtml({ groups }: Fold, places: Places): Child {
  return groups.map(({ label, tone, sign, size, rows }) =>
    element(
      "details",
      { class: `group ${tone}` },
      element("summary", {}, labelHeading({ label, sign }), " ", element("span", { class: "size" }, size)),
      rows.map((row) => rowHtml(row, places)),
    ),
  );
}

function tableHtml({ columns, rows }: Table, places: Places): Child {
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
          : element(
              "td",
              { class: numberClass(columns[i]?.align), "data-title": columns[i]?.title },
              inline(words, places),
            ),
      ),
    ),
  );
  return element("table", {}, element("thead", {}, element("tr", {}, head)), element("tbody", {}, lines));
}

function numberClass(align: "left" | "right" | undefined): string | undefined {
  return align === "right" ? "number" : undefined;
}

function detailsHtml({ summary, blocks, role }: Details, places: Places): Html {
  return element("details", { class: role }, element("summary", {}, inline(summary, places)), children(blocks, places));
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

function filterHtml({ facets }: Filter): Html {
  return filterBar(
    searchField("Filter by name, kind, application, cause"),
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
