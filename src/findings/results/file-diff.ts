import { formatPatch, structuredPatch, type StructuredPatchHunk } from "diff";
import picocolors from "picocolors";

export interface TextChange {
  /** The path in the diff, with slashes, relative to where the diff is applied. */
  readonly path: string;
  /** Undefined for a new file. */
  readonly before: string | undefined;
  readonly after: string;
  /** A new executable file. */
  readonly executable?: boolean;
}

/** A unified diff in git's colors. */
export function coloredDiff(diff: string): string {
  const { bold, cyan, green, red } = picocolors.createColors(true);
  const paints: readonly (readonly [RegExp, (line: string) => string])[] = [
    [/^(?:diff |--- |\+\+\+ |new file )/u, bold],
    [/^@@ /u, cyan],
    [/^\+/u, green],
    [/^-/u, red],
  ];
  return diff.replace(/^[^\r\n]+/gmu, (line) => (paints.find(([form]) => form.test(line))?.[1] ?? String)(line));
}

/** Changes as one unified diff in git's form, for `git apply` and `patch -p1`. */
export function unifiedDiff(changes: readonly TextChange[]): string {
  return changes
    .map(({ path, before, after, executable }) =>
      formatPatch({
        oldFileName: before === undefined ? "/dev/null" : `a/${path}`,
        newFileName: `b/${path}`,
        oldHeader: undefined,
        newHeader: undefined,
        hunks: hunksOf(before ?? "", after),
        isGit: true,
        ...(before === undefined ? { isCreate: true, newMode: executable === true ? "100755" : "100644" } : {}),
      }),
    )
    .join("");
}

function hunksOf(before: string, after: string): StructuredPatchHunk[] {
  const options = { context: 3, maxEditLength: MOST_EDITS };
  const patch = structuredPatch("", "", before, after, undefined, undefined, options);
  return patch?.hunks ?? [wholeText(before, after)];
}

/** The time for a diff grows with the square of its edits: beyond this number, it replaces the whole text. */
const MOST_EDITS = 2000;

function wholeText(before: string, after: string): StructuredPatchHunk {
  const [old, now] = [linesOf(before), linesOf(after)];
  const marked = (mark: string, lines: readonly string[]): string[] =>
    lines.flatMap((line) =>
      line.endsWith("\n") ? mark + line.slice(0, -1) : [mark + line, "\\ No newline at end of file"],
    );
  return {
    oldStart: 1,
    oldLines: old.length,
    newStart: 1,
    newLines: now.length,
    lines: [...marked("-", old), ...marked("+", now)],
  };
}

/** The lines of a string with their line breaks. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/gu) ?? [];
}
