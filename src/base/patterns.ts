/** A text as a part of a regular expression that stands for itself (RegExp.escape, which Node has from 24 on). */
export function literally(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/gu, String.raw`\$&`);
}

/**
 * True where a whole name matches a pattern of `*` and `?`. Takes at most the product of their lengths,
 * and that of a pattern is limited: no input makes it hang.
 */
export function matchesGlob(glob: string, name: string, compared: (steps: number) => void): boolean {
  let g = 0;
  let n = 0;
  let star = -1;
  let resume = 0;
  let steps = 1;
  while (n < name.length) {
    steps += 1;
    if (glob[g] === "*") {
      star = g;
      g += 1;
      resume = n;
    } else if (g < glob.length && (glob[g] === "?" || glob[g] === name[n])) {
      g += 1;
      n += 1;
    } else if (star >= 0) {
      // The last star takes one character more; earlier ones need not be tried again.
      g = star + 1;
      resume += 1;
      n = resume;
    } else break;
  }
  compared(steps);
  if (n < name.length) return false;
  while (glob[g] === "*") g += 1;
  return g === glob.length;
}
