import { all, byId, isFiltered, onceAFrame, searchedWords, show, startFilters, tell, valueOf } from "./dom.ts";

/** A workload: a card of its own, or one of the names in the card of a group. */
interface Row {
  readonly element: HTMLElement;
  readonly section: Element | null;
  readonly group: Group | undefined;
  readonly text: string;
  readonly action: string;
  readonly safety: string;
  readonly namespace: string;
  readonly kind: string;
  readonly application: string;
  readonly cluster: string;
  readonly causes: readonly string[];
  readonly findings: readonly string[];
}

interface Group {
  readonly element: HTMLElement;
  readonly names: HTMLDetailsElement | undefined;
  readonly total: Element | null;
  /** Whether the filters have unfolded it. */
  unfolded: boolean;
}

const groups: Group[] = [];
const rows = all(document, ".cards > .card", HTMLElement).flatMap((card): Row[] => {
  if (!card.classList.contains("group")) return [rowOf(card, card, undefined, (card.textContent ?? "").toLowerCase())];
  const [names] = all(card, "details.members", HTMLDetailsElement);
  const group: Group = { element: card, names, total: card.querySelector("h3 .total"), unfolded: false };
  groups.push(group);
  const members = all(card, ".member", HTMLElement);
  // What is told of all of them is found with each.
  const shared = [...card.children].map((part) => (part === names ? "" : (part.textContent ?? ""))).join(" ");
  return members.map((member) =>
    rowOf(
      member,
      card,
      group,
      `${shared} ${member.textContent ?? ""} ${member.dataset["findings"] ?? ""}`.toLowerCase(),
    ),
  );
});

function rowOf(element: HTMLElement, card: HTMLElement, group: Group | undefined, text: string): Row {
  const { action = "", safety = "", causes = "" } = card.dataset;
  const { namespace = "", kind = "", application = "", cluster = "", findings = "" } = element.dataset;
  return {
    element,
    section: card.closest("section.rows"),
    group,
    text,
    action,
    safety,
    namespace,
    kind,
    application,
    cluster,
    causes: causes.split(" "),
    findings: findings.split(" "),
  };
}

const sections = all(document, "section.rows", HTMLElement).map((element) => ({
  element,
  total: element.querySelector("h2 .total"),
}));

function apply(): void {
  const words = searchedWords();
  const [action, safety, namespace, kind, application, cluster, cause, finding] = [
    "action",
    "safety",
    "namespace",
    "kind",
    "application",
    "cluster",
    "cause",
    "finding",
  ].map(valueOf);
  const counts = new Map<Element, { shown: number; all: number }>();
  const count = (element: Element, isShown: boolean): void => {
    const known = counts.get(element) ?? { shown: 0, all: 0 };
    counts.set(element, { shown: known.shown + (isShown ? 1 : 0), all: known.all + 1 });
  };
  for (const row of rows) {
    const isShown =
      (!action || row.action === action) &&
      (!safety || row.safety === safety) &&
      (!namespace || row.namespace === namespace) &&
      (!kind || row.kind === kind) &&
      (!application || row.application === application) &&
      (!cluster || row.cluster === cluster) &&
      (!cause || row.causes.includes(cause)) &&
      (!finding || row.findings.includes(finding)) &&
      words.every((word) => row.text.includes(word));
    show(row.element, isShown);
    count(document.body, isShown);
    if (row.section !== null) count(row.section, isShown);
    if (row.group !== undefined) count(row.group.element, isShown);
  }
  for (const { element, total } of sections) showCounted(element, total, counts.get(element));
  for (const group of groups) {
    showCounted(group.element, group.total, counts.get(group.element));
    unfold(group, isFiltered());
  }
  const { shown = 0, all: n = 0 } = counts.get(document.body) ?? {};
  tell(`${shown} of ${n} workloads are shown`);
  for (const link of all(document, "a[data-cause]", HTMLAnchorElement)) {
    if (cause !== "" && link.dataset["cause"] === cause) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
  for (const link of all(document, "a[data-filter]", HTMLAnchorElement)) {
    const { filter = "", value = "" } = link.dataset;
    if (value !== "" && valueOf(filter) === value) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
}

/** Hides what holds nothing any more, and says how much it holds of how much. */
function showCounted(
  element: HTMLElement,
  total: Element | null,
  { shown, all: n }: { shown: number; all: number } = { shown: 0, all: 0 },
): void {
  show(element, shown > 0);
  const text = shown === n ? String(shown) : `${shown} of ${n}`;
  if (total !== null && total.textContent !== text) total.textContent = text;
}

/** What a filter leaves of a group is to be read; who has unfolded it by hand finds it so. */
function unfold(group: Group, isWanted: boolean): void {
  if (group.names === undefined || group.unfolded === isWanted || (isWanted && group.names.open)) return;
  group.names.open = isWanted;
  group.unfolded = isWanted;
}

const update = onceAFrame(apply);
startFilters(update, update);

// A cause filters, and so do an application and a cluster; without a script each leads to its first workload.
document.addEventListener("click", (event) => {
  const link = event.target instanceof Element ? event.target.closest("a[data-cause], a[data-filter]") : null;
  if (!(link instanceof HTMLAnchorElement)) return;
  const { cause, filter = "cause", value = cause ?? "" } = link.dataset;
  const choice = byId(filter, HTMLSelectElement);
  if (choice === undefined) return;
  event.preventDefault();
  choice.value = choice.value === value ? "" : value;
  update();
});

window.addEventListener("beforeprint", () => {
  for (const details of all(document, "main details, .not-examined", HTMLDetailsElement)) details.open = true;
});

apply();
