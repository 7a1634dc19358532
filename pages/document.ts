import { all, byId, isFiltered, onceAFrame, searchedWords, show, startFilters, tell, valueOf } from "./dom.ts";

/** What is filtered: a card, or one of the members of a card. */
interface Entry {
  readonly element: HTMLElement;
  readonly card: HTMLElement;
  readonly section: Element | null;
  readonly group: Group | undefined;
  readonly text: string;
}

interface Group {
  readonly element: HTMLElement;
  readonly names: HTMLDetailsElement | undefined;
  readonly total: Element | null;
  /** Whether the filters have unfolded it. */
  isUnfolded: boolean;
}

const choices = all(document, ".filters select", HTMLSelectElement).map(({ id }) => id);
const groups: Group[] = [];
const entries = all(document, ".cards > .card", HTMLElement).flatMap((card): Entry[] => {
  const section = card.closest("section.rows");
  // What has no facets stays.
  if (Object.keys(card.dataset).length === 0) return [];
  if (!card.classList.contains("group"))
    return [{ element: card, card, section, group: undefined, text: textOf(card) }];
  const [names] = all(card, "details.members", HTMLDetailsElement);
  const group: Group = { element: card, names, total: card.querySelector("h3 .total"), isUnfolded: false };
  groups.push(group);
  // What the card says about all of its members is found with each.
  const shared = [...card.children].map((part) => (part === names ? "" : textOf(part))).join(" ");
  return all(card, ".member", HTMLElement).map((element) => {
    const text = `${shared} ${textOf(element)} ${element.dataset["finding"] ?? ""}`.toLowerCase();
    return { element, card, section, group, text };
  });
});

function textOf(element: Element): string {
  return (element.textContent ?? "").toLowerCase();
}

/** Whether an entry, or the card that it is in, has a value of a facet. */
function has({ element, card }: Entry, facet: string, value: string): boolean {
  const values = element.dataset[facet] ?? card.dataset[facet] ?? "";
  return values.split(" ").includes(value);
}

const sections = all(document, "section.rows", HTMLElement).map((element) => ({
  element,
  total: element.querySelector("h2 .total"),
}));

function apply(): void {
  const words = searchedWords();
  const chosen = choices.map((facet) => ({ facet, value: valueOf(facet) })).filter(({ value }) => value !== "");
  const counts = new Map<Element, { shown: number; all: number }>();
  const count = (element: Element | null | undefined, isShown: boolean): void => {
    if (!element) return;
    const known = counts.get(element) ?? { shown: 0, all: 0 };
    counts.set(element, { shown: known.shown + (isShown ? 1 : 0), all: known.all + 1 });
  };
  for (const entry of entries) {
    const isShown =
      chosen.every(({ facet, value }) => has(entry, facet, value)) && words.every((word) => entry.text.includes(word));
    show(entry.element, isShown);
    for (const element of [document.body, entry.section, entry.group?.element]) count(element, isShown);
  }
  for (const { element, total } of sections) showCounted(element, total, counts.get(element));
  for (const group of groups) {
    showCounted(group.element, group.total, counts.get(group.element));
    unfold(group, isFiltered());
  }
  const { shown = 0, all: total = 0 } = counts.get(document.body) ?? {};
  tell(`${shown} of ${total} shown`);
  for (const link of all(document, "a[data-facet]", HTMLAnchorElement)) {
    const { facet = "", value = "" } = link.dataset;
    if (value !== "" && valueOf(facet) === value) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
}

/** Hides what has nothing left, and shows how much of it is left. What has no entries stays. */
function showCounted(element: HTMLElement, total: Element | null, counted?: { shown: number; all: number }): void {
  if (counted === undefined) return;
  show(element, counted.shown > 0);
  const text = counted.shown === counted.all ? String(counted.shown) : `${counted.shown} of ${counted.all}`;
  if (total !== null && total.textContent !== text) total.textContent = text;
}

/** Opens a group while it is filtered; one that somebody has opened stays open. */
function unfold(group: Group, isWanted: boolean): void {
  if (group.names === undefined || group.isUnfolded === isWanted || (isWanted && group.names.open)) return;
  group.names.open = isWanted;
  group.isUnfolded = isWanted;
}

const update = onceAFrame(apply);
startFilters(update, update);

// A link with a facet filters; without a script it leads to the first entry.
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

window.addEventListener("beforeprint", () => {
  for (const details of all(document, "main details", HTMLDetailsElement)) details.open = true;
});

apply();
