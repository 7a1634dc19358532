// What the script needs of the document. The page's policy forbids markup made from text: everything here
// reads the document, or sets attributes, classes and text.

/** The elements that a selector finds within another, of one class. */
export function all<T extends Element>(within: ParentNode, selector: string, type: new () => T): T[] {
  return [...within.querySelectorAll(selector)].filter((found): found is T => found instanceof type);
}

/** The element with an id, if it is there and of a class: filters without a choice are left out. */
export function byId<T extends Element>(id: string, type: new () => T): T | undefined {
  const found = document.getElementById(id);
  return found instanceof type ? found : undefined;
}

/** The value of a field or a choice; "" where it is not there. */
export function valueOf(id: string): string {
  return (byId(id, HTMLSelectElement) ?? byId(id, HTMLInputElement))?.value ?? "";
}

/** Hides or shows an element; what is so already is left alone, as each change costs a layout. */
export function show(element: HTMLElement, isShown: boolean): void {
  if (element.hidden === isShown) element.hidden = !isShown;
}

/** The words of the search, in lower case. */
export function searchedWords(): string[] {
  return valueOf("search").toLowerCase().split(/\s+/u).filter(Boolean);
}

/** Runs a function once before the next frame, however often it is asked for. */
export function onceAFrame(run: () => void): () => void {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      run();
    });
  };
}

/** Shows the filters, and calls back when one of them changes or all are taken away. */
export function startFilters(changed: () => void, cleared: () => void): void {
  document.documentElement.classList.add("js");
  const bar = document.querySelector(".filters");
  if (!(bar instanceof HTMLElement)) return;
  bar.hidden = false;
  bar.addEventListener("input", changed);
  const clear = (): void => {
    for (const field of all(bar, "select", HTMLSelectElement)) field.value = "";
    for (const field of all(bar, "input", HTMLInputElement)) field.value = "";
    cleared();
  };
  byId("reset", HTMLButtonElement)?.addEventListener("click", clear);
  document.addEventListener("keydown", (event) => {
    const search = byId("search", HTMLInputElement);
    const isTyping = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
    if (event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      search?.focus();
    } else if (event.key === "Escape") clear();
  });
}

/** Whether anything is searched or filtered. */
export function isFiltered(): boolean {
  const fields = document.querySelectorAll(".filters select, .filters input");
  return [...fields].some((field) => "value" in field && field.value !== "");
}

/** Shows how much is shown: a screen reader announces it. */
export function tell(text: string): void {
  const status = byId("status", HTMLParagraphElement);
  if (status !== undefined && status.textContent !== text) status.textContent = text;
  document.documentElement.classList.toggle("filtered", isFiltered());
}
