import { RESTARTED_AT } from "../ground/keys.ts";
import type { OwnEntry } from "./own-entries.ts";
import type { OwnByMap } from "./own-texts.ts";

/** The entries of ours in one version of a file, and the objects that it has. */
export interface Version {
  readonly own: OwnByMap;
  readonly objects: ReadonlyMap<string, unknown>;
}

/**
 * Which entries of ours a merge has: what one side alone has changed is as that side has it; of two changes the
 * first side's, of two restarts the later. What one side has taken away goes. The next stamp puts digests right.
 */
export function chosen(base: Version | undefined, ours: Version, theirs: Version): OwnByMap {
  const all = new Map<string, readonly OwnEntry[]>();
  for (const id of new Set([...ours.own.keys(), ...theirs.own.keys()])) {
    const [object = ""] = JSON.parse(id) as string[];
    const a = ours.own.get(id) ?? [];
    const b = theirs.own.get(id) ?? [];
    // A side without the object says nothing of its entries: it may have another name there.
    if (!ours.objects.has(object)) all.set(id, b);
    else if (!theirs.objects.has(object)) all.set(id, a);
    else all.set(id, merged(base?.own.get(id) ?? [], a, b));
  }
  return all;
}

function merged(base: readonly OwnEntry[], ours: readonly OwnEntry[], theirs: readonly OwnEntry[]): OwnEntry[] {
  const [o, a, b] = [base, ours, theirs].map((list) => new Map(list.map((own) => [own.key, own])));
  const result: OwnEntry[] = [];
  for (const own of ours) {
    const kept = oneOf(o?.get(own.key), own, b?.get(own.key));
    if (kept !== undefined) result.push({ ...kept, behind: own.behind });
  }
  for (const own of theirs) {
    if (a?.has(own.key) === true || oneOf(o?.get(own.key), undefined, own) === undefined) continue;
    // Stamps stand in the order of their keys.
    const next = result.findIndex(({ key, behind }) => behind === own.behind && key > own.key);
    result.splice(next < 0 ? result.length : next, 0, own);
  }
  return result;
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
  // Both have changed it; where one has taken it away, that is what both can agree on.
  return ours === undefined || theirs === undefined ? undefined : ours;
}

function later(ours: OwnEntry | undefined, theirs: OwnEntry | undefined): OwnEntry | undefined {
  if (ours === undefined || theirs === undefined) return ours ?? theirs;
  return Date.parse(theirs.value) > Date.parse(ours.value) ? theirs : ours;
}
