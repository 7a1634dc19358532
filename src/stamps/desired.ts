import type { ConfigHashSpec } from "../config/config-hash.ts";
import { combinedDigest, digestOf, digestText, type Digest, type Keys } from "../digest/hash-v1.ts";
import { CONFIG_HASH } from "../ground/keys.ts";
import type { Decision, TemplateDecision } from "../policy/types.ts";
import type { SourceIndex } from "../sources/source-index.ts";
import type { Source } from "../sources/types.ts";
import { sightingsOf, type Sighting } from "./sightings.ts";

/** The stamps that a pod template is to have. */
export interface DesiredStamps {
  readonly decision: TemplateDecision;
  readonly sightings: readonly Sighting[];
  /** Annotation key → value. */
  readonly stamps: ReadonlyMap<string, string>;
  /** Keys that stay as they are, if they are there: their sources are not in the input. */
  readonly kept: ReadonlySet<string>;
}

/** Digests sources, each with the same keys only once: workloads share them. */
export type Digester = (source: Source, kind: Sighting["kind"], keys: Keys) => Digest;

/** A digester for a configuration; `hmacKey` is the key of `secrets: Keyed`. */
export function digester(sources: SourceIndex, spec: ConfigHashSpec, hmacKey: Uint8Array | undefined): Digester {
  const known = new Map<Source["item"], Map<string, Digest>>();
  return (source, kind, keys) => {
    const counted = spec.granularity === "Object" ? "*" : keys;
    const key = spec.secrets === "Keyed" && kind === "Secret" ? hmacKey : undefined;
    const id = `${key === undefined ? "h" : "k"}${counted === "*" ? "*" : JSON.stringify([...counted].sort())}`;
    let digests = known.get(source.item);
    if (digests === undefined) known.set(source.item, (digests = new Map<string, Digest>()));
    let digest = digests.get(id);
    if (digest === undefined) digests.set(id, (digest = digestOf(sources.entries(source), counted, key)));
    return digest;
  };
}

/** The stamps of each pod template of a workload. A workload that isn't selected is to have none. */
export function desiredStamps(
  decision: Decision,
  digest: Digester,
  spec: ConfigHashSpec,
  hmacKey: Uint8Array | undefined,
): DesiredStamps[] {
  if (!decision.selected) {
    return decision.workload.templates.map((template) => ({
      decision: { template, counted: [], leftOut: [] },
      sightings: [],
      stamps: new Map(),
      kept: new Set(),
    }));
  }
  return decision.templates.map((template) => {
    const sightings = sightingsOf(template, decision.workload.namespace);
    const found = sightings.filter((sighting) => sighting.source !== undefined);
    // Of a source that isn't in the input nothing is known: the run may see only a part.
    const kept = new Set(
      sightings.filter((sighting) => sighting.source === undefined).map((sighting) => sighting.stampKey),
    );
    if (found.length === 0 && sightings.length > 0) kept.add(CONFIG_HASH);
    const stamps = spec.layout === "Combined" ? combined(found, decision, digest, hmacKey) : perSource(found, digest);
    return { decision: template, sightings, stamps, kept };
  });
}

function perSource(found: readonly Sighting[], digest: Digester): Map<string, string> {
  const stamps = new Map<string, string>();
  for (const { source, kind, keys, stampKey } of found) {
    if (source !== undefined) stamps.set(stampKey, digestText(digest(source, kind, keys)));
  }
  return stamps;
}

function combined(
  found: readonly Sighting[],
  decision: Decision,
  digest: Digester,
  hmacKey: Uint8Array | undefined,
): Map<string, string> {
  if (found.length === 0) return new Map();
  const parts = found.flatMap(({ source, kind, namespace, name, keys }) =>
    source === undefined
      ? []
      : [
          {
            kind,
            namespace: namespace === decision.workload.namespace ? "" : namespace,
            name,
            digest: digest(source, kind, keys),
          },
        ],
  );
  return new Map([[CONFIG_HASH, digestText(combinedDigest(parts, hmacKey))]]);
}
