import { counted } from "../src/base/words.ts";
import type { Card } from "./card.ts";
import { all, onceAFrame, searchedWords, show, startFilters, tell, valueOf } from "./dom.ts";
import { drawLines } from "./lines.ts";

const cards: Card[] = all(document, ".cards > .card", HTMLElement).flatMap((element) => {
  const link = element.querySelector("a.name");
  if (!(link instanceof HTMLAnchorElement)) return [];
  const { namespace = "", kind = "", coverage = "" } = element.dataset;
  const keys = all(element, "code", HTMLElement).map((key) => key.textContent ?? "");
  const side = element.id.startsWith("s") ? "sources" : "workloads";
  const text = [link.textContent ?? "", namespace, ...(side === "sources" ? keys : [])].join(" ").toLowerCase();
  return [{ element, link, side, text, namespace, kind, coverage, neighbours: new Map<Card, HTMLElement>() }];
});
const byElementId = new Map(cards.map((card) => [card.element.id, card]));
for (const card of cards) {
  for (const line of all(card.element, "[data-to]", HTMLElement)) {
    const other = byElementId.get(line.dataset["to"] ?? "");
    if (other !== undefined) card.neighbours.set(other, line);
  }
}
const sources = cards.filter(({ side }) => side === "sources");
const workloads = cards.filter(({ side }) => side === "workloads");

let selected: Card | undefined;

/** How many workloads a source is used by, as the filter names it. */
function useOf({ neighbours }: Card): string {
  if (neighbours.size === 0) return "used by none";
  return neighbours.size === 1 ? "used by one" : "shared by several";
}

const hasNeighbourIn = (card: Card, others: ReadonlySet<Card>): boolean =>
  [...card.neighbours.keys()].some((other) => others.has(other));

/** The cards that the filters and the search leave: a filter on one side narrows the other to what it uses. */
function filtered(): { sources: ReadonlySet<Card>; workloads: ReadonlySet<Card> } {
  const [namespace, sourceKind, coverage, use, workloadKind] = [
    "namespace",
    "source-kind",
    "coverage",
    "use",
    "workload-kind",
  ].map(valueOf);
  const inNamespace = (card: Card): boolean => !namespace || card.namespace === namespace;
  const someSources = new Set(
    sources.filter(
      (card) =>
        inNamespace(card) &&
        (!sourceKind || card.kind === sourceKind) &&
        (!coverage || card.coverage === coverage) &&
        (!use || useOf(card) === use),
    ),
  );
  const someWorkloads = new Set(
    workloads.filter((card) => inNamespace(card) && (!workloadKind || card.kind === workloadKind)),
  );
  const narrows = Boolean(sourceKind || coverage || use);
  const ofSources = workloadKind
    ? [...someSources].filter((card) => hasNeighbourIn(card, someWorkloads))
    : [...someSources];
  const ofWorkloads = narrows
    ? [...someWorkloads].filter((card) => hasNeighbourIn(card, someSources))
    : [...someWorkloads];
  return searched(ofSources, ofWorkloads);
}

/** What the search finds, and what that is connected with. */
function searched(
  ofSources: readonly Card[],
  ofWorkloads: readonly Card[],
): { sources: ReadonlySet<Card>; workloads: ReadonlySet<Card> } {
  const words = searchedWords();
  if (words.length === 0) return { sources: new Set(ofSources), workloads: new Set(ofWorkloads) };
  const matches = ({ text }: Card): boolean => words.every((word) => text.includes(word));
  const foundSources = new Set(ofSources.filter(matches));
  const foundWorkloads = new Set(ofWorkloads.filter(matches));
  return {
    sources: new Set(ofSources.filter((card) => foundSources.has(card) || hasNeighbourIn(card, foundWorkloads))),
    workloads: new Set(ofWorkloads.filter((card) => foundWorkloads.has(card) || hasNeighbourIn(card, foundSources))),
  };
}

function apply(): void {
  const left = filtered();
  for (const [side, own] of [
    ["sources", sources],
    ["workloads", workloads],
  ] as const) {
    let shown = 0;
    for (const card of own) {
      // Beside a selected card stands all that it is connected with, whatever is filtered.
      const isShown =
        selected === undefined || selected.side === side
          ? left[side].has(card) || card === selected
          : card.neighbours.has(selected);
      if (isShown) shown += 1;
      show(card.element, isShown);
    }
    setText(`#${side} .total`, shown === own.length ? String(shown) : `${shown} of ${own.length}`);
  }
  tellState();
  draw();
}

function setText(selector: string, text: string): void {
  const element = document.querySelector(selector);
  if (element !== null && element.textContent !== text) element.textContent = text;
}

function tellState(): void {
  const count = (own: readonly Card[]): number => own.filter(({ element }) => !element.hidden).length;
  if (selected === undefined) {
    tell(
      `${count(sources)} of ${sources.length} sources and ${count(workloads)} of ${workloads.length} workloads are shown`,
    );
    return;
  }
  const name = `${selected.kind} ${selected.namespace}/${selected.link.querySelector(".own")?.textContent ?? ""}`;
  const n = selected.neighbours.size;
  const noun = selected.side === "sources" ? "workload" : "source";
  tell(`${name} ${selected.side === "sources" ? "is used by" : "uses"} ${counted(n, noun)}. Escape shows all.`);
}

/** Marks one card and what the others say of it. */
function select(card: Card | undefined): void {
  if (selected !== undefined) mark(selected, false);
  selected = card;
  if (selected !== undefined) mark(selected, true);
  document.documentElement.classList.toggle("has-selection", selected !== undefined);
  const other = selected?.side === "sources" ? "workloads" : "sources";
  if (selected !== undefined) document.getElementById(other)?.scrollTo({ top: 0 });
  apply();
  selected?.element.scrollIntoView({ block: "nearest" });
}

function mark(card: Card, isSelected: boolean): void {
  card.element.classList.toggle("selected", isSelected);
  if (isSelected) card.link.setAttribute("aria-current", "true");
  else card.link.removeAttribute("aria-current");
  for (const neighbour of card.neighbours.keys()) {
    neighbour.element.classList.toggle("neighbour", isSelected);
    neighbour.neighbours.get(card)?.classList.toggle("shown", isSelected);
  }
}

const selectByHash = (): void => select(byElementId.get(location.hash.slice(1)));

function clearSelection(): void {
  if (location.hash.length > 1) location.hash = "";
  else select(undefined);
}

// The address names the selected card, so that it can be linked to and gone back to. Who clicks on a card
// sees it already: the column stays where it is.
let kept: { column: Element; top: number } | undefined;
window.addEventListener("hashchange", () => {
  selectByHash();
  kept?.column.scrollTo({ top: kept.top });
  kept = undefined;
});
document.addEventListener("click", (event) => {
  const link = event.target instanceof Element ? event.target.closest("a.name") : null;
  if (link === null) return;
  const column = link.closest(".column");
  if (column !== null) kept = { column, top: column.scrollTop };
  if (link !== selected?.link) return;
  event.preventDefault();
  clearSelection();
});

/** Up and down within a column, left and right to the other one: to what the card is connected with. */
document.addEventListener("keydown", (event) => {
  const element = event.target instanceof Element ? event.target.closest(".card") : null;
  const card = element === null ? undefined : byElementId.get(element.id);
  if (card === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
  const target = neighbourByKey(card, event.key);
  if (target === undefined) return;
  event.preventDefault();
  target.link.focus();
});

function neighbourByKey(card: Card, key: string): Card | undefined {
  const visible = (own: readonly Card[]): Card[] => own.filter(({ element }) => !element.hidden);
  const column = visible(card.side === "sources" ? sources : workloads);
  const index = column.indexOf(card);
  switch (key) {
    case "ArrowDown":
      return column[index + 1];
    case "ArrowUp":
      return column[index - 1];
    case "Home":
      return column[0];
    case "End":
      return column.at(-1);
    case "ArrowRight":
    case "ArrowLeft": {
      const towards = key === "ArrowRight" ? "workloads" : "sources";
      if (towards === card.side) return undefined;
      const others = visible(towards === "sources" ? sources : workloads);
      return others.find((other) => card.neighbours.has(other)) ?? others[0];
    }
    default:
      return undefined;
  }
}

let pointed: Card | undefined;
const draw = onceAFrame(() => drawLines(sources, workloads, { selected, pointed }));

for (const type of ["pointerover", "focusin"] as const) {
  document.addEventListener(type, (event) => {
    const element = event.target instanceof Element ? event.target.closest(".card") : null;
    const card = element === null ? undefined : byElementId.get(element.id);
    if (card === pointed) return;
    pointed = card;
    draw();
  });
}
// A card that comes into sight is laid out only then, and may be higher than it was taken for.
document.addEventListener("contentvisibilityautostatechange", draw, { capture: true });
document.addEventListener("scroll", draw, { capture: true, passive: true });
window.addEventListener("resize", draw);

startFilters(onceAFrame(apply), () => {
  clearSelection();
  apply();
});
selectByHash();
