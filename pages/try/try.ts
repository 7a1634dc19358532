import { all, byId } from "../dom.ts";
import { EXAMPLE } from "./example.ts";
import { fragmentOf, LONGEST_LINK, manifestsIn } from "./link.ts";
import { reportsOf, type Given, type Reports, type Shown } from "./reports.ts";

// The page to try rollstamp. Nothing leaves the tab: its policy allows no request.

const fields = { before: field("before"), after: field("after") };
const tabs = all(document, "[role=tab]", HTMLButtonElement);
let reports: Reports | undefined;

function field(id: string): HTMLTextAreaElement {
  const found = byId(id, HTMLTextAreaElement);
  if (found === undefined) throw new Error(`the page has no ${id}`);
  return found;
}

function given(): Given {
  return { before: fields.before.value, after: fields.after.value };
}

function fill({ before, after }: Given): void {
  fields.before.value = before;
  fields.after.value = after;
  update();
}

function update(): void {
  reports = reportsOf(given());
  render();
}

/** Shows the report of the tab that is chosen. */
function render(): void {
  if (reports === undefined) return;
  const chosen = tabs.find((tab) => tab.ariaSelected === "true")?.dataset["report"];
  if (chosen === "stamped") showText(reports.stamped);
  else showPage(chosen === "graph" ? reports.graph : reports.plan);
}

/** The text with its new lines marked, or an error. */
function showText({ is, text }: Shown): void {
  const output = document.createElement("pre");
  output.tabIndex = 0;
  output.classList.toggle("error", is === "error");
  const before = new Set(is === "report" ? fields.after.value.split("\n") : []);
  output.append(
    ...text.split("\n").map((line): Node | string => {
      if (is === "error" || before.has(line)) return `${line}\n`;
      const added = document.createElement("ins");
      added.textContent = `${line}\n`;
      return added;
    }),
  );
  byId("report", HTMLDivElement)?.replaceChildren(output);
}

/** A report is a page of its own, in a sandbox where its script does not run. */
function showPage(shown: Shown): void {
  if (shown.is === "error") return showText(shown);
  const frame = document.createElement("iframe");
  frame.title = "Report";
  frame.sandbox.value = "";
  frame.srcdoc = shown.text;
  byId("report", HTMLDivElement)?.replaceChildren(frame);
}

function tell(text: string): void {
  const status = byId("status", HTMLParagraphElement);
  if (status !== undefined) status.textContent = text;
}

async function copyLink(): Promise<void> {
  const fragment = await fragmentOf(given());
  if (fragment.length > LONGEST_LINK) return tell("The manifests are too long for a link.");
  history.replaceState(undefined, "", `#${fragment}`);
  try {
    await navigator.clipboard.writeText(location.href);
    tell("Copied. The link contains the manifests, also the values of Secrets.");
  } catch {
    // A page from a file may not write to the clipboard.
    tell("The address of this page is the link. It contains the manifests, also the values of Secrets.");
  }
}

let waiting: ReturnType<typeof setTimeout> | undefined;
for (const input of Object.values(fields)) {
  input.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(update, 200);
  });
}
for (const tab of tabs) {
  tab.addEventListener("click", () => {
    for (const other of tabs) other.ariaSelected = String(other === tab);
    render();
  });
}
byId("link", HTMLButtonElement)?.addEventListener("click", () => void copyLink());
byId("example", HTMLButtonElement)?.addEventListener("click", () => fill(EXAMPLE));

const start = async (): Promise<void> => fill((await manifestsIn(location.hash.slice(1))) ?? EXAMPLE);
window.addEventListener("hashchange", () => void start());
void start();
