import { capital, sentence } from "./text-runs.ts";
import { plainText } from "./blocks.ts";
import { element, type Child, type Html } from "../html/html.ts";
import { page } from "../html/page.ts";
import { DOCUMENT_SCRIPT } from "../html/pages.js";
import { choice, filterBar, searchField } from "../html/parts.ts";
import {
  type Block,
  type Details,
  type Document,
  type Filter,
  type Fold,
  type Labelled,
  type List,
  type Name,
  type Names,
  type Row,
  type Section,
  type Title,
  type Verdict,
} from "./document.ts";
import { placesOf, token, type Places } from "./html-places.ts";
import { breakable, hasLink, inline } from "./html-words.ts";
import { calendarHtml } from "./html-calendar.ts";
import { codeHtml, tableHtml } from "./html-tables.ts";

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
    case "calendar":
      return calendarHtml(block);
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

function labelledHtml({ label, lines, isNumbered }: Labelled, places: Places): Html {
  const head = element("b", {}, `${label}:`);
  const texts = lines.map(({ words, rest, blocks = [] }): Child[] => [
    inline(words, places),
    rest === undefined ? undefined : [": ", inline(rest, places)],
    children(blocks, places),
  ]);
  const items = texts.map((text) => element("li", {}, text));
  const shown =
    isNumbered === true ? element("ol", {}, items) : items.length > 1 ? element("ul", {}, items) : [" ", ...texts];
  return element("div", { class: `labelled ${label.replace(/\W.*$/u, "").toLowerCase()}` }, head, shown);
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

function detailsHtml({ summary, blocks, role }: Details, places: Places): Html {
  return element("details", { class: role }, element("summary", {}, inline(summary, places)), children(blocks, places));
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

function classes(...names: readonly (string | undefined)[]): string | undefined {
  const all = names.filter((name) => name !== undefined);
  return all.length === 0 ? undefined : all.join(" ");
}
