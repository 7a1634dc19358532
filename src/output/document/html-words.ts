import { BREAK, element, type Child } from "../html/html.ts";
import type { Words } from "./document.ts";
import { token, type Places } from "./html-places.ts";

/** Words with their links, which lead to the first row of a facet or to another page. */
export function inline(words: Words, places: Places): Child[] {
  return words.map((part): Child => {
    if (typeof part === "string") return part;
    if ("code" in part) return element("code", {}, breakable(part.code));
    if ("strong" in part) return element("strong", {}, inline(part.strong, places));
    if ("tone" in part) return element("span", { class: part.tone }, inline(part.words, places));
    if ("link" in part) return element("a", { href: part.link }, inline(part.words, places));
    const first = places.firstWith(part.facet, part.value);
    if (first === undefined) return inline(part.words, places);
    return element(
      "a",
      { href: `#${first}`, "data-facet": part.facet, "data-value": token(part.value) },
      inline(part.words, places),
    );
  });
}

/** A path breaks behind its parts: a phone is narrow. Who copies it gets it whole. */
export function breakable(text: string): Child[] {
  return text.split(/(?<=[./\]])(?=.)/u).map((part, i) => (i === 0 ? part : [BREAK, part]));
}

/** A link has no other links in it. */
export function hasLink(words: Words): boolean {
  return words.some((part) => typeof part !== "string" && ("link" in part || "facet" in part));
}
