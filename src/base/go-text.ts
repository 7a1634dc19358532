// Strings as Go has them: bytes in UTF-8, one in each character. Positions and lengths count bytes.

const ASCII = /^[\0-\u007f]*$/u;

/** The bytes of a string, one in each character. */
export function goText(text: string): string {
  return ASCII.test(text) ? text : Buffer.from(text, "utf8").toString("latin1");
}

/** Decodes bytes. Invalid ones are replaced. */
export function fromGoText(bytes: string): string {
  if (ASCII.test(bytes)) return bytes;
  const text = Buffer.from(bytes, "latin1").toString("utf8");
  if (!text.includes("\ufffd")) return text;
  return runesOf(bytes)
    .map(({ character }) => character)
    .join("");
}

export function isUtf8(bytes: string): boolean {
  return goText(fromGoText(bytes)) === bytes;
}

/** A character of a string, with its bytes. */
export interface Rune {
  /** The replacement character for an invalid byte. */
  readonly character: string;
  readonly bytes: string;
}

/** The character at a byte; undefined at the end. */
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

export function runesOf(text: string): readonly Rune[] {
  const runes: Rune[] = [];
  for (let offset = 0; ;) {
    const rune = runeAt(text, offset);
    if (rune === undefined) return runes;
    runes.push(rune);
    offset += rune.bytes.length;
  }
}

/** Joins characters. An invalid byte becomes the replacement character. */
export function ofRunes(runes: readonly Rune[]): string {
  return runes.map(({ character, bytes }) => (character === "\ufffd" ? goText(character) : bytes)).join("");
}
