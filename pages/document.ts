import { all, byId, isFiltered, onceAFrame, searchedWords, show, startFilters, tell, valueOf } from "./dom.ts";

/** What is filtered: one of the names of a row, or a row that has no list of names. */
interface Entry {
  readonly element: HTMLElement;
  readonly row: HTMLElement;
  readonly text: string;
}

const choices = all(document, ".filters select", HTMLSelectElement).map(({ id }) => id);
const rows = all(document, ".row", HTMLElement);
const groups = all(document, ".group", HTMLElement);
const entries = rows.flatMap((row): Entry[] => {
  const names = all(row, ".names .name", HTMLElement);
  if (names.length === 0) return [{ element: row, row, text: `${textOf(row)} ${unseen(row)}` }];
  // What the row says about all of its names is found with each.
  const shared = [...row.children].map((part) => (part.classList.contains("names") ? "" : textOf(part))).join(" ");
  return names.map((element) => {
    const kind = element.parentElement?.querySelector(".kind")?.textContent ?? "";
    return { element, row, text: `${shared} ${kind.toLowerCase()} ${textOf(element)} ${unseen(element)}` };
  });
});

function textOf(element: Element): string {
  return (element.textContent ?? "").toLowerCase();
}

/** What is searched although it is not read: the applications of a name, and its findings. */
function unseen({ dataset }: HTMLElement): string {
  const { application = "", cluster = "", namespace = "", finding = "" } = dataset;
  return `${application} ${cluster} ${namespace} ${finding}`.toLowerCase();
}

/** Whether an entry, or the row that it is in, has a value of a facet. */
function has({ element, row }: Entry, facet: string, value: string): boolean {
  const values = element.dataset[facet] ?? row.dataset[facet] ?? "";
  return values.split(" ").includes(value);
}

/** The groups that the filters have unfolded. */
const unfolded = new Set<HTMLDetailsElement>();

function apply(): void {
  const words = searchedWords();
  const chosen = choices.map((facet) => ({ facet, value: valueOf(facet) })).filter(({ value }) => value !== "");
  const shown = new Map<Element, number>();
  let total = 0;
  for (const entry of entries) {
    const isShown =
      chosen.every(({ facet, value }) => has(entry, facet, value)) && words.every((word) => entry.text.includes(word));
    show(entry.element, isShown);
    shown.set(entry.row, (shown.get(entry.row) ?? 0) + (isShown ? 1 : 0));
    total += isShown ? 1 : 0;
  }
  for (const row of rows) {
    show(row, (shown.get(row) ?? 0) > 0);
    // A kind or a place without a name that is left has nothing to say.
    for (const part of all(row, ".names, .names li", HTMLElement))
      show(
        part,
        all(part, ".name", HTMLElement).some(({ hidden }) => !hidden),
      );
  }
  for (const group of groups) {
    show(
      group,
      all(group, ".row", HTMLElement).some(({ hidden }) => !hidden),
    );
    if (group instanceof HTMLDetailsElement) unfold(group, isFiltered());
  }
  tell(`${total} of ${entries.length} rows`);
  for (const link of all(document, "a[data-facet]", HTMLAnchorElement)) {
    const { facet = "", value = "" } = link.dataset;
    if (value !== "" && valueOf(facet) === value) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
  remember();
}

/** Opens a group while it is filtered; one that somebody has opened stays open. */
function unfold(group: HTMLDetailsElement, isWanted: boolean): void {
  if (unfolded.has(group) === isWanted || (isWanted && group.open)) return;
  group.open = isWanted;
  if (isWanted) unfolded.add(group);
  else unfolded.delete(group);
}

/** The filter in the address: whoever gets the link sees the same rows. */
function remember(): void {
  const state = new URLSearchParams();
  for (const id of ["search", ...choices]) if (valueOf(id) !== "") state.set(id, valueOf(id));
  const text = String(state);
  if (text !== "") history.replaceState(null, "", `#?${text}`);
  else if (location.hash.startsWith("#?")) history.replaceState(null, "", location.pathname + location.search);
}

function recall(): void {
  if (!location.hash.startsWith("#?")) return;
  for (const [id, value] of new URLSearchParams(location.hash.slice(2))) {
    const field = byId(id, HTMLSelectElement) ?? byId(id, HTMLInputElement);
    if (field !== undefined) field.value = value;
  }
}

/** A link may lead to a row that is folded. */
function reveal(): void {
  const row = document.getElementById(location.hash.slice(1));
  const group = row?.closest("details");
  if (group) group.open = true;
  if (row) row.scrollIntoView();
}

const update = onceAFrame(apply);

if (choices.length > 0 || byId("search", HTMLInputElement) !== undefined) {
  recall();
  startFilters(update, update);
  apply();
}

// A link with a facet filters; without a script it leads to the first row.
document.addEventListener("click", (event) => {
  const link = event.target instanceof Element ? event.target.closest("a[data-facet]") : null;
  if (!(link instanceof HTMLAnchorElement)) return;
  const { facet = "", value = "" } = link.dataset;
  const choice = byId(facet, HTMLSelectElement);
  if (choice === undefined) return;
  event.preventDefault();
  choice.value = choice.value === value ? "" : value;
  update();
});

window.addEventListener("hashchange", () => {
  if (!location.hash.startsWith("#?")) reveal();
});
window.addEventListener("beforeprint", () => {
  for (const details of all(document, "main details", HTMLDetailsElement)) details.open = true;
});

if (location.hash !== "" && !location.hash.startsWith("#?")) reveal();
