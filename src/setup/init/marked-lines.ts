/** The lines around our part of a file of the user. We keep that part up to date. */
export interface Marks {
  readonly first: string;
  readonly last: string;
}

/** The offsets of the marked part with its marks; undefined if there is none, or it has no end. */
function regionOf(text: string, { first, last }: Marks): { readonly start: number; readonly end: number } | undefined {
  const lines = text.split(/(?<=\n)/u);
  const from = lines.findIndex((line) => line.trimEnd() === first);
  const to = lines.findIndex((line, i) => i > from && line.trimEnd() === last);
  if (from < 0 || to < 0) return undefined;
  const before = (n: number): number => lines.slice(0, n).join("").length;
  return { start: before(from), end: before(to + 1) };
}

/** Whether the text has a part with these marks. */
export function hasMarked(text: string, marks: Marks): boolean {
  return regionOf(text, marks) !== undefined;
}

/** Puts the lines that `add` adds between marks, and replaces what was between them. `add` must add whole lines. */
export function withMarked(text: string, marks: Marks, add: (text: string) => string): string {
  const region = regionOf(text, marks);
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const rest = region === undefined ? ended(text, eol) : text.slice(0, region.start) + text.slice(region.end);
  const before = rest.split(/(?<=\n)/u);
  const after = add(rest).split(/(?<=\n)/u);
  const head = commonLines(before, after);
  const tail = commonLines(before.slice(head).toReversed(), after.slice(head).toReversed());
  const added = after.slice(head, after.length - tail);
  const lines = added.slice(added.findIndex((line) => line.trim() !== ""));
  const block = `${marks.first}${eol}${lines.join("").trimEnd()}${eol}${marks.last}${eol}`;
  if (region !== undefined) return text.slice(0, region.start) + block + text.slice(region.end);
  const above = after.slice(0, head).join("");
  const gap = above === "" || /\n\r?\n$/u.test(above) ? "" : eol;
  return `${above}${gap}${block}${after.slice(after.length - tail).join("")}`;
}

function ended(text: string, eol: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}${eol}`;
}

function commonLines(a: readonly string[], b: readonly string[]): number {
  let n = 0;
  while (n < a.length && n < b.length && a[n] === b[n]) n += 1;
  return n;
}
