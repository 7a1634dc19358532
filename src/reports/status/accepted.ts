import {
  combinedDigest,
  digestOf,
  digestText,
  type CombinedPart,
  type Entries,
  type Keys,
} from "../../base/digest/hash-v1.ts";
import { withoutHashSuffix } from "../../base/hosts/kustomize.ts";
import type { SourceIndex } from "../../kubernetes/sources/source-index.ts";
import type { Coverage, Source } from "../../kubernetes/sources/types.ts";
import type { Sighting } from "../../stamping/stamps/sightings.ts";
import { keysId, type DigestBook, type Digests } from "./digest-book.ts";

/** What stamps are compared with. */
export interface Known {
  readonly book: DigestBook;
  readonly declared: SourceIndex;
  readonly hmacKey: Uint8Array | undefined;
}

/** The stamps that are right for what the cluster holds now. */
export interface Accepted {
  /** Of the content itself, by either granularity, plain or keyed. */
  readonly content: ReadonlySet<string>;
  /** Of the object that says where the content comes from: what a stamp made in Git may be of. */
  readonly declared: ReadonlySet<string>;
  /** How much such a stamp tells of the content. */
  readonly coverage: Coverage;
}

/** The stamps that are right for one source as a template sees it. */
export function acceptedOf(sighting: Sighting, known: Known): Accepted {
  const views: readonly Keys[] = [sighting.keys, "*"];
  const source = declaredSource(sighting, known);
  return {
    content: texts(views.map((keys) => known.book.find(sighting, keys))),
    declared: texts(views.map((keys) => declaredDigests(source, sighting, keys, known))),
    coverage: source?.coverage ?? "content",
  };
}

/** The stamps that are right for all sources of a template together (layout Combined). */
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
  // Each of many workloads may see one large declaration.
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
      [digests?.plain, digests?.keyed].flatMap((digest) => (digest === undefined ? [] : [digestText(digest)])),
    ),
  );
}
