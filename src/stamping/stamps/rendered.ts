import { comparing } from "../../base/limits.ts";
import { CONFIG_HASH } from "../../base/keys.ts";
import { isStampKey, sourceOfStampKey } from "../../base/stamp-keys.ts";
import { templateAnnotations } from "../../kubernetes/workloads/template-annotations.ts";
import type { DesiredStamps } from "./types.ts";
import type { Sighting } from "./sightings.ts";

/**
 * The wanted stamps of a pod template in a rendering, under the names that they were made with. kustomize adds prefixes
 * and suffixes to references after its functions have run. A stamp without a reference belongs to the source whose name
 * contains its name and that has its digest. Only checks use this: stamping uses the names in the pod template.
 */
export function asRendered(desired: DesiredStamps): DesiredStamps {
  const { stamps, kept, sightings } = desired;
  const present = templateAnnotations(desired.decision.template);
  const combined = combinedAsRendered(desired, present.get(CONFIG_HASH));
  if (combined !== undefined) return { ...desired, stamps: new Map([...stamps, [CONFIG_HASH, combined]]) };
  const unaccounted = new Set(
    [...present.keys()].filter((key) => isStampKey(key) && !stamps.has(key) && !kept.has(key)),
  );
  if (unaccounted.size === 0) return desired;
  const byDigest = new Map<string, Set<string>>();
  for (const key of unaccounted) {
    const digest = present.get(key) ?? "";
    byDigest.set(digest, (byDigest.get(digest) ?? new Set<string>()).add(key));
  }
  const spend = comparing("stamps with names of sources");
  const { limits } = desired.decision.template.item.tree;
  const renamed = new Map(stamps);
  for (const sighting of sightings) {
    const digest = stamps.get(sighting.stampKey);
    if (digest === undefined || present.has(sighting.stampKey)) continue;
    // Hardly any two sources have the same digest.
    const alike = byDigest.get(digest);
    if (alike === undefined) continue;
    spend(alike.size * sighting.stampName.length, limits);
    const key = longest([...alike].filter((each) => isInName(each, sighting)));
    if (key === undefined) continue;
    alike.delete(key);
    renamed.delete(sighting.stampKey);
    renamed.set(key, digest);
  }
  return { ...desired, stamps: renamed };
}

/**
 * The existing combined stamp, if it covers the names without a common prefix and suffix. These are at most what all
 * the names and the workload's name share, and end at a dash or a dot.
 */
function combinedAsRendered(
  { stamps, sightings, combinedAs, decision }: DesiredStamps,
  present: string | undefined,
): string | undefined {
  if (combinedAs === undefined || present === undefined || stamps.get(CONFIG_HASH) === present) return undefined;
  const { item } = decision.template;
  const names = [item.name, ...sightings.map(({ stampName }) => stampName)];
  const prefixes = cuts(names);
  const suffixes = cuts(names.map(reversed));
  const spend = comparing("prefixes and suffixes with combined stamps");
  for (const before of prefixes) {
    for (const behind of suffixes) {
      if (before + behind === 0 || names.some((name) => name.length <= before + behind)) continue;
      spend(sightings.length * STEPS_OF_A_SOURCE, item.tree.limits);
      const digest = combinedAs(({ stampName }) => stampName.slice(before, stampName.length - behind));
      if (digest === present) return digest;
    }
  }
  return undefined;
}

/** The cost of hashing one source of a combined stamp, in comparisons of characters. */
const STEPS_OF_A_SOURCE = 300;

/** The lengths of the common beginnings of all names, up to each dash or dot, and 0. */
function cuts(names: readonly string[]): number[] {
  const [first = "", ...others] = names;
  const found = [0];
  for (let i = 0; i < first.length && others.every((name) => name[i] === first[i]); i += 1)
    if (first[i] === "-" || first[i] === ".") found.push(i + 1);
  return found;
}

function reversed(name: string): string {
  return [...name].toReversed().join("");
}

function isInName(key: string, { kind, stampName }: Sighting): boolean {
  const stamped = sourceOfStampKey(key);
  return stamped?.kind === kind && stampName.includes(stamped.name);
}

/** The longest match: if `env` and `db-env` are both in `prod-db-env`, it is `db-env`. */
function longest(keys: readonly string[]): string | undefined {
  return keys.toSorted((a, b) => b.length - a.length || (a < b ? -1 : 1))[0];
}
