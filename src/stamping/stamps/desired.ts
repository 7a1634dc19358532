import { onceFor } from "../../base/grouped.ts";
import type { ConfigHashSpec } from "../function/config-hash.ts";
import {
  combinedDigest,
  digestOf,
  digestText,
  visibleEntries,
  type Digest,
  type Entries,
  type Keys,
} from "../../base/digest/hash-v1.ts";
import { hasHashSuffix, withoutHashSuffix } from "../../base/hosts/kustomize.ts";
import { CONFIG_HASH } from "../../base/keys.ts";
import { comparing } from "../../base/limits.ts";
import { stampKey } from "../../base/stamp-keys.ts";
import type { Decision, TemplateDecision } from "../policy/types.ts";
import type { SourceIndex } from "../../kubernetes/sources/source-index.ts";
import type { Source } from "../../kubernetes/sources/types.ts";
import type { PodTemplate } from "../../kubernetes/workloads/types.ts";
import { keysOfSharedPlaces, wantedCopies } from "./wanted-copies.ts";
import { NO_MARKS, type ChartMarks } from "./chart-marks.ts";
import type { ChangedBy, DesiredStamps, Digester } from "./types.ts";
import { sightingsOf, type Sighting } from "./sightings.ts";

/** Makes a digester for a configuration. `hmacKey` is the key of `secrets: Keyed`. */
export function digester(sources: SourceIndex, spec: ConfigHashSpec, hmacKey: Uint8Array | undefined): Digester {
  const digestsOf: (item: Source["item"]) => Map<string, Digest> = onceFor(() => new Map<string, Digest>());
  const spend = comparing("the content of a source with the keys that templates see");
  // The sources of one volume share the set of keys that its mounts show.
  const idOf = onceFor((keys: ReadonlySet<string>) => JSON.stringify([...keys].sort()));
  return (source, kind, keys) => {
    const counted = spec.granularity === "Object" ? "*" : keys;
    const key = spec.secrets === "Keyed" && kind === "Secret" ? hmacKey : undefined;
    const id = `${key === undefined ? "h" : "k"}${counted === "*" ? counted : idOf(counted)}`;
    const digests = digestsOf(source.item);
    let digest = digests.get(id);
    if (digest !== undefined) return digest;
    const entries = sources.entries(source);
    // Each set of keys needs its own digest of the content: this product of hash-v1 has a limit, too.
    if (digests.size > 0) spend(Math.ceil(sizeOf(entries, counted) / BYTES_OF_A_STEP), source.item.tree.limits);
    digests.set(id, (digest = digestOf(entries, counted, key)));
    return digest;
  };
}

/** The number of bytes that are hashed in the time of one comparison of characters. */
const BYTES_OF_A_STEP = 2;

function sizeOf(entries: Entries, keys: Keys): number {
  let size = 0;
  for (const [key, value] of visibleEntries(entries, keys)) size += key.length + value.length;
  return size;
}

/** The inputs for the stamps of all workloads. */
export interface DesiredOptions {
  readonly hmacKey: Uint8Array | undefined;
  readonly changedBy: ChangedBy;
  readonly marksOf: (template: PodTemplate) => ChartMarks;
}

/** The wanted stamps of each pod template of a workload: none if the workload is not selected. */
export function desiredStamps(
  decision: Decision,
  digest: Digester,
  spec: ConfigHashSpec,
  { hmacKey, changedBy, marksOf }: DesiredOptions,
): DesiredStamps[] {
  if (!decision.selected) {
    return decision.workload.templates.map((template) => ({
      decision: { template, counted: [], leftOut: [] },
      sightings: [],
      stamps: new Map(),
      kept: new Set(),
      marks: NO_MARKS,
    }));
  }
  const seen = decision.templates.map((template) => sightingsOf(template, decision.workload.namespace));
  const sharedKeys = keysOfSharedPlaces(seen);
  return decision.templates.map((template, i) => {
    const sightings = seen[i] ?? [];
    const found = sightings.filter((sighting) => sighting.source !== undefined);
    // If a source is not in the input, its stamps are kept: the run may see only a part of the repository.
    const kept = new Set(
      sightings
        .filter((sighting) => sighting.source === undefined)
        .flatMap((sighting) => keysOfMissing(sighting, decision.workload.namespace)),
    );
    if (found.length === 0 && sightings.length > 0) kept.add(CONFIG_HASH);
    const common = { decision: template, sightings, kept, marks: marksOf(template.template) };
    if (spec.layout === "Versioned") {
      const copies = wantedCopies(found, decision, template, { digest, spec, changedBy, sharedKeys });
      const names = [...copies].map(([key, { name }]) => [key, name] as const);
      return { stamps: new Map([...perSource(found, digest), ...names]), copies, ...common };
    }
    if (spec.layout !== "Combined") return { stamps: perSource(found, digest), ...common };
    const from = { decision, template, digest, hmacKey };
    return { stamps: combined(found, from), combinedAs: (nameOf) => combinedOver(found, nameOf, from), ...common };
  });
}

/**
 * The keys of stamps that a missing source may have: whether a suffix is kustomize's hash cannot be checked without the
 * source.
 */
function keysOfMissing({ kind, namespace, name, stampKey: key }: Sighting, workloadNamespace: string): string[] {
  if (!hasHashSuffix(name)) return [key];
  return [key, stampKey(kind, namespace === workloadNamespace ? "" : namespace, withoutHashSuffix(name))];
}

function perSource(found: readonly Sighting[], digest: Digester): Map<string, string> {
  const stamps = new Map<string, string>();
  for (const { source, kind, keys, stampKey: key } of found) {
    if (source !== undefined) stamps.set(key, digestText(digest(source, kind, keys)));
  }
  return stamps;
}

interface CombinedFrom {
  readonly decision: Decision;
  readonly template: TemplateDecision;
  readonly digest: Digester;
  readonly hmacKey: Uint8Array | undefined;
}

/**
 * The one stamp for all sources, by the names in the pod template without the hashes that kustomize adds: so a function in
 * kustomize, a pipe after it and a check agree.
 */
function combined(found: readonly Sighting[], from: CombinedFrom): Map<string, string> {
  return new Map(found.length === 0 ? [] : [[CONFIG_HASH, combinedOver(found, ({ stampName }) => stampName, from)]]);
}

function combinedOver(
  found: readonly Sighting[],
  nameOf: (sighting: Sighting) => string,
  { decision, digest, hmacKey }: CombinedFrom,
): string {
  const parts = found.flatMap((sighting) => {
    const { source, kind, namespace, keys } = sighting;
    if (source === undefined) return [];
    const other = namespace === decision.workload.namespace ? "" : namespace;
    return [{ kind, namespace: other, name: nameOf(sighting), digest: digest(source, kind, keys) }];
  });
  return digestText(combinedDigest(parts, hmacKey));
}
