import { groupedBy } from "../../base/grouped.ts";
import { visibleEntries } from "../../base/digest/hash-v1.ts";
import type { Copy } from "../../kubernetes/sources/copies.ts";
import type { SourceIndex } from "../../kubernetes/sources/source-index.ts";
import type { NewObject } from "../../yaml/edit/objects.ts";
import { fieldsOf, textOrEmpty } from "../../yaml/read/json.ts";
import type { WantedCopy } from "./types.ts";

// Copies in Git, newest first after their source: contract, section 10.

/** The copies of one source in the files of a run. */
export interface CopiesOfSource {
  readonly wanted: readonly { readonly copy: WantedCopy; readonly sources: SourceIndex }[];
  /** In the order of the file. */
  readonly present: readonly (Copy & { readonly keys: ReadonlySet<string> })[];
  /** Undefined if it is unknown which copies are committed: then all are. */
  readonly atHead: CopiesAtHead | undefined;
  /** Whether a pod template of the run named a copy before the run. */
  readonly wasNamed: (name: string) => boolean;
  /** Whether a pod template that the run does not change names it. */
  readonly isNamed: (name: string) => boolean;
  /** How many stay for each set of keys that pod templates see. */
  readonly keep: number;
}

/** The committed copies of a source. What was stamped since, and is not wanted any more, never reached a cluster. */
export interface CopiesAtHead {
  readonly copies: readonly CopyAtHead[];
  /** The names that pod templates have there. */
  readonly named: ReadonlySet<string>;
}

interface CopyAtHead {
  readonly name: string;
  readonly keys: ReadonlySet<string>;
  readonly object: NewObject;
}

/** Reads a committed copy. */
export function copyAtHead(object: NewObject): CopyAtHead {
  const keys = ["data", "binaryData"].flatMap((field) => Object.keys(fieldsOf(object[field])));
  return { name: textOrEmpty(fieldsOf(object["metadata"])["name"]), keys: new Set(keys), object };
}

/** What happens to the copies in the files: `moved` ones come first again, as they are named again. */
export interface KeptCopies {
  readonly removed: readonly Copy[];
  readonly moved: readonly Copy[];
  /** Committed ones that are missing. */
  readonly restored: readonly NewObject[];
}

interface Member {
  readonly name: string;
  readonly keys: ReadonlySet<string>;
  readonly copy?: Copy;
  readonly object?: NewObject;
}

/**
 * Chooses the copies that stay: the wanted ones, then those that pod templates named before, then the newest. Copies that a pod
 * template still names always stay.
 */
export function keptCopies(copies: CopiesOfSource): KeptCopies {
  const { wanted, isNamed, keep } = copies;
  const sets = wanted.map(({ copy, sources }) => ({
    name: copy.name,
    keys: new Set(visibleEntries(sources.entries(copy.source), copy.keys).keys()),
  }));
  const all = membersOf(copies);
  // Without a wanted copy, no pod template uses the source any more: the last ones stay, as pods may still run.
  const groups = sets.length === 0 ? [{ name: "", members: all }] : [];
  const bySet = groupedBy(all, (one) => closest(sets, one));
  for (const set of sets) groups.push({ name: set.name, members: bySet.get(set) ?? [] });
  const removed: Copy[] = [];
  const moved: Copy[] = [];
  const restored: NewObject[] = [];
  const rank = rankIn(copies);
  for (const { name, members } of groups) {
    const others = members.filter((one) => one.name !== name).sort((a, b) => rank(a) - rank(b));
    const room = name === "" ? keep : keep - 1;
    const staying = new Set(others.filter((one) => rank(one) < LEFTOVER).slice(0, room));
    for (const member of others) {
      const stays = staying.has(member) || isNamed(member.name);
      if (!stays && member.copy !== undefined) removed.push(member.copy);
      if (stays && member.copy === undefined && member.object !== undefined) restored.push(member.object);
    }
    const [first, ...later] = members.flatMap(({ copy }) => copy ?? []);
    moved.push(...later.filter((copy) => copy !== first && copy.source.item.name === name));
  }
  return { removed, moved, restored };
}

/** The copies in the files and at HEAD, in the order of the files; what only HEAD has comes last. */
function membersOf({ present, atHead }: CopiesOfSource): readonly Member[] {
  const here = present.map((copy): Member => ({ name: copy.source.item.name, keys: copy.keys, copy }));
  const names = new Set(here.map(({ name }) => name));
  return [...here, ...(atHead?.copies.filter(({ name }) => !names.has(name)) ?? [])];
}

const LEFTOVER = Number.MAX_SAFE_INTEGER;

/** The age of a copy: those that pod templates named are the newest, then the order at HEAD counts. */
function rankIn({ atHead, wasNamed }: CopiesOfSource): (member: Member) => number {
  if (atHead === undefined) return ({ name }) => (wasNamed(name) ? 0 : 1);
  const order = new Map(atHead.copies.map(({ name }, i) => [name, i + 1]));
  return ({ name }) => {
    const age = order.get(name);
    if (age === undefined) return LEFTOVER;
    return atHead.named.has(name) ? 0 : age;
  };
}

/** The set of keys that is most like the keys of a copy: its keys may have been added and removed since. */
function closest<T extends { readonly name: string; readonly keys: ReadonlySet<string> }>(
  sets: readonly T[],
  { name, keys }: Member,
): T | undefined {
  const same = sets.find((set) => set.name === name);
  if (same !== undefined) return same;
  let best: T | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const set of sets) {
    let common = 0;
    for (const key of keys) if (set.keys.has(key)) common += 1;
    const differing = keys.size + set.keys.size - 2 * common;
    if (differing >= least) continue;
    best = set;
    least = differing;
  }
  return best;
}
