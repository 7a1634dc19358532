/** Joins texts to one YAML stream. Keeps their bytes, except for byte order marks in the middle. */
export function oneStream(texts: readonly string[]): string {
  const parts: string[] = [];
  for (const [i, text] of texts.entries()) {
    if (i === 0) {
      parts.push(text);
      continue;
    }
    const content = text.replace(/^\uFEFF/u, "");
    if (!/[\r\n]$/u.test(parts.at(-1) ?? "")) parts.push("\n");
    // A directive needs the end marker of the document before it, and has its own start marker.
    if (STARTS_WITH_DIRECTIVE.test(content)) {
      if (!ENDS_WITH_MARKER.test(parts.slice(-2).join(""))) parts.push("...\n");
    } else if (!STARTS_WITH_MARKER.test(content)) parts.push("---\n");
    parts.push(content);
  }
  return parts.join("");
}

// Comments and empty lines may come before both.
const STARTS_WITH_MARKER = /^(?:[ \t]*(?:#[^\r\n]*)?[\r\n])*---(?:\s|$)/u;
const ENDS_WITH_MARKER = /(?:^|[\r\n])\.\.\.[\r\n]+$/u;
const STARTS_WITH_DIRECTIVE = /^(?:[ \t]*(?:#[^\r\n]*)?[\r\n])*%/u;
