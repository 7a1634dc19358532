import { diffLines } from "diff";
import type { Entries } from "../digest/hash-v1.ts";
import type { KeyDiff } from "./plan-report.ts";
import { changedKeys } from "../sources/changed-keys.ts";

const MOST_LINES = 12;
const LONGEST_LINE = 200;
/** Comparing more than this line by line takes longer than anyone reads. */
const MOST_TEXT = 100_000;

/** Short diffs of the values of a ConfigMap that differ, by key. */
export function valueDiffs(from: Entries, to: Entries): KeyDiff[] {
  const { added, removed, changed } = changedKeys(from, to);
  return [...added, ...removed, ...changed]
    .sort()
    .map((key): KeyDiff => ({ key, lines: linesOf(from.get(key) ?? "", to.get(key) ?? "") }));
}

function linesOf(before: string | Uint8Array, after: string | Uint8Array): string[] {
  if (typeof before !== "string" || typeof after !== "string") return ["(binary)"];
  if (before.length + after.length > MOST_TEXT) return ["(too long to show)"];
  const lines = diffLines(before, after).flatMap(({ value, added, removed }) => {
    if (!added && !removed) return [];
    return value
      .replace(/\n$/u, "")
      .split("\n")
      .map((line) => `${added ? "+" : "-"}${shortened(line)}`);
  });
  return lines.length <= MOST_LINES
    ? lines
    : [...lines.slice(0, MOST_LINES), `(${lines.length - MOST_LINES} more lines)`];
}

function shortened(line: string): string {
  return line.length <= LONGEST_LINE ? line : `${line.slice(0, LONGEST_LINE)}…`;
}
