import { element, input, type Child, type Html } from "./html.ts";

/**
 * The search and the filters of a page. The script shows it: without one it would do nothing. The choices fold: on a
 * phone they would take the place of what is to be read.
 */
export function filterBar(search: Html, ...choices: readonly Child[]): Html {
  return element(
    "div",
    { class: "filters", role: "search", hidden: true },
    search,
    element(
      "div",
      { class: "state" },
      element("p", { id: "status", role: "status" }),
      element("button", { type: "button", id: "reset" }, "Show all"),
    ),
    choices.every((child) => child === undefined)
      ? undefined
      : element(
          "details",
          { class: "choices" },
          element("summary", {}, "Filters"),
          element("div", { class: "fields" }, choices),
        ),
  );
}

/** The field that is searched in; the style and the script know its id. */
export function searchField(label: string): Html {
  const field = input({ type: "search", id: "search", autocomplete: "off", spellcheck: "false" });
  return element("label", { class: "search" }, element("span", {}, label), " ", field);
}

/** A choice of one of several values, or all; none where there is nothing to choose. */
export function choice(
  id: string,
  label: string,
  options: readonly { readonly value: string; readonly label: string }[],
): Html | undefined {
  if (options.length < 2) return undefined;
  const all = [{ value: "", label: "all" }, ...options];
  return element(
    "label",
    {},
    element("span", {}, label),
    " ",
    element(
      "select",
      { id },
      all.map((option) => element("option", { value: option.value }, option.label)),
    ),
  );
}
