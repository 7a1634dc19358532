import wrapAnsi from "wrap-ansi";

/** Fewer columns than these make lines of a word each: a terminal breaks them better by itself. */
const FEWEST_COLUMNS = 40;
/** By how much what follows the first part of a line stands further in. */
const HANGING = 2;

/**
 * A text with its lines broken at spaces, for a terminal of so many columns; as it is where there is none. What follows
 * stands further in than the line began. A word that is longer stays whole: it may be copied.
 */
export function wrapped(text: string, columns: number | undefined): string {
  if (columns === undefined) return text;
  const width = Math.max(columns, FEWEST_COLUMNS);
  return text
    .split("\n")
    .map((line) => (fits(line, width) ? line : brokenLine(line, width)))
    .join("\n");
}

/** Most lines fit, and nothing has to be measured to know it. */
function fits(line: string, width: number): boolean {
  return line.length <= width && /^[\x20-\x7e]*$/u.test(line);
}

function brokenLine(line: string, width: number): string {
  if (!wrapAnsi(line, width, { trim: false }).includes("\n")) return line;
  const start = /^ */u.exec(line)?.[0].length ?? 0;
  // Half of the line at least is for the text.
  const indent = Math.min(start, Math.floor(width / 2) - HANGING);
  const [first = "", ...rest] = wrapAnsi(line.slice(start), width - indent - HANGING).split("\n");
  return [
    `${" ".repeat(indent)}${first}`,
    ...rest.map((part) => `${" ".repeat(indent + HANGING)}${noCommand(part)}`),
  ].join("\n");
}

/** GitHub's runner takes a line that begins with `::`, indented or not, for a command: see results/terminal.ts. */
function noCommand(part: string): string {
  // oxlint-disable-next-line no-control-regex
  return part.replace(/^((?:\u001b\[[\d;]*m)*):(?=:)/u, "$1\\u003a");
}
