import fc from "fast-check";

/** Any code point, halves of a surrogate pair as well. fast-check's own `binary` makes a table of all of them first, to
 * shrink by: a second. */
export const codePoint: fc.Arbitrary<string> = fc
  .integer({ min: 0, max: 0x10ffff })
  .map((code) => String.fromCodePoint(code));
