// The fenced blocks of a Markdown file, in order.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./programs.ts";

/** A fenced block. */
export interface Fence {
  readonly language: string;
  readonly text: string;
  /** What its first line names, as in `# stamp.yaml`; undefined where that is no name of a file. */
  readonly file: string | undefined;
  /** The headings that it stands under, the nearest first. */
  readonly headings: readonly string[];
}

/** The fenced blocks of a file of the checkout. */
export function fencesOf(path: string): readonly Fence[] {
  const fences: Fence[] = [];
  const headings: { readonly level: number; readonly text: string }[] = [];
  let open: { readonly language: string; readonly lines: string[] } | undefined;
  for (const line of readFileSync(join(root, path), "utf8").split("\n")) {
    const mark = /^```(\w*)$/.exec(line);
    if (open !== undefined && mark !== null) {
      fences.push(readFence(open.language, open.lines, headings.map(({ text }) => text).toReversed()));
      open = undefined;
    } else if (open !== undefined) open.lines.push(line);
    else if (mark !== null) open = { language: mark[1] ?? "", lines: [] };
    else {
      const heading = /^(#+) (.*)$/.exec(line);
      if (heading === null) continue;
      const level = heading[1]?.length ?? 0;
      while ((headings.at(-1)?.level ?? 0) >= level) headings.pop();
      headings.push({ level, text: heading[2] ?? "" });
    }
  }
  return fences;
}

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

function readFence(language: string, lines: readonly string[], headings: readonly string[]): Fence {
  const named = /^# ([\w./-]*(?:\.\w+|Kptfile))$/.exec(lines[0] ?? "");
  const body = named === null ? lines : lines.slice(1);
  return { language, text: `${body.join("\n")}\n`, file: named?.[1], headings };
}
