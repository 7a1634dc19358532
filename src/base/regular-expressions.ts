/** Escapes a string for a regular expression (RegExp.escape, which Node has from 24 on). */
export function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/gu, String.raw`\$&`);
}
