import type { AuditEntry, RolloutAudit, StaleEntry, WorstEntry } from "./audit-report.ts";

const MOST_WORST = 10;

/** What was down, most pods first; then what was stale, longest first; then what was avoidable, most pods first. */
export function worstOf(
  { down, stale, avoidable }: Pick<RolloutAudit, "down" | "stale" | "avoidable">,
  now: string,
): readonly WorstEntry[] {
  const byPods = <T extends AuditEntry>(entries: readonly T[]): readonly T[] =>
    entries.toSorted((a, b) => b.pods - a.pods);
  const byTime = stale.toSorted(
    (a, b) => Number(b.until === null) - Number(a.until === null) || secondsOf(b, now) - secondsOf(a, now),
  );
  return [
    ...byPods(down).map((entry): WorstEntry => ({ ...entry, type: "Down" })),
    ...byTime.map((entry): WorstEntry => ({ ...entry, type: "Stale" })),
    ...byPods(avoidable).map((entry): WorstEntry => ({ ...entry, type: "Avoidable" })),
  ].slice(0, MOST_WORST);
}

/** How long pods kept old content, by the dates of authors, in seconds; at least 0. */
export function secondsOf({ date, until }: StaleEntry, now: string): number {
  // A commit may have any date.
  return Math.max(0, (Date.parse(until?.date ?? now) - Date.parse(date)) / 1000 || 0);
}
