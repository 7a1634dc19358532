import {
  combinedDigest,
  digestOf,
  digestText,
  type CombinedPart,
  type Entries,
  type Keys,
} from "../../base/digest/hash-v1.ts";
import { withoutHashSuffix } from "../../base/hosts/kustomize.ts";
import { COPY_DIGITS } from "../../kubernetes/sources/copies.ts";
import type { SourceIndex } from "../../kubernetes/sources/source-index.ts";
import type { Coverage, Source } from "../../kubernetes/sources/types.ts";
import type { Sighting } from "../../stamping/stamps/sightings.ts";
import { keysId, type DigestBook, type Digests } from "./digest-book.ts";
import { CONFIG_HASH } from "../../base/keys.ts";
import { comparing, DEFAULT_LIMITS } from "../../base/limits.ts";
import { isStampKey, sourceOfStampKey } from "../../base/stamp-keys.ts";
import { groupedBy } from "../../base/grouped.ts";

/** The data that stamps are compared with. */
export interface Known {
  readonly book: DigestBook;
  readonly declared: SourceIndex;
  readonly hmacKey: Uint8Array | undefined;
}

/** The stamps that are correct for the current content of the cluster. */
export interface Accepted {
  /** For the content itself, with either granularity, plain or keyed; also the digits in the names of copies. */
  readonly content: ReadonlySet<string>;
  /** For the object that declares the content: a stamp made in Git may cover the declaration. */
  readonly declared: ReadonlySet<string>;
  /** How much of the content such a stamp covers. */
  readonly coverage: Coverage;
}

/** The correct stamps for a source as a template sees it. */
export function acceptedOf(sighting: Sighting, known: Known): Accepted {
  const views: readonly Keys[] = [sighting.keys, "*"];
  const source = declaredSource(sighting, known);
  return {
    content: texts(views.map((keys) => known.book.find(sighting, keys))),
    declared: texts(views.map((keys) => declaredDigests(source, sighting, keys, known))),
    coverage: source?.coverage ?? "content",
  };
}

/** The correct stamps for all sources of a template together (layout Combined). */
export function acceptedTogether(sightings: readonly Sighting[], namespace: string, known: Known): Accepted {
  const content = new Set<string>();
  const declared = new Set<string>();
  const sources = new Map(sightings.map((sighting) => [sighting, declaredSource(sighting, known)]));
  const coverages = new Set<Coverage>();
  for (const whole of [false, true]) {
    for (const declaredFirst of [false, true]) {
      for (const rename of [(name: string): string => name, withoutHashSuffix]) {
        for (const keyed of [false, true]) {
          const parts = sightings.flatMap((sighting): CombinedPart[] => {
            const keys = whole ? "*" : sighting.keys;
            const ofContent = known.book.find(sighting, keys);
            const source = sources.get(sighting);
            const ofDeclared = declaredDigests(source, sighting, keys, known);
            if (declaredFirst && source !== undefined) coverages.add(source.coverage);
            const digests = declaredFirst ? (ofDeclared ?? ofContent) : (ofContent ?? ofDeclared);
            const digest = (keyed ? digests?.keyed : undefined) ?? digests?.plain;
            if (digest === undefined) return [];
            const { kind, name } = sighting;
            const other = sighting.namespace === namespace ? "" : sighting.namespace;
            return [{ kind, namespace: other, name: rename(name), digest }];
          });
          if (parts.length > 0)
            (declaredFirst ? declared : content).add(digestText(combinedDigest(parts, known.hmacKey)));
        }
      }
    }
  }
  return { content, declared, coverage: coverages.has("declaration") ? "declaration" : "content" };
}

function declaredSource({ kind, namespace, name }: Sighting, { declared }: Known): Source | undefined {
  return declared.find(kind, namespace, name);
}

function declaredDigests(
  source: Source | undefined,
  { kind }: Sighting,
  keys: Keys,
  known: Known,
): Digests | undefined {
  if (source === undefined) return undefined;
  const entries = known.declared.entries(source);
  const hasKey = known.hmacKey !== undefined && kind === "Secret";
  // Remembered: many workloads may see the same large declaration.
  const digests = remembered.get(entries) ?? new Map<string, Digests>();
  remembered.set(entries, digests);
  const id = `${hasKey ? "k" : "h"}${keysId(keys)}`;
  let found = digests.get(id);
  if (found === undefined) {
    found = { plain: digestOf(entries, keys), keyed: hasKey ? digestOf(entries, keys, known.hmacKey) : undefined };
    digests.set(id, found);
  }
  return found;
}

const remembered = new WeakMap<Entries, Map<string, Digests>>();

function texts(all: readonly (Digests | undefined)[]): Set<string> {
  return new Set(
    all.flatMap((digests) =>
      [digests?.plain, digests?.keyed].flatMap((digest) =>
        digest === undefined ? [] : [digestText(digest), digest.hex.slice(0, COPY_DIGITS)],
      ),
    ),
  );
}

/** A stamp of a template with its sources; or a source without a stamp. */
export interface MatchedStamp {
  /** The annotation; undefined if there is none. */
  readonly key: string | undefined;
  /** One source, or all of them with layout Combined. */
  readonly sightings: readonly Sighting[];
  readonly accepted: Accepted;
}

/**
 * Finds the stamp of each source. A stamp has the name that the template was written with. Since then, kustomize may
 * have added a prefix, a suffix and a hash; in that case the digest and the name identify the source.
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

/** The cost of comparing two names, as a number of compared characters. */
const STEPS_OF_A_NAME = 100;

/**
 * Finds the sources that a stamp may belong to: names with kustomize's hash are looked up, names with a prefix or
 * suffix are compared.
 */
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
