import { decodeBase64 } from "../../base/digest/hash-v1.ts";
import { taggedValue } from "./go-scalars.ts";

// YAML's own tags, as go-yaml v2 takes them (decode.go, scalar): the value has to be what the tag says, in
// quotes or not; what `!!binary` encodes is text.

const FULL = "!<tag:yaml.org,2002:";

/** The name of one of YAML's own tags, `bool` for `!!bool`; undefined for any other tag, and for none. */
export function yamlTag(tag: string): string | undefined {
  if (tag.startsWith("!!")) return tag.slice(2);
  return tag.startsWith(FULL) ? tag.slice(FULL.length, -1) : undefined;
}

/** Why a text can't have its tag; undefined where it can. */
export function tagProblem(tag: string, text: string): string | undefined {
  const name = yamlTag(tag);
  if (name === "binary") return decodeBase64(text) === undefined ? "not base64" : undefined;
  return name === undefined || taggedValue(name, text) !== undefined ? undefined : "none of that type";
}

/** The text that `!!binary` encodes: Go puts U+FFFD for each byte that is not UTF-8. */
export function binaryText(encoded: string): string {
  const bytes = decodeBase64(encoded) ?? Buffer.alloc(0);
  const text = bytes.toString("utf8");
  return text.includes("\uFFFD") ? goText(bytes) : text;
}

/** As Go's encoding/json reads bytes: where others put one character for what is cut short, it puts one for each byte. */
function goText(bytes: Buffer): string {
  const parts: string[] = [];
  let from = 0;
  for (let at = 0; at < bytes.length;) {
    const length = lengthAt(bytes, at);
    if (length === 0) {
      parts.push(bytes.toString("utf8", from, at), "\uFFFD");
      from = at + 1;
    }
    at += length || 1;
  }
  parts.push(bytes.toString("utf8", from));
  return parts.join("");
}

/** Well-formed UTF-8 (Unicode, table 3-7): the first byte up to which a row holds, the length, and what the second may be. */
const SEQUENCES: readonly (readonly [upTo: number, length: number, from: number, to: number])[] = [
  [0x7f, 1, 0, 0],
  [0xc1, 0, 0, 0],
  [0xdf, 2, 0x80, 0xbf],
  [0xe0, 3, 0xa0, 0xbf],
  [0xec, 3, 0x80, 0xbf],
  [0xed, 3, 0x80, 0x9f],
  [0xef, 3, 0x80, 0xbf],
  [0xf0, 4, 0x90, 0xbf],
  [0xf3, 4, 0x80, 0xbf],
  [0xf4, 4, 0x80, 0x8f],
];

/** How many bytes the character at an offset has; 0 where there is none. */
function lengthAt(bytes: Buffer, at: number): number {
  const first = bytes[at] ?? 0;
  const [, length = 0, from = 0, to = 0] = SEQUENCES.find(([upTo]) => first <= upTo) ?? [];
  for (let i = 1; i < length; i++) {
    const byte = bytes[at + i] ?? 0;
    if (byte < (i === 1 ? from : 0x80) || byte > (i === 1 ? to : 0xbf)) return 0;
  }
  return length;
}
