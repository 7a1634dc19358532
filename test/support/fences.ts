// The fenced blocks of a Markdown file, in order.
import { readFileSync } from "node:fs";
import { inRoot } from "./paths.ts";

/** A fenced block. */
export interface Fence {
  readonly language: string;
  readonly text: string;
  /** What its first line names, as in `# stamp.yaml`; undefined where that is no name of a file. */
  readonly file: string | undefined;
  /** The headings that it stands under, the nearest first. */
  readonly headings: readonly string[];
  /** The HTML comment in front of it, without its marks. */
  readonly note: string | undefined;
  /** The number of its first line. */
  readonly line: number;
}

/** The fenced blocks of a file of the checkout. */
export function fencesOf(path: string): readonly Fence[] {
  const fences: Fence[] = [];
  const headings: { readonly level: number; readonly text: string }[] = [];
  let open: { readonly indent: string; readonly lines: string[]; readonly fence: Opened } | undefined;
  let note: string | undefined;
  for (const [index, line] of readFileSync(inRoot(path), "utf8").split("\n").entries()) {
    const [, indent = "", language = ""] = /^( *)```(\w*)$/.exec(line) ?? [];
    const isMark = line.trimStart().startsWith("```");
    if (open !== undefined && isMark) {
      fences.push(readFence(open.lines, open.fence));
      open = undefined;
    } else if (open !== undefined) open.lines.push(line.slice(open.indent.length));
    else if (isMark) {
      const fence = { language, headings: headings.map(({ text }) => text).toReversed(), note, line: index + 1 };
      open = { indent, lines: [], fence };
      note = undefined;
    } else if (line !== "") {
      note = /^ *<!-- (.*) -->$/.exec(line)?.[1];
      const heading = /^(#+) (.*)$/.exec(line);
      if (heading === null) continue;
      const level = heading[1]?.length ?? 0;
      while ((headings.at(-1)?.level ?? 0) >= level) headings.pop();
      headings.push({ level, text: heading[2] ?? "" });
    }
  }
  return fences;
}

type Opened = Omit<Fence, "text" | "file">;

/** The fenced blocks under a heading of a file. No such heading, or none under it, is a failure. */
export function fencesUnder(path: string, heading: string): readonly Fence[] {
  const fences = fencesOf(path).filter(({ headings }) => headings.includes(heading));
  if (fences.length === 0) throw new Error(`${path} shows nothing under "${heading}"`);
  return fences;
}

/** The text of the one block that shows a file. */
export function shownFile(fences: readonly Fence[], file: string): string {
  const [shown, ...more] = fences.filter((fence) => fence.file === file);
  if (shown === undefined || more.length > 0)
    throw new Error(`${file} is shown ${shown === undefined ? 0 : more.length + 1} times`);
  return shown.text;
}

/** The commands of the blocks, one block as one script. */
export function commandsOf(fences: readonly Fence[]): readonly string[] {
  return fences.filter(({ language }) => language === "sh").map(({ text }) => text);
}

function readFence(lines: readonly string[], fence: Opened): Fence {
  const named = /^# ([\w./-]*(?:\.\w+|Kptfile))$/.exec(lines[0] ?? "");
  const body = named === null ? lines : lines.slice(1);
  return { ...fence, text: `${body.join("\n")}\n`, file: named?.[1] };
}
