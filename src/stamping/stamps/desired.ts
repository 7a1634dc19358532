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
import { templateAnnotations } from "../../kubernetes/workloads/template-annotations.ts";
import type { PodTemplate } from "../../kubernetes/workloads/types.ts";
import { NO_MARKS, type ChartMarks } from "./chart-marks.ts";
import { sightingsOf, type Sighting } from "./sightings.ts";

/** The stamps that a pod template is to have. */
export interface DesiredStamps {
  readonly decision: TemplateDecision;
  readonly sightings: readonly Sighting[];
  /** Annotation key → value. */
  readonly stamps: ReadonlyMap<string, string>;
  /** Keys that stay as they are, if they are there: their sources are not in the input. */
  readonly kept: ReadonlySet<string>;
  /** What it loses of its chart's own. */
  readonly marks: ChartMarks;
  /** With layout Combined: the one stamp if the sources had these names. */
  readonly combinedAs?: (nameOf: (sighting: Sighting) => string) => string;
}

/** Digests sources, each with the same keys only once: workloads share them. */
export type Digester = (source: Source, kind: Sighting["kind"], keys: Keys) => Digest;

/** A digester for a configuration; `hmacKey` is the key of `secrets: Keyed`. */
export function digester(sources: SourceIndex, spec: ConfigHashSpec, hmacKey: Uint8Array | undefined): Digester {
  const known = new Map<Source["item"], Map<string, Digest>>();
  const spend = comparing("what a source holds with the keys that are seen of it");
  // The sources of one volume share the keys that its mounts show.
  const idOf = onceFor((keys: ReadonlySet<string>) => JSON.stringify([...keys].sort()));
  return (source, kind, keys) => {
    const counted = spec.granularity === "Object" ? "*" : keys;
    const key = spec.secrets === "Keyed" && kind === "Secret" ? hmacKey : undefined;
    const id = `${key === undefined ? "h" : "k"}${counted === "*" ? counted : idOf(counted)}`;
    let digests = known.get(source.item);
    if (digests === undefined) known.set(source.item, (digests = new Map<string, Digest>()));
    let digest = digests.get(id);
    if (digest !== undefined) return digest;
    const entries = sources.entries(source);
    // Of one content another digest for each set of keys: the product that the hash makes has its limit too.
    if (digests.size > 0) spend(Math.ceil(sizeOf(entries, counted) / BYTES_OF_A_STEP), source.item.tree.limits);
    digests.set(id, (digest = digestOf(entries, counted, key)));
    return digest;
  };
}

/** So many bytes are hashed while characters are compared in one step. */
const BYTES_OF_A_STEP = 2;

function sizeOf(entries: Entries, keys: Keys): number {
  let size = 0;
  for (const [key, value] of visibleEntries(entries, keys)) size += key.length + value.length;
  return size;
}

/** What the stamps of all workloads are made with. */
export interface DesiredOptions {
  readonly hmacKey: Uint8Array | undefined;
  readonly marksOf: (template: PodTemplate) => ChartMarks;
}

/** The stamps of each pod template of a workload. A workload that isn't selected is to have none. */
export function desiredStamps(
  decision: Decision,
  digest: Digester,
  spec: ConfigHashSpec,
  { hmacKey, marksOf }: DesiredOptions,
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
  return decision.templates.map((template) => {
    const sightings = sightingsOf(template, decision.workload.namespace);
    const found = sightings.filter((sighting) => sighting.source !== undefined);
    // Of a source that isn't in the input nothing is known: the run may see only a part.
    const kept = new Set(
      sightings
        .filter((sighting) => sighting.source === undefined)
        .flatMap((sighting) => keysOfMissing(sighting, decision.workload.namespace)),
    );
    if (found.length === 0 && sightings.length > 0) kept.add(CONFIG_HASH);
    const own = { decision: template, sightings, kept, marks: marksOf(template.template) };
    if (spec.layout !== "Combined") return { stamps: perSource(found, digest), ...own };
    const from = { decision, template, digest, hmacKey };
    return { stamps: combined(found, from), combinedAs: (nameOf) => combinedOver(found, nameOf, from), ...own };
  });
}

/** The stamps that a source may have which isn't in the input: what is no hash of kustomize's nobody can say without it. */
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
 * The one stamp over all sources, by the names that the pod template writes. Where kustomize has put its hash to them
 * since the function saw them, the stamp that stands there is right if it is over the names before that.
 */
function combined(found: readonly Sighting[], from: CombinedFrom): Map<string, string> {
  if (found.length === 0) return new Map();
  const { template } = from.template;
  const written = combinedOver(found, ({ name }) => name, from);
  if (found.some(({ name, stampName }) => name !== stampName)) {
    const before = combinedOver(found, ({ stampName }) => stampName, from);
    if (templateAnnotations(template).get(CONFIG_HASH) === before) return new Map([[CONFIG_HASH, before]]);
  }
  return new Map([[CONFIG_HASH, written]]);
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
