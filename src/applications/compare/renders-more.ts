import { inBoth, type Folders } from "../discover/same-applications.ts";
import type { Both } from "./picked.ts";
import type { Predictions, ShownApplications } from "./shown-applications.ts";

interface Comparison {
  readonly predictions: Predictions;
  readonly isAffected: (both: Both) => boolean;
  readonly folders: Folders;
}

/**
 * Marks the applications to render: affected ones, those whose renderings show them, and those with values that an affected one
 * uses or that differ between the revisions. True if any is new.
 */
export function rendersMore(
  base: ShownApplications,
  head: ShownApplications,
  { predictions: { rendered }, isAffected, folders }: Comparison,
): boolean {
  const before = rendered.size;
  const keysOf = ({ sides }: ShownApplications): ReadonlySet<string> => new Set(sides.map(({ key }) => key));
  const keys = { base: keysOf(base), head: keysOf(head) };
  for (const both of inBoth(base.sides, head.sides, folders)) {
    const affected = isAffected(both);
    for (const [side, { predicted, takenFrom }, other] of [
      [both.before, base, keys.head],
      [both.after, head, keys.base],
    ] as const) {
      if (side === undefined) continue;
      for (const key of takenFrom.get(side.application.name) ?? []) if (affected || !other.has(key)) rendered.add(key);
      if (!affected) continue;
      for (const name of [side.application.name, side.application.shownBy ?? ""]) {
        const key = predicted.get(name);
        if (key !== undefined) rendered.add(key);
      }
    }
  }
  return rendered.size > before;
}
