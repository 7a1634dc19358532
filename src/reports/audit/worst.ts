import { groupedBy } from "../../base/grouped.ts";
import { causeOfSource } from "../plan/rows/row-causes.ts";
import type { AuditEntry, RolloutAudit, StaleEntry, WorstEntry } from "./audit-report.ts";

const MOST_WORST = 10;

type Lists = Pick<RolloutAudit, "down" | "stale" | "avoidable">;

/** The ten worst entries. */
export function worstOf(lists: Lists, now: string): readonly WorstEntry[] {
  return worstFirst(lists, now).slice(0, MOST_WORST);
}

/** The worst entries, those of one commit, cause and end together: the ten worst groups, and how many there are. */
export function worstGroups(
  lists: Lists,
  now: string,
): { readonly groups: readonly (readonly [WorstEntry, ...WorstEntry[]])[]; readonly total: number } {
  const groups = groupedBy(worstFirst(lists, now), ({ type, commit, reasons, ...entry }) => {
    const causes = reasons.map((reason) => (reason.type === "Source" ? causeOfSource(reason).key : reason));
    return JSON.stringify([type, commit, causes, "until" in entry ? (entry.until?.commit ?? null) : undefined]);
  });
  return { groups: [...groups.values()].slice(0, MOST_WORST), total: groups.size };
}

/** What was down, most pods first; then what was stale, longest first; then what was avoidable, most pods first. */
function worstFirst({ down, stale, avoidable }: Lists, now: string): readonly WorstEntry[] {
  const byPods = <T extends AuditEntry>(entries: readonly T[]): readonly T[] =>
    entries.toSorted((a, b) => b.pods - a.pods);
  const byTime = stale.toSorted(
    (a, b) => Number(b.until === null) - Number(a.until === null) || secondsOf(b, now) - secondsOf(a, now),
  );
  return [
    ...byPods(down).map((entry): WorstEntry => ({ ...entry, type: "Down" })),
    ...byTime.map((entry): WorstEntry => ({ ...entry, type: "Stale" })),
    ...byPods(avoidable).map((entry): WorstEntry => ({ ...entry, type: "Avoidable" })),
  ];
}

/** How long pods kept old content, by the dates of authors, in seconds; at least 0. */
export function secondsOf({ date, until }: StaleEntry, now: string): number {
  // A commit may have any date.
  return Math.max(0, (Date.parse(until?.date ?? now) - Date.parse(date)) / 1000 || 0);
}
