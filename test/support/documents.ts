import type { Document } from "../../src/output/document/document.ts";
import { printText } from "../../src/output/document/text.ts";

/** A document as text without colors, for a file. */
export function plainText(document: Document): Promise<string> {
  return printText(document, { color: false });
}
