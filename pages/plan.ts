import { all, byId, onceAFrame, searchedWords, show, startFilters, tell, valueOf } from "./dom.ts";

interface Card {
  readonly element: HTMLElement;
  readonly text: string;
  readonly action: string;
  readonly namespace: string;
  readonly kind: string;
  readonly causes: readonly string[];
  readonly findings: readonly string[];
}

const cards = all(document, ".cards > .card", HTMLElement).map((element): Card => {
  const { action = "", namespace = "", kind = "", causes = "", findings = "" } = element.dataset;
  return {
    element,
    text: (element.textContent ?? "").toLowerCase(),
    action,
    namespace,
    kind,
    causes: causes.split(" "),
    findings: findings.split(" "),
  };
});

function apply(): void {
  const words = searchedWords();
  const [action, namespace, kind, cause, finding] = ["action", "namespace", "kind", "cause", "finding"].map(valueOf);
  let shown = 0;
  for (const card of cards) {
    const isShown =
      (!action || card.action === action) &&
      (!namespace || card.namespace === namespace) &&
      (!kind || card.kind === kind) &&
      (!cause || card.causes.includes(cause)) &&
      (!finding || card.findings.includes(finding)) &&
      words.every((word) => card.text.includes(word));
    if (isShown) shown += 1;
    show(card.element, isShown);
  }
  const total = document.querySelector("#workloads .total");
  const text = shown === cards.length ? String(shown) : `${shown} of ${cards.length}`;
  if (total !== null && total.textContent !== text) total.textContent = text;
  tell(`${shown} of ${cards.length} workloads are shown`);
  for (const link of all(document, "a[data-cause]", HTMLAnchorElement)) {
    if (cause !== "" && link.dataset["cause"] === cause) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
}

const update = onceAFrame(apply);
startFilters(update, update);

// A cause filters; without a script it leads to the first workload that it rolls.
document.addEventListener("click", (event) => {
  const link = event.target instanceof Element ? event.target.closest("a[data-cause]") : null;
  const choice = byId("cause", HTMLSelectElement);
  if (!(link instanceof HTMLAnchorElement) || choice === undefined) return;
  event.preventDefault();
  const cause = link.dataset["cause"] ?? "";
  choice.value = choice.value === cause ? "" : cause;
  update();
});

window.addEventListener("beforeprint", () => {
  for (const details of all(document, "details", HTMLDetailsElement)) details.open = true;
});

apply();
