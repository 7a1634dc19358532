import { printable } from "../../findings/results/terminal.ts";

/** Markup that is complete and safe: only this module makes it. */
export interface Html {
  readonly html: string;
}

/** The content of an element. Text is always escaped. */
export type Child = Html | string | number | undefined | readonly Child[];

// No element or attribute that runs a script, loads anything or carries a style: what a manifest says
// can only ever be text or the value of one of these.
type Tag =
  | "a"
  | "article"
  | "b"
  | "button"
  | "caption"
  | "code"
  | "details"
  | "div"
  | "footer"
  | "h1"
  | "h2"
  | "h3"
  | "header"
  | "label"
  | "li"
  | "main"
  | "nav"
  | "ol"
  | "option"
  | "p"
  | "pre"
  | "section"
  | "select"
  | "span"
  | "strong"
  | "summary"
  | "table"
  | "tbody"
  | "td"
  | "th"
  | "thead"
  | "title"
  | "tr"
  | "ul";

type AttributeName =
  | "autocomplete"
  | "class"
  | "for"
  | "hidden"
  | "id"
  | "open"
  | "role"
  | "scope"
  | "spellcheck"
  | "title"
  | "type"
  | "value"
  | `aria-${string}`
  | `data-${string}`;

export type Attributes = { readonly [name in AttributeName]?: string | number | true | undefined } & {
  /** Within the page, or to a page that somebody opens: nothing is loaded from it. */
  readonly href?: `#${string}` | `https://${string}` | undefined;
};

/** What `made` returned. Data of a report may have a field `html`, and is not markup. */
const MADE = new WeakSet<Html>();

function made(html: string): Html {
  const markup = { html };
  MADE.add(markup);
  return markup;
}

/** An element with its attributes and children, all of them escaped. */
export function element(tag: Tag, attributes: Attributes, ...children: readonly Child[]): Html {
  return made(`<${tag}${written(attributes)}>${children.map(rendered).join("")}</${tag}>`);
}

function written(attributes: Attributes): string {
  return Object.entries(attributes)
    .map(([name, value]) => {
      if (value === undefined) return "";
      return value === true ? ` ${name}` : ` ${name}="${escapeHtml(String(value))}"`;
    })
    .join("");
}

/** A place at which a long word may break. It is no character: who copies the word gets it whole. */
export const BREAK: Html = made("<wbr>");

export const LINE_BREAK: Html = made("\n");

/** A field to type into: an element without children. */
export function input(attributes: Attributes): Html {
  return made(`<input${written(attributes)}>`);
}

function rendered(child: Child): string {
  if (child === undefined) return "";
  if (typeof child === "string" || typeof child === "number") return escapeHtml(String(child));
  if (!("html" in child)) return child.map(rendered).join("");
  if (!MADE.has(child)) throw new Error("markup that html.ts did not make");
  return child.html;
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes text for HTML elements and quoted attributes; control characters are shown as `\u0007`. */
export function escapeHtml(text: string): string {
  return printable(text).replace(/[&<>"']/gu, (character) => ENTITIES[character] ?? "");
}
