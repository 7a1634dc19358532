import { visibleEntries } from "../../base/digest/hash-v1.ts";
import type { Copy } from "../../kubernetes/sources/copies.ts";
import type { SourceIndex } from "../../kubernetes/sources/source-index.ts";
import type { WantedCopy } from "./types.ts";

// Copies in Git, newest first after their source: contract, section 10.

/** The copies of one source in the files of a run. */
export interface CopiesOfSource {
  readonly wanted: readonly { readonly copy: WantedCopy; readonly sources: SourceIndex }[];
  /** Those in Git, in the order of the file. */
  readonly present: readonly (Copy & { readonly keys: ReadonlySet<string> })[];
  /** Whether a pod template of the run named a copy before the run. */
  readonly wasNamed: (copy: Copy) => boolean;
  /** Whether a pod template that the run does not change names it. */
  readonly isNamed: (copy: Copy) => boolean;
  /** How many stay for each set of keys that pod templates see. */
  readonly keep: number;
}

/** What happens to the copies in Git: `moved` ones come first again, as they are named again. */
export interface KeptCopies {
  readonly removed: readonly Copy[];
  readonly moved: readonly Copy[];
}

/**
 * Chooses the copies that stay: the wanted ones, then those that pod templates named before, then by the order of the
 * file; and all that a pod template still names.
 */
export function keptCopies({ wanted, present, wasNamed, isNamed, keep }: CopiesOfSource): KeptCopies {
  const removed: Copy[] = [];
  const moved: Copy[] = [];
  const sets = wanted.map(({ copy, sources }) => ({
    name: copy.name,
    keys: new Set(visibleEntries(sources.entries(copy.source), copy.keys).keys()),
  }));
  const groups = sets.map((set) => ({ ...set, copies: present.filter((copy) => closest(sets, copy) === set) }));
  for (const { name, copies } of groups) {
    const rank = (copy: Copy): number => (copy.source.item.name === name ? 0 : wasNamed(copy) ? 1 : 2);
    const others = copies.filter((copy) => rank(copy) > 0).sort((a, b) => rank(a) - rank(b));
    removed.push(...others.slice(keep - 1).filter((copy) => !isNamed(copy)));
    const [first, ...later] = copies;
    moved.push(...later.filter((copy) => rank(copy) === 0 && first !== copy));
  }
  // Without a wanted copy, no pod template uses the source any more: the last ones stay, as pods may still run.
  if (sets.length === 0) removed.push(...present.slice(keep).filter((copy) => !isNamed(copy)));
  return { removed, moved };
}

/** The set of keys that is most like the keys of a copy: its keys may have been added and removed since. */
function closest<T extends { readonly name: string; readonly keys: ReadonlySet<string> }>(
  sets: readonly T[],
  { source, keys }: CopiesOfSource["present"][number],
): T | undefined {
  const named = sets.find(({ name }) => name === source.item.name);
  if (named !== undefined) return named;
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
