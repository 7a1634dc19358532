import type { KeyChanges } from "../../base/names.ts";
import { onceFor } from "../../base/grouped.ts";
import { withoutPlaceholders } from "../../base/placeholders.ts";
import { diffLines } from "diff";
import type { Entries } from "../../base/digest/hash-v1.ts";
import { valuePair } from "../../findings/results/value-pair.ts";
import { HIDDEN } from "./hidden-values.ts";
import type { KeyDiff } from "./plan-reasons.ts";
import type { changedKeys } from "../../kubernetes/sources/changed-keys.ts";
import { shortened } from "../../base/words.ts";

const MOST_LINES = 12;
const LONGEST_LINE = 200;
/** Longer values are not compared line by line. */
const MOST_TEXT = 100_000;

/** Comparing costs the number of lines times the number of edits, and nobody reads more edits than this. */
const MOST_EDITS = 200;
/** How many keys of a source are shown with one workload. */
const MOST_DIFFS = 20;
/** With how many workloads one diff is shown. */
const MOST_WORKLOADS = 20;

/** Diffs of a source, as one workload shows them. */
export interface ShownDiffs {
  readonly diffs: readonly KeyDiff[];
  /** How many more keys changed. */
  readonly more: number;
}

/** Whether a line contains the value of a Secret. It is asked before lines are shortened, which could cut the value. */
type IsSecret = (line: string) => boolean;

/**
 * Short diffs of the changed values of a ConfigMap, by key, as a workload sees them. Each is made once and shown with a
 * limited number of workloads: a source with many keys and many users would multiply.
 */
export type ValueDiffs = (source: string, from: Entries, to: Entries) => ShownDiffs;

/** Makes the diffs of one pair of renderings: in another one, a source of the same name has other values. */
export function valueDiffs(changes: typeof changedKeys, isSecret: IsSecret): ValueDiffs {
  // Sorted once for all workloads that see the same.
  const inOrder = onceFor((keys: KeyChanges): readonly string[] =>
    [...keys.added, ...keys.removed, ...keys.changed].sort(),
  );
  const known = new Map<string, { readonly lines: readonly string[]; shown: number }>();
  return (source, from, to) => {
    const all = inOrder(changes(from, to));
    // What replaces invalid keys has no value.
    const named = all.filter((key) => from.has(key) || to.has(key));
    const diffs = named.slice(0, MOST_DIFFS).flatMap((key): KeyDiff[] => {
      const id = JSON.stringify([source, key, from.has(key), to.has(key)]);
      const diff = known.get(id) ?? { lines: linesOf(from.get(key) ?? "", to.get(key) ?? "", isSecret), shown: 0 };
      known.set(id, diff);
      diff.shown += 1;
      return diff.shown > MOST_WORKLOADS ? [] : [{ key, lines: diff.lines }];
    });
    return { diffs, more: all.length - diffs.length };
  };
}

function linesOf(from: string | Uint8Array, to: string | Uint8Array, isSecret: IsSecret): string[] {
  if (typeof from !== "string" || typeof to !== "string") return ["(binary)"];
  if (from.length + to.length > MOST_TEXT) return ["(too long to show)"];
  // Before lines are shortened, which could cut a placeholder.
  const [before, after] = [withoutPlaceholders(from), withoutPlaceholders(to)];
  if (before === after) return ["(an unknown value differs)"];
  const changes = diffLines(before, after, { maxEditLength: MOST_EDITS });
  if (changes === undefined) return ["(too many lines differ to show)"];
  const lines = changes.flatMap((change, i) => {
    const next = changes[i + 1];
    if (change.removed && next?.added === true) return replaced(change.value, next.value, isSecret);
    const isPaired = change.added && changes[i - 1]?.removed === true;
    return isPaired ? [] : marked(change, isSecret);
  });
  return lines.length <= MOST_LINES
    ? lines
    : [...lines.slice(0, MOST_LINES), `(${lines.length - MOST_LINES} more lines)`];
}

interface Part {
  readonly value: string;
  readonly added: boolean;
  readonly removed: boolean;
}

/** Added or removed lines. */
function marked({ value, added, removed }: Part, isSecret: IsSecret): string[] {
  if (!added && !removed) return [];
  return splitLines(value).map((line) => `${added ? "+" : "-"}${shownLine(line, isSecret)}`);
}

function shownLine(line: string, isSecret: IsSecret): string {
  return isSecret(line) ? HIDDEN : shortened(line, LONGEST_LINE);
}

/** Replaced lines: each pair shows the part that differs. */
function replaced(before: string, after: string, isSecret: IsSecret): string[] {
  const [from, to] = [splitLines(before), splitLines(after)];
  const pairs = from.map((line, i) => {
    const other = to[i] ?? "";
    return line === "" || other === "" || other === line || isSecret(line) || isSecret(other)
      ? undefined
      : valuePair(line, other, { longest: LONGEST_LINE });
  });
  // If this is the only difference in the last line.
  const ends = before.endsWith("\n") !== after.endsWith("\n") && from.at(-1) === to.at(-1) ? [NO_NEWLINE] : [];
  return [
    ...from.map((line, i) => `-${pairs[i]?.from ?? shownLine(line, isSecret)}`),
    ...(before.endsWith("\n") ? [] : ends),
    ...to.map((line, i) => `+${pairs[i]?.to ?? shownLine(line, isSecret)}`),
    ...(after.endsWith("\n") ? [] : ends),
  ];
}

const NO_NEWLINE = "(no newline at the end)";

function splitLines(text: string): string[] {
  return text.replace(/\n$/u, "").split("\n");
}
