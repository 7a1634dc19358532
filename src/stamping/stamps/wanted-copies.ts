import { type Keys, keysOfAll } from "../../base/digest/hash-v1.ts";
import { groupedBy } from "../../base/grouped.ts";
import { COPY_DIGITS, isMarkedCopy, partsOfCopyName } from "../../kubernetes/sources/copies.ts";
import { isGenerated } from "../../kubernetes/sources/kustomize-hash.ts";
import type { Source } from "../../kubernetes/sources/types.ts";
import { isFilled } from "../../kubernetes/sources/content.ts";
import type { Finding, FindingData } from "../../findings/catalogue/finding.ts";
import { resourceRef } from "../../findings/results/location.ts";
import { ARGO_HOOK } from "../../base/hosts/argocd.ts";
import { LOCAL_CONFIG } from "../../base/hosts/krm.ts";
import { isLoneJson } from "../../yaml/edit/objects.ts";
import { annotationOf, isHelmHook, placeIn, type Item } from "../../yaml/read/items.ts";
import { get, stringOf } from "../../yaml/read/node.ts";
import type { ConfigHashSpec } from "../function/config-hash.ts";
import type { Decision, TemplateDecision } from "../policy/types.ts";
import type { ChangedBy, DesiredStamps, Digester, WantedCopy } from "./types.ts";
import { nameField } from "./reference-edits.ts";
import type { Sighting } from "./sightings.ts";

const LONGEST_NAME = 253;

interface CopiesFrom {
  readonly digest: Digester;
  readonly spec: ConfigHashSpec;
  readonly changedBy: ChangedBy;
  /** See keysOfSharedPlaces. */
  readonly sharedKeys: ReadonlyMap<string, Keys>;
}

/**
 * The keys of the sources that several pod templates of an object name at one place, such as those of Spark's driver and
 * executors: the place can only name a copy that has the keys of all.
 */
export function keysOfSharedPlaces(templates: readonly (readonly Sighting[])[]): ReadonlyMap<string, Keys> {
  const shared = new Set<string>();
  const seen = new Map<number, readonly Sighting[]>();
  for (const sightings of templates)
    for (const { stampKey, counted } of sightings)
      for (const { reference } of counted) {
        if ((seen.get(reference.node) ?? sightings) !== sightings) shared.add(stampKey);
        seen.set(reference.node, sightings);
      }
  if (shared.size === 0) return new Map();
  const all = groupedBy(templates.flat(), ({ stampKey }) => stampKey);
  return new Map([...shared].map((key) => [key, keysOfAll((all.get(key) ?? []).map(({ keys }) => keys))]));
}

/**
 * The copies that a pod template should name, by the key that the stamp of the source would have: contract, section 10.
 * All other sources get stamps.
 */
export function wantedCopies(
  sightings: readonly Sighting[],
  { workload }: Decision,
  { template }: TemplateDecision,
  { digest, spec, changedBy, sharedKeys }: CopiesFrom,
): ReadonlyMap<string, WantedCopy> {
  const wanted = new Map<string, WantedCopy>();
  // The values of a chart are not a pod template yet: what the chart makes of a name is unknown.
  if (workload.kind.holds !== undefined) return wanted;
  for (const { kind, stampKey, source, ...sighting } of candidates(sightings, workload.item, spec)) {
    const keys = sharedKeys.get(stampKey) ?? sighting.keys;
    const digits = digest(source, kind, keys).hex.slice(0, COPY_DIGITS);
    const name = currentName(template.copies?.get(stampKey), source, digits) ?? `${source.item.name}-${digits}`;
    if (name.length > LONGEST_NAME || hindrance(source, changedBy) !== undefined) continue;
    wanted.set(stampKey, { source, name, keys: spec.granularity === "Object" ? "*" : keys });
  }
  return wanted;
}

/** The name of the copy with these digits that the pod template names already: an overlay may have added a suffix behind them. */
function currentName(copy: string | undefined, { item }: Source, digits: string): string | undefined {
  const parts = copy === undefined ? undefined : partsOfCopyName(copy);
  return parts?.digits === digits && parts.name === item.name ? copy : undefined;
}

type Found = Sighting & { readonly source: Source };

function candidates(sightings: readonly Sighting[], item: Item, spec: ConfigHashSpec): readonly Found[] {
  return sightings.flatMap((sighting) => {
    const { source } = sighting;
    return source !== undefined && canHaveCopies(source, spec) && isNamed(item, sighting)
      ? [{ ...sighting, source }]
      : [];
  });
}

/** Why a source cannot have copies, although people would expect it. */
function hindrance({ item }: Source, changedBy: ChangedBy): FindingData<"not-versioned"> | undefined {
  const source = resourceRef(item);
  if (isLoneJson(item)) return { id: "not-versioned", cause: "json", params: { source } };
  const by = changedBy(item);
  return by === undefined ? undefined : { id: "not-versioned", cause: "overlay", params: { source, by } };
}

/** Whether copies of a source would have the content that pods see. */
function canHaveCopies({ item, declared, coverage, neverCounts, ...source }: Source, spec: ConfigHashSpec): boolean {
  if (declared !== undefined || coverage !== "content" || neverCounts || item.name === "") return false;
  if (item.kind === "Secret" && !spec.versionedSecrets) return false;
  // Something else makes the object in the cluster, or a part of its content.
  if (annotationOf(item, LOCAL_CONFIG) === "true" || isFilled(item)) return false;
  // A hook is created and deleted at other times than what the engine applies.
  if (isHelmHook(item) || annotationOf(item, ARGO_HOOK) !== undefined) return false;
  return !isGenerated({ item, declared, coverage, neverCounts, ...source }) && !isMarkedCopy(item);
}

/** The type of a Secret; undefined if it has none. */
export function typeOf({ tree, node }: Item): string | undefined {
  return stringOf(tree, get(tree, node, "type"));
}

/** Whether the pod template itself names the source, only in places that can name a copy. */
function isNamed(item: Item, { counted }: Sighting): boolean {
  const references = counted
    .map(({ reference }) => reference)
    .filter(({ via, through }) => via !== "extra" && through === undefined);
  return references.length > 0 && references.every((reference) => nameField(item, reference) !== undefined);
}

/** The sources that get stamps although copies were asked for, where people would not expect it. */
export function notVersioned(
  desired: readonly DesiredStamps[],
  spec: ConfigHashSpec,
  changedBy: ChangedBy,
): Finding<"not-versioned">[] {
  if (spec.layout !== "Versioned") return [];
  const sources = desired.flatMap(({ sightings, decision: { template } }) =>
    candidates(sightings, template.item, spec).map(({ source }) => source),
  );
  return [...new Set(sources)].flatMap((source) => {
    const { item } = source;
    const data = hindrance(source, changedBy);
    return data === undefined ? [] : [{ ...data, resource: resourceRef(item), place: placeIn(item, item.node) }];
  });
}
