import { element, LINE_BREAK, type Child, type Html } from "../html/html.ts";
import type { Code, Table } from "./document.ts";
import type { Places } from "./html-places.ts";
import { inline } from "./html-words.ts";

/** A table; on a phone each row is a list. */
export function tableHtml({ columns, rows }: Table, places: Places): Child {
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

/** Lines of a file or of a difference. */
export function codeHtml({ title, lines, language }: Code): Html {
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
