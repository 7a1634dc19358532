import { comparing } from "../ground/limits.ts";
import { isStampKey, sourceOfStampKey } from "../ground/stamp-keys.ts";
import { templateAnnotations } from "../workloads/template-annotations.ts";
import type { DesiredStamps } from "./desired.ts";
import type { Sighting } from "./sightings.ts";

/**
 * The stamps that a pod template of a rendering is to have, under the names that they were made with. kustomize puts
 * prefixes and suffixes to references when its functions have run: a stamp that no reference accounts for is the one of
 * a source whose name contains its name, if it has that source's digest. Only for a check: what writes stamps names
 * them as the pod template does.
 */
export function asRendered(desired: DesiredStamps): DesiredStamps {
  const { stamps, kept, sightings } = desired;
  const present = templateAnnotations(desired.decision.template);
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
    // Hardly any two sources have one digest.
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

function isInName(key: string, { kind, stampName }: Sighting): boolean {
  const stamped = sourceOfStampKey(key);
  return stamped?.kind === kind && stampName.includes(stamped.name);
}

/** Of `env` and `db-env` that both are in `prod-db-env` the second one. */
function longest(keys: readonly string[]): string | undefined {
  return keys.toSorted((a, b) => b.length - a.length || (a < b ? -1 : 1))[0];
}
