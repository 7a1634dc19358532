import { printable } from "../../findings/results/terminal.ts";
import type { Words } from "./document.ts";

// Words as GitHub's Markdown reads them. Whatever a manifest says, it is text: no markup, link, mention or reference.

/** Words in a line of Markdown. */
export function inline(words: Words): string {
  return words
    .map((part) => {
      if (typeof part === "string") return plain(part);
      if ("code" in part) return codeSpan(part.code);
      if ("strong" in part) return bold(inline(part.strong));
      if ("link" in part) return `[${inline(part.words)}](${part.link.replaceAll("(", "%28").replaceAll(")", "%29")})`;
      return inline(part.words);
    })
    .join("");
}

/** Spaces within the asterisks would make them text. */
function bold(text: string): string {
  const inner = text.trim();
  if (inner === "") return text;
  const start = text.indexOf(inner);
  return `${text.slice(0, start)}**${inner}**${text.slice(start + inner.length)}`;
}

/** Words in a line that begins with an HTML element, which GitHub doesn't read as Markdown, or in a cell of a table. */
export function inlineHtml(words: Words): string {
  return words
    .map((part) => {
      if (typeof part === "string") return plain(part);
      if ("code" in part) return `<code>${escaped(shortened(part.code))}</code>`;
      if ("strong" in part) return `<b>${inlineHtml(part.strong)}</b>`;
      if ("link" in part) return `<a href="${escaped(part.link)}">${inlineHtml(part.words)}</a>`;
      return inlineHtml(part.words);
    })
    .join("");
}

/** Our own sentences: the names in them must not mention anybody or link anything. `GH-1` is an issue, too. */
function plain(text: string): string {
  return escaped(text.replaceAll("\u00a0", " ")).replace(/&#(?:64|35);|\bGH-(?=\d)/giu, "$&\u200b");
}

/**
 * In code GitHub looks for no mention, no issue and no commit. What would end the code, or be changed in it, is an element
 * with entities instead.
 */
function codeSpan(text: string): string {
  const shown = printable(shortened(text));
  return /^[!-~→](?:[ -~→…]*[!-~→…])?$/u.test(shown) && !/[`<]/u.test(shown)
    ? `\`${shown}\``
    : `<code>${escaped(shown)}</code>`;
}

/** A longer name is none that a cluster takes. */
const LONGEST_CODE = 600;

function shortened(text: string): string {
  const characters = [...text];
  if (characters.length <= LONGEST_CODE) return text;
  return `${characters.slice(0, LONGEST_CODE / 2).join("")}…${characters.slice(-LONGEST_CODE / 2).join("")}`;
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

// What GitHub's Markdown reads within a line of HTML: emphasis, links, code, math, emoji, addresses. A colon before a
// space is part of none.
const MARKUP = /[&<>"'\\`*_[\]#|~@$]|:(?!\s|$)|(?<=www)\./gu;

function escaped(text: string): string {
  return printable(text).replace(MARKUP, (character) => ENTITIES[character] ?? `&#${character.charCodeAt(0)};`);
}
