import { get, getString, itemsOf } from "../../yaml/read/node.ts";
import type { Workload } from "../../kubernetes/workloads/types.ts";
import { groupedBy } from "../../base/grouped.ts";

/** A deleted workload, and the created one that probably replaces it. */
export interface Rename {
  readonly from: Workload;
  readonly to: Workload;
}

/**
 * Pairs deleted workloads with created ones of the same kind that have the same containers with the same images. If
 * several look equal, two are paired only if the name of one contains the name of the other.
 */
export function findRenames(gone: readonly Workload[], come: readonly Workload[]): Rename[] {
  const byLook = groupedBy(come, lookOf);
  const alike = groupedBy(gone, lookOf);
  const taken = new Set<Workload>();
  return gone.flatMap((from): Rename[] => {
    const look = lookOf(from);
    if (look === undefined) return [];
    const [before, after] = [alike.get(look) ?? [], byLook.get(look) ?? []];
    if (before.length * after.length > MOST_PAIRS) return [];
    const candidates = after.filter((to) => !taken.has(to));
    const isUnique = candidates.length === 1 && before.length === 1;
    const named = candidates.filter((to) => isNamedAfter(from.item.name, to.item.name));
    const to = isUnique ? candidates[0] : named.length === 1 ? named[0] : undefined;
    if (to === undefined) return [];
    taken.add(to);
    return [{ from, to }];
  });
}

/** With more workloads that look equal, none is paired: the pairs would be a guess, and comparing them takes long. */
const MOST_PAIRS = 250_000;

function isNamedAfter(a: string, b: string): boolean {
  return a.includes(b) || b.includes(a);
}

/** Kind, containers and images; undefined for a workload without containers. */
function lookOf({ item, templates }: Workload): string | undefined {
  const { tree } = item;
  const containers = templates.flatMap(({ podSpecs }) =>
    podSpecs.flatMap(({ node }) =>
      itemsOf(tree, get(tree, node, "containers")).map(
        (at) => `${getString(tree, at, "name")}=${getString(tree, at, "image")}`,
      ),
    ),
  );
  return containers.length === 0 ? undefined : [`${item.group}/${item.kind}`, ...containers].join("\n");
}
