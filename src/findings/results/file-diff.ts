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

const CONTEXT = 3;

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
  const [old, now] = [linesOf(before), linesOf(after)];
  const small = lineChanges(old, now);
  if (small === undefined) {
    const options = { context: CONTEXT, maxEditLength: MOST_EDITS };
    const patch = structuredPatch("", "", before, after, undefined, undefined, options);
    if (patch !== undefined) return patch.hunks;
  }
  const changes = small ?? [betweenEnds(old, now)];
  const groups: LineChange[][] = [];
  for (const change of changes) {
    const last = groups.at(-1)?.at(-1);
    if (last !== undefined && change.oldFrom - last.oldTo <= 2 * CONTEXT) groups.at(-1)?.push(change);
    else groups.push([change]);
  }
  return groups.map((group) => hunkOf(group, old, now));
}

/** The time for the shortest diff grows with the square of its edits: beyond this number a longer diff is fine. */
const MOST_EDITS = 200;

/** Everything between the common beginning and the common end of two texts, as one change. */
function betweenEnds(old: readonly string[], now: readonly string[]): LineChange {
  const most = Math.min(old.length, now.length);
  let head = 0;
  while (head < most && old[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < most - head && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail += 1;
  return { oldFrom: head, oldTo: old.length - tail, newFrom: head, newTo: now.length - tail };
}

/** The lines of a string with their line breaks: a last line without one differs from a line with one. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/gu) ?? [];
}

function hunkOf(group: readonly LineChange[], old: readonly string[], now: readonly string[]): StructuredPatchHunk {
  const [first] = group;
  const last = group.at(-1);
  if (first === undefined || last === undefined) throw new Error("a hunk has a change");
  const before = Math.min(first.oldFrom, CONTEXT);
  const oldFrom = first.oldFrom - before;
  const newFrom = first.newFrom - before;
  const oldTo = Math.min(last.oldTo + CONTEXT, old.length);
  const lines: string[] = [];
  const write = (mark: string, from: readonly string[], start: number, end: number): void => {
    for (const line of from.slice(start, end)) {
      lines.push(mark + line.replace(/\n$/u, ""));
      if (!line.endsWith("\n")) lines.push("\\ No newline at end of file");
    }
  };
  let copied = oldFrom;
  for (const change of group) {
    write(" ", old, copied, change.oldFrom);
    write("-", old, change.oldFrom, change.oldTo);
    write("+", now, change.newFrom, change.newTo);
    copied = change.oldTo;
  }
  write(" ", old, copied, oldTo);
  const newTo = last.newTo + (oldTo - last.oldTo);
  return { oldStart: oldFrom + 1, oldLines: oldTo - oldFrom, newStart: newFrom + 1, newLines: newTo - newFrom, lines };
}

/** A part of one text that replaces a part of another: line numbers from 0, the end exclusive. */
interface LineChange {
  readonly oldFrom: number;
  readonly oldTo: number;
  readonly newFrom: number;
  readonly newTo: number;
}

/** How many equal lines end a difference. */
const AGREEING = 3;
/** How many lines are searched for them. */
const WINDOW = 200;

/**
 * The differences between two texts with small edits, in time proportional to their length, unlike a shortest diff.
 * Undefined if they differ for longer.
 */
function lineChanges(before: readonly string[], after: readonly string[]): LineChange[] | undefined {
  const changes: LineChange[] = [];
  let i = 0;
  let j = 0;
  while (i < before.length || j < after.length) {
    if (i < before.length && before[i] === after[j]) {
      i += 1;
      j += 1;
      continue;
    }
    const found = nextAgreement(before, after, i, j);
    if (found === undefined) return undefined;
    changes.push({ oldFrom: i, oldTo: found.i, newFrom: j, newTo: found.j });
    ({ i, j } = found);
  }
  return changes;
}

function nextAgreement(
  before: readonly string[],
  after: readonly string[],
  i: number,
  j: number,
): { i: number; j: number } | undefined {
  for (let distance = 1; distance <= WINDOW; distance++) {
    // Lines are added more often than removed.
    for (let gone = 0; gone <= distance; gone++) {
      if (agree(before, after, i + gone, j + distance - gone)) return { i: i + gone, j: j + distance - gone };
    }
  }
  return undefined;
}

function agree(before: readonly string[], after: readonly string[], i: number, j: number): boolean {
  if (i > before.length || j > after.length) return false;
  for (let k = 0; k < AGREEING; k++) {
    if (i + k === before.length && j + k === after.length) return true;
    if (before[i + k] === undefined || before[i + k] !== after[j + k]) return false;
  }
  return true;
}
