// Rendering needs something in place of a value that is only in the cluster or encrypted, and a plan needs to see that it
// changes. Such a placeholder has a digest, against which guesses could be checked: what is printed has one word instead.

const BEGINNING = "unknown";

/** The length of the digest in a placeholder, with which it is base64: it may become a value in the data of a Secret. */
const DIGITS = 13;

// Templates put other text directly before and after it, and change its case.
const PLACEHOLDER = new RegExp(`${BEGINNING}[0-9a-f]{${DIGITS}}`, "giu");

/** What is printed in place of an unknown value. */
export const UNKNOWN = "(unknown)";

/** A placeholder with a digest in hexadecimal digits. It is a string in YAML, and valid in DNS names and as base64. */
export function placeholderWith(digest: string): string {
  return BEGINNING + digest.slice(0, DIGITS);
}

/** The text as it is printed: with one word for all unknown values. */
export function withoutPlaceholders(text: string): string {
  return text.replace(PLACEHOLDER, UNKNOWN);
}

/** Whether the text is a placeholder and nothing else. */
export function isPlaceholder(text: string): boolean {
  return withoutPlaceholders(text) === UNKNOWN;
}
