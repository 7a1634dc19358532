import { CONFIG_HASH } from "../../base/keys.ts";
import { comparing, DEFAULT_LIMITS } from "../../base/limits.ts";
import type { Sighting } from "../../stamping/stamps/sightings.ts";
import { isStampKey, sourceOfStampKey } from "../../base/stamp-keys.ts";
import { groupedBy } from "../../base/grouped.ts";
import { withoutHashSuffix } from "../../base/hosts/kustomize.ts";
import { acceptedOf, acceptedTogether, type Accepted, type Known } from "./accepted.ts";

/** A stamp of a template with the sources that it is for; or sources without one. */
export interface MatchedStamp {
  /** The annotation; undefined where there is none. */
  readonly key: string | undefined;
  /** One, or all of them for layout Combined. */
  readonly sightings: readonly Sighting[];
  readonly accepted: Accepted;
}

/**
 * Finds for each source its stamp. A stamp has the name that the template was written with; kustomize may have
 * put a prefix, a suffix and a content hash to it since, and then the digest and the name tell which is meant.
 */
export function matchStamps(
  sightings: readonly Sighting[],
  annotations: ReadonlyMap<string, string>,
  namespace: string,
  known: Known,
): MatchedStamp[] {
  const matched: MatchedStamp[] = [];
  const left = new Map(sightings.map((sighting) => [sighting, acceptedOf(sighting, known)]));
  const together = annotations.get(CONFIG_HASH);
  const stampKeys = new Set([...annotations.keys()].filter((key) => isStampKey(key) && key !== CONFIG_HASH));
  const match = (key: string, sighting: Sighting, accepted: Accepted): void => {
    matched.push({ key, sightings: [sighting], accepted });
    left.delete(sighting);
    stampKeys.delete(key);
  };
  for (const [sighting, accepted] of left)
    if (stampKeys.has(sighting.stampKey)) match(sighting.stampKey, sighting, accepted);
  const renamed = [...stampKeys].sort((a, b) => b.length - a.length);
  const candidates = renamed.length === 0 ? () => [] : candidatesAmong(left);
  for (const key of renamed) {
    const value = annotations.get(key) ?? "";
    const found = candidates(key);
    const best =
      found.find(([, { content, declared }]) => content.has(value) || declared.has(value)) ??
      (found.length === 1 ? found[0] : undefined);
    if (best !== undefined) match(key, ...best);
  }
  if (together !== undefined && left.size > 0) {
    const rest = [...left.keys()];
    matched.push({ key: CONFIG_HASH, sightings: rest, accepted: acceptedTogether(sightings, namespace, known) });
    return matched;
  }
  return [
    ...matched,
    ...[...left].map(([sighting, accepted]) => ({ key: undefined, sightings: [sighting], accepted })),
  ];
}

type Candidate = readonly [Sighting, Accepted];

/** Comparing two names takes as long as so many steps of comparing characters. */
const STEPS_OF_A_NAME = 100;

/** Finds the sources that a stamp may be of: by kustomize's hash they are looked up, by what it puts around a name compared. */
function candidatesAmong(left: ReadonlyMap<Sighting, Accepted>): (key: string) => readonly Candidate[] {
  const byStem = groupedBy(left.keys(), (sighting) => `${sighting.kind}/${withoutHashSuffix(sighting.name)}`);
  const spend = comparing("stamps with names of sources");
  const still = (sightings: readonly Sighting[]): Candidate[] =>
    sightings.flatMap((sighting): Candidate[] => {
      const accepted = left.get(sighting);
      return accepted === undefined ? [] : [[sighting, accepted]];
    });
  return (key) => {
    const stamped = sourceOfStampKey(key);
    if (stamped === undefined) return [];
    const byHash = still(byStem.get(`${stamped.kind}/${stamped.name}`) ?? []);
    if (byHash.length > 0) return byHash;
    spend(left.size * STEPS_OF_A_NAME, DEFAULT_LIMITS);
    return [...left].filter(([{ kind, name }]) => kind === stamped.kind && name.includes(stamped.name));
  };
}
