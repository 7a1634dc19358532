import { RESTARTED_AT } from "../../base/keys.ts";
import { groupedBy } from "../../base/grouped.ts";
import type { OwnEntry } from "./own-entries.ts";
import type { OwnByMap } from "./own-texts.ts";

/**
 * Chooses our entries for a merge. A change of only one side is taken; of two changes, the first side's, of two
 * restarts the later one. A removal wins. The next stamp corrects the digests. Undefined if both sides changed the
 * comment after such an entry, which is not ours, or one changed it and the other removed the entry.
 */
export function chosen(base: OwnByMap | undefined, ours: OwnByMap, theirs: OwnByMap): OwnByMap | undefined {
  const all = new Map<string, readonly OwnEntry[]>();
  for (const id of new Set([...ours.keys(), ...theirs.keys()])) {
    const both = merged(base?.get(id) ?? [], ours.get(id) ?? [], theirs.get(id) ?? []);
    if (both === undefined) return undefined;
    all.set(id, both);
  }
  return all;
}

function merged(
  base: readonly OwnEntry[],
  ours: readonly OwnEntry[],
  theirs: readonly OwnEntry[],
): OwnEntry[] | undefined {
  const [o, a, b] = [base, ours, theirs].map((list) => new Map(list.map((own) => [own.key, own])));
  const result: OwnEntry[] = [];
  for (const entry of ours) {
    const [before, other] = [o?.get(entry.key), b?.get(entry.key)];
    const kept = oneOf(before, entry, other);
    if (kept === undefined && isNewComment(before, entry)) return undefined;
    if (kept === undefined) continue;
    const comment = other === undefined ? entry.comment : oneComment(before?.comment, entry.comment, other.comment);
    if (comment === undefined) return undefined;
    result.push({ ...kept, comment, behind: entry.behind });
  }
  const added: OwnEntry[] = [];
  for (const entry of theirs) {
    const before = o?.get(entry.key);
    if (a?.has(entry.key) === true) continue;
    if (oneOf(before, undefined, entry) !== undefined) added.push(entry);
    else if (isNewComment(before, entry)) return undefined;
  }
  if (added.length === 0) return result;
  const [kept, more] = [groupedBy(result, ({ behind }) => behind), groupedBy(added, ({ behind }) => behind)];
  return [...new Set([...kept.keys(), ...more.keys()])].flatMap((behind) =>
    inOrder(kept.get(behind) ?? [], more.get(behind) ?? []),
  );
}

/** Inserts entries: stamps are sorted by key. */
function inOrder(kept: readonly OwnEntry[], added: readonly OwnEntry[]): OwnEntry[] {
  const result: OwnEntry[] = [];
  let next = 0;
  for (const entry of added.toSorted((a, b) => (a.key < b.key ? -1 : 1))) {
    for (let nextKept = kept[next]; nextKept !== undefined && nextKept.key <= entry.key; nextKept = kept[next]) {
      result.push(nextKept);
      next += 1;
    }
    result.push(entry);
  }
  return [...result, ...kept.slice(next)];
}

function oneOf(
  base: OwnEntry | undefined,
  ours: OwnEntry | undefined,
  theirs: OwnEntry | undefined,
): OwnEntry | undefined {
  if (ours?.value === theirs?.value || base?.value === theirs?.value) return ours;
  if (base?.value === ours?.value) return theirs;
  const either = ours ?? theirs;
  if (either?.key === RESTARTED_AT) return later(ours, theirs);
  // Both sides changed it. If one of them removed it, it is removed.
  return ours === undefined || theirs === undefined ? undefined : ours;
}

/** The comment after an entry that both sides have; undefined if both changed it. */
function oneComment(base: string | undefined, ours: string, theirs: string): string | undefined {
  const [o, a, b] = [base ?? "", ours, theirs].map((comment) => comment.trim());
  if (a === b || b === o) return ours;
  return a === o ? theirs : undefined;
}

/** Whether a side changed the comment after an entry that the other side removed. */
function isNewComment(base: OwnEntry | undefined, { comment }: OwnEntry): boolean {
  return comment.trim() !== (base?.comment ?? "").trim();
}

function later(ours: OwnEntry | undefined, theirs: OwnEntry | undefined): OwnEntry | undefined {
  if (ours === undefined || theirs === undefined) return ours ?? theirs;
  return Date.parse(theirs.value) > Date.parse(ours.value) ? theirs : ours;
}
