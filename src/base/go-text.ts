// Texts as Go has them: bytes in UTF-8, one in each character here. Positions and lengths are of bytes.

const ASCII = /^[\0-\u007f]*$/u;

/** The bytes of a text, one in each character. */
export function goText(text: string): string {
  return ASCII.test(text) ? text : Buffer.from(text, "utf8").toString("latin1");
}

/** The text that bytes are; each byte that is no UTF-8 is replaced. */
export function fromGoText(bytes: string): string {
  if (ASCII.test(bytes)) return bytes;
  const text = Buffer.from(bytes, "latin1").toString("utf8");
  if (!text.includes("\ufffd")) return text;
  return runesOf(bytes)
    .map(({ character }) => character)
    .join("");
}

/** True for bytes that are UTF-8. */
export function isUtf8(bytes: string): boolean {
  return goText(fromGoText(bytes)) === bytes;
}

/** A character of a text, with the bytes that it takes. */
export interface Rune {
  /** What it is; the replacement character for a byte that begins none. */
  readonly character: string;
  readonly bytes: string;
}

/** The character that begins at a byte; undefined at the end. */
export function runeAt(text: string, at: number): Rune | undefined {
  const first = text.charCodeAt(at);
  if (Number.isNaN(first)) return undefined;
  if (first < 0x80) return { character: text.charAt(at), bytes: text.charAt(at) };
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  const bytes = text.slice(at, at + length);
  const character = Buffer.from(bytes, "latin1").toString("utf8");
  const isWhole = [...character].length === 1 && (character !== "\ufffd" || bytes === "\u00ef\u00bf\u00bd");
  return isWhole ? { character, bytes } : { character: "\ufffd", bytes: text.charAt(at) };
}

/** Its characters. */
export function runesOf(text: string): readonly Rune[] {
  const runes: Rune[] = [];
  for (let at = 0; ;) {
    const rune = runeAt(text, at);
    if (rune === undefined) return runes;
    runes.push(rune);
    at += rune.bytes.length;
  }
}

/** With its characters in another order, or others; what is no character comes out as the one that replaces it. */
export function ofRunes(runes: readonly Rune[]): string {
  return runes.map(({ character, bytes }) => (character === "\ufffd" ? goText(character) : bytes)).join("");
}
