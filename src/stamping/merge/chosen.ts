import { RESTARTED_AT } from "../../base/keys.ts";
import { groupedBy } from "../../base/grouped.ts";
import type { OwnEntry } from "./own-entries.ts";
import type { OwnByMap } from "./own-texts.ts";

/** Our entries in one version of a file, and its objects. */
export interface Version {
  readonly entries: OwnByMap;
  readonly objects: ReadonlyMap<string, unknown>;
}

/**
 * Chooses our entries for a merge. A change of only one side is taken; of two changes, the first side's, of two
 * restarts the later one. A removal wins. The next stamp corrects the digests. Undefined if both sides changed the
 * comment after such an entry, which is not ours.
 */
export function chosen(base: Version | undefined, ours: Version, theirs: Version): OwnByMap | undefined {
  const all = new Map<string, readonly OwnEntry[]>();
  for (const id of new Set([...ours.entries.keys(), ...theirs.entries.keys()])) {
    const [object = ""] = JSON.parse(id) as string[];
    const a = ours.entries.get(id) ?? [];
    const b = theirs.entries.get(id) ?? [];
    // A side without the object does not count: the object may have another name there.
    if (!ours.objects.has(object)) all.set(id, b);
    else if (!theirs.objects.has(object)) all.set(id, a);
    else {
      const both = merged(base?.entries.get(id) ?? [], a, b);
      if (both === undefined) return undefined;
      all.set(id, both);
    }
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
    if (kept === undefined) continue;
    const comment = other === undefined ? entry.comment : oneComment(before?.comment, entry.comment, other.comment);
    if (comment === undefined) return undefined;
    result.push({ ...kept, comment, behind: entry.behind });
  }
  const added = theirs.filter(
    (own) => a?.has(own.key) !== true && oneOf(o?.get(own.key), undefined, own) !== undefined,
  );
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

function later(ours: OwnEntry | undefined, theirs: OwnEntry | undefined): OwnEntry | undefined {
  if (ours === undefined || theirs === undefined) return ours ?? theirs;
  return Date.parse(theirs.value) > Date.parse(ours.value) ? theirs : ours;
}
