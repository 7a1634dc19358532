import { printable } from "../findings/results/terminal.ts";
import type { Words } from "./plan-words.ts";

// Texts as Markdown, in which nothing that a manifest says is more than text.

/** Texts from manifests stand in <code>: GitHub looks for no mention, no issue and no commit there. */
export function markdownWords(words: Words): string {
  return words.map((piece) => (typeof piece === "string" ? markdownText(piece) : markdownCode(piece.code))).join("");
}

/** Our own sentences; the names in them must not call anybody or link anything. */
export function markdownText(text: string): string {
  return escapeCode(text).replace(/&#(?:64|35);/gu, "$&\u200b");
}

/** A text from a manifest. */
export function markdownCode(text: string): string {
  return `<code>${escapeCode(text)}</code>`;
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

// What GitHub's Markdown reads within a line of HTML: emphasis, links, code, math, emoji, addresses. A colon before a
// space is part of none.
const MARKS = /[&<>"'\\`*_[\]#|~@$]|:(?!\s|$)|(?<=www)\./gu;

/** A text that is no markup, within an element of its own. */
export function escapeCode(text: string): string {
  return printable(text).replace(MARKS, (c) => ENTITIES[c] ?? `&#${c.charCodeAt(0)};`);
}

/** How many bytes of UTF-8 a text is. */
export function bytes(text: string): number {
  return Buffer.byteLength(text, "utf8");
}
