import { ROLLOUT_TIME_ZONE, ROLLOUT_WINDOW, WAVE_KEYS } from "../../base/keys.ts";
import { groupedBy, onceFor } from "../../base/grouped.ts";
import { objectKey } from "../../base/identity.ts";
import { type ResourceRef, sourceNameOf } from "../../base/names.ts";
import { stampKey } from "../../base/stamp-keys.ts";
import type { Finding, FindingData } from "../../findings/catalogue/finding.ts";
import type { Severity } from "../../findings/catalogue/severity.ts";
import { isIgnored } from "../../findings/results/ignores.ts";
import { locationOf, resourceRef } from "../../findings/results/location.ts";
import { knownKeys } from "../../kubernetes/sources/content.ts";
import type { SourceIndex } from "../../kubernetes/sources/source-index.ts";
import type { Source } from "../../kubernetes/sources/types.ts";
import { chartSources } from "../../kubernetes/workloads/find-workloads.ts";
import { reloaderOf } from "../../kubernetes/workloads/reloaders.ts";
import { templateAnnotations } from "../../kubernetes/workloads/template-annotations.ts";
import type { PodTemplate, Reference } from "../../kubernetes/workloads/types.ts";
import { unstampedRelease, type UnstampedRelease } from "../../kubernetes/workloads/value-templates.ts";
import type { ConfigHashSpec } from "../function/config-hash.ts";
import type { Decision } from "../policy/types.ts";
import type { DesiredStamps } from "./types.ts";
import type { Sighting } from "./sightings.ts";
import { type Item, annotationNode } from "../../yaml/read/items.ts";
import { NONE } from "../../yaml/read/tree.ts";

/**
 * The findings about the sources of a pod template: missing sources, missing keys, and sources that need no stamp or
 * whose content a stamp does not see.
 */
export function stampFindings(desired: DesiredStamps, sources: SourceIndex, spec: ConfigHashSpec): Finding[] {
  const { template } = desired.decision;
  const { item } = template;
  const severityOverride = severityFor(spec);
  return desired.sightings.flatMap((sighting) => [
    ...(severityOverride === undefined
      ? []
      : [...missingSource(item, sighting, sources), ...keptStampFindings(template, sighting, sources)].map(
          (finding) => ({
            ...finding,
            severityOverride,
          }),
        )),
    ...(severityOverride === undefined
      ? []
      : missingKeys(item, sighting, sources).map((finding) => ({ ...finding, severityOverride }))),
    ...coverage(item, sighting),
    ...(spec.reloads === "Warn" ? notIgnored(selfReloading(template, sighting), item, sighting) : []),
  ]);
}

/** As in lint, the workload or the source may ignore the rule. */
function notIgnored(found: Finding<"RS022">[], item: Item, { source }: Sighting): Finding<"RS022">[] {
  return found.length > 0 && isIgnored("RS022", [item, source?.item]) ? [] : found;
}

function severityFor(spec: ConfigHashSpec): Severity | undefined {
  if (spec.missing === "Ignore") return undefined;
  return spec.missing === "Error" ? "error" : "warning";
}

/** RS001: a source that is not in the input and not optional. */
export function missingSource(item: Item, sighting: Sighting, sources: SourceIndex): Finding<"RS001">[] {
  const required = sighting.counted.find((counted) => !counted.reference.optional);
  if (sighting.source !== undefined || required === undefined) return [];
  if (sources.isMade(sighting.kind, sighting.namespace, sighting.name, item)) return [];
  const other = sourceInOtherNamespace(item, sighting, sources);
  return [notFound(item, sighting, required.reference, other)];
}

function notFound(item: Item, sighting: Sighting, reference: Reference, other: Item | undefined): Finding<"RS001"> {
  const location = locationOf(reference.item ?? item, reference);
  const params = { workload: resourceRef(item), source: sourceNameOf(sighting), through: intermediateOf(reference) };
  if (other === undefined) return { id: "RS001", cause: "missingInRendering", params, ...location };
  const namespace = item.namespace || other.namespace;
  const elsewhere = { ...params, other: resourceRef(other), namespace };
  return { id: "RS001", cause: "defaultNamespace", params: elsewhere, ...location };
}

/**
 * A stamped optional source that was not found, while the input has a source of that name in another namespace. It was
 * found as long as the input used one namespace; its stamp is kept.
 */
function keptStampFindings(template: PodTemplate, sighting: Sighting, sources: SourceIndex): Finding<"RS001">[] {
  const [first] = sighting.counted;
  if (sighting.source !== undefined || first === undefined) return [];
  if (sighting.counted.some(({ reference }) => !reference.optional)) return [];
  if (!templateAnnotations(template).has(sighting.stampKey)) return [];
  const { item } = template;
  const other = sourceInOtherNamespace(item, sighting, sources);
  return other === undefined ? [] : [notFound(item, sighting, first.reference, other)];
}

/**
 * The source that may be intended, if the two differ only because one of them sets its namespace. Charts set it in some
 * templates and leave it to Helm in others.
 */
function sourceInOtherNamespace(item: Item, { kind, name, ...seen }: Sighting, sources: SourceIndex): Item | undefined {
  // A reference may set a namespace.
  if (seen.stampKey !== stampKey(kind, "", name)) return undefined;
  return sources.named(kind, name, item.namespace === "")?.item;
}

/** RS002: keys that are not in the source and not optional. */
export function missingKeys(item: Item, sighting: Sighting, sources: SourceIndex): Finding<"RS002">[] {
  const { source: found } = sighting;
  if (found === undefined) return [];
  const known = knownKeys(found, sources.entries(found));
  if (known === undefined) return [];
  const reported = new Set<string>();
  const source = sourceNameOf(sighting);
  return sighting.counted.flatMap(({ reference }): Finding<"RS002">[] => {
    if (reference.optional) return [];
    return reference.requiredKeys.flatMap((key): Finding<"RS002">[] => {
      if (known.has(key) || reported.has(key) || mayAddKey(found, key, sources)) return [];
      reported.add(key);
      const params = { workload: resourceRef(item), source, through: intermediateOf(reference), key };
      return [{ id: "RS002", cause: "missingInRendering", params, ...locationOf(reference.item ?? item, reference) }];
    });
  });
}

/** Whether another object that makes the same Secret may give it a key: several ExternalSecrets may merge into one. */
function mayAddKey(source: Source, key: string, sources: SourceIndex): boolean {
  if (source.declared === undefined) return false;
  const makers = byProvided(sources).get(objectKey(source.provides)) ?? [];
  return makers.some((other) => other !== source && knownKeys(other, sources.entries(other))?.has(key) !== false);
}

const byProvided = onceFor(({ all }: SourceIndex) => groupedBy(all, ({ provides }) => objectKey(provides)));

function coverage(item: Item, sighting: Sighting): Finding[] {
  const { source } = sighting;
  const first = sighting.counted[0];
  if (source === undefined || source.coverage === "content" || first === undefined) return [];
  const maker = source.declared === undefined ? undefined : resourceRef(source.item);
  return [
    {
      id: "coverage",
      cause: source.coverage,
      params: { workload: resourceRef(item), source: sourceNameOf(sighting), maker },
      ...locationOf(first.reference.item ?? item, first.reference),
    },
  ];
}

/** RS022: a source that a known reloader next to the process watches. */
export function selfReloading(template: PodTemplate, sighting: Sighting): Finding<"RS022">[] {
  const [first] = sighting.counted;
  if (sighting.source === undefined || first === undefined) return [];
  const reloader = reloaderOf(
    template,
    sighting.counted.map(({ reference }) => reference),
  );
  if (reloader === undefined) return [];
  const { item } = template;
  const params = { workload: resourceRef(item), source: sourceNameOf(sighting), reloader: reloader.name };
  return [{ id: "RS022", cause: "reloads", params, ...locationOf(first.reference.item ?? item, first.reference) }];
}

/** The template of an ExternalSecret reads it; the workload does not name it. */
function intermediateOf({ through }: Reference): ResourceRef | undefined {
  return through === undefined ? undefined : resourceRef(through);
}

/** Why HelmReleases and Applications that opt in get no stamps. */
export function valueFindings({ selected, workload, templates }: Decision, items: readonly Item[]): Finding[] {
  const { item, kind } = workload;
  if (!selected || kind.holds === undefined) return [];
  const isReferencing = templates.some(({ counted, leftOut }) => counted.length + leftOut.length > 0);
  if (isReferencing) return [];
  const unstamped: UnstampedRelease | undefined =
    workload.templates.length > 0 ? { cause: "noReferences" } : unstampedRelease(item, kind.holds, chartSources(items));
  if (unstamped === undefined) return [];
  const data = releaseData(resourceRef(item), unstamped);
  return [{ ...data, ...locationOf(item, { node: item.node }) }];
}

function releaseData(object: ResourceRef, unstamped: UnstampedRelease): FindingData<"unstamped-release"> {
  const id = "unstamped-release";
  switch (unstamped.cause) {
    case "unknownChart":
      return { id, cause: unstamped.cause, params: { object, chart: unstamped.chart } };
    case "missingSource":
      return { id, cause: unstamped.cause, params: { object, source: unstamped.source } };
    case "stringValues":
    case "noReferences":
      return { id, cause: unstamped.cause, params: { object } };
  }
}

/** The workloads that should wait for their stamps and cannot: a render does not know the previous state, and copies do not wait. */
export function waitsInRender(
  decisions: readonly Decision[],
  cause: "rendering" | "copies" = "rendering",
): Finding<"waiting">[] {
  return decisions.flatMap(({ workload, touched, selected, templates }) => {
    if (!touched || !selected) return [];
    const sources = templates.flatMap(({ counted }) => counted.flatMap(({ source }) => source?.item ?? []));
    const keys = new Set([
      ...[...workload.runBy, workload.item].flatMap((item) => keysOf(item, OF_WORKLOADS)),
      ...[...new Set(sources)].flatMap((item) => keysOf(item, OF_SOURCES)),
    ]);
    const { item } = workload;
    const params = { workload: resourceRef(item), annotations: [...keys] };
    return keys.size === 0 ? [] : [{ id: "waiting", cause, params, ...locationOf(item, item) }];
  });
}

// A time zone without a window has no effect.
const OF_WORKLOADS: readonly string[] = WAVE_KEYS.filter((key) => key !== ROLLOUT_TIME_ZONE);
const OF_SOURCES: readonly string[] = [ROLLOUT_WINDOW];

function keysOf(item: Item, keys: readonly string[]): readonly string[] {
  return item.isAnnotated ? keys.filter((key) => annotationNode(item, key) !== NONE) : [];
}
