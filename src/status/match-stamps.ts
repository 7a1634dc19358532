import { CONFIG_HASH } from "../ground/keys.ts";
import type { Sighting } from "../stamps/sightings.ts";
import { isStampKey, sourceOfStampKey } from "../ground/stamp-keys.ts";
import { withoutHashSuffix } from "../ground/hosts/kustomize.ts";
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
  for (const key of renamed) {
    const value = annotations.get(key) ?? "";
    const found = candidates(key, left);
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

function candidates(key: string, left: ReadonlyMap<Sighting, Accepted>): readonly Candidate[] {
  const stamped = sourceOfStampKey(key);
  if (stamped === undefined) return [];
  const sameKind = [...left].filter(([{ kind }]) => kind === stamped.kind);
  const byHash = sameKind.filter(([{ name }]) => withoutHashSuffix(name) === stamped.name);
  return byHash.length > 0 ? byHash : sameKind.filter(([{ name }]) => name.includes(stamped.name));
}
