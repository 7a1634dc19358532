import type { ConfigHashSpec } from "../config/config-hash.ts";
import { describe, type Item } from "../manifest/items.ts";
import type { Finding, Severity } from "../results/findings.ts";
import { locationOf } from "../results/location.ts";
import { knownKeys } from "../sources/content.ts";
import type { SourceIndex } from "../sources/source-index.ts";
import type { Source } from "../sources/types.ts";
import type { Reference } from "../workloads/types.ts";
import type { DesiredStamps } from "./desired.ts";
import type { Sighting } from "./sightings.ts";
import { stampKey } from "../ground/stamp-keys.ts";

/** What is to be told of a pod template's sources: missing ones, missing keys, what a stamp can't see. */
export function stampFindings(desired: DesiredStamps, sources: SourceIndex, spec: ConfigHashSpec): Finding[] {
  const { item } = desired.decision.template;
  const severity = severityOf(spec);
  return desired.sightings.flatMap((sighting) => [
    ...(severity === undefined ? [] : missingSource(item, sighting, sources, severity)),
    ...(severity === undefined ? [] : missingKeys(item, sighting, sources, severity)),
    ...coverage(item, sighting),
  ]);
}

function severityOf(spec: ConfigHashSpec): Severity | undefined {
  if (spec.missing === "Ignore") return undefined;
  return spec.missing === "Error" ? "error" : "warning";
}

/** RS001: a source that is not in the input, by a reference that is not optional. */
export function missingSource(item: Item, sighting: Sighting, sources: SourceIndex, severity: Severity): Finding[] {
  const required = sighting.counted.find((counted) => !counted.reference.optional);
  if (sighting.source !== undefined || required === undefined) return [];
  return [
    {
      rule: "RS001",
      severity,
      message: `${describe(item)} uses ${sighting.kind} ${nameOf(sighting)}${through(required.reference)}, which is not in the input`,
      remedy:
        oneElsewhere(item, sighting, sources) ??
        "Render it together with the workload, mark the reference optional, or set 'missing: Ignore'.",
      ...locationOf(required.reference.item ?? item, required.reference),
      tags: { source: sourceTag(sighting), coverage: "missing" },
    },
  ];
}

/**
 * What to do where the two may miss each other only because one of them names its namespace: charts
 * leave that to Helm in some templates and write it in others.
 */
function oneElsewhere(item: Item, { kind, name, ...seen }: Sighting, sources: SourceIndex): string | undefined {
  // A reference may name a namespace itself.
  if (seen.stampKey !== stampKey(kind, "", name)) return undefined;
  const other = sources.all.find(
    ({ provides, item: source }) =>
      provides.kind === kind && provides.name === name && (source.namespace === "") !== (item.namespace === ""),
  );
  if (other === undefined) return undefined;
  const namespace = item.namespace || other.item.namespace;
  return `The input has ${describe(other.item)}: if both go to one namespace, set 'defaultNamespace: ${namespace}'.`;
}

/** RS002: keys that a source in the input has not, by references that are not optional. */
export function missingKeys(item: Item, sighting: Sighting, sources: SourceIndex, severity: Severity): Finding[] {
  if (sighting.source === undefined) return [];
  const known = knownKeys(sighting.source, sources.entries(sighting.source));
  if (known === undefined) return [];
  const told = new Set<string>();
  return sighting.counted.flatMap(({ reference }): Finding[] => {
    if (reference.optional) return [];
    return reference.requiredKeys.flatMap((key): Finding[] => {
      if (known.has(key) || told.has(key)) return [];
      told.add(key);
      return [
        {
          rule: "RS002",
          severity,
          message: `${describe(item)} uses the key '${key}' of ${sighting.kind} ${nameOf(sighting)}${through(reference)}, which has no such key`,
          remedy: "Add the key, mark the reference optional, or mend its name.",
          ...locationOf(reference.item ?? item, reference),
          tags: { source: sourceTag(sighting), key },
        },
      ];
    });
  });
}

const UNSEEN: Readonly<Record<Exclude<Source["coverage"], "content">, string>> = {
  ciphertext: "the stamp covers the encrypted form: encrypting the same content anew changes it",
  declaration: "the stamp covers only where the content comes from: a change in the outside store is not seen",
};

function coverage(item: Item, sighting: Sighting): Finding[] {
  const { source } = sighting;
  const first = sighting.counted[0];
  if (source === undefined || source.coverage === "content" || first === undefined) return [];
  const maker = source.declared === undefined ? "an encrypted object" : describe(source.item);
  return [
    {
      rule: "coverage",
      severity: "info",
      message: `${describe(item)} uses ${sighting.kind} ${nameOf(sighting)} from ${maker}: ${UNSEEN[source.coverage]}`,
      ...locationOf(first.reference.item ?? item, first.reference),
      tags: { source: sourceTag(sighting), coverage: source.coverage },
    },
  ];
}

/** An ExternalSecret's template reads it: the workload itself doesn't name it. */
function through(reference: Reference): string {
  return reference.through === undefined ? "" : ` (read by ${describe(reference.through)})`;
}

function nameOf(sighting: Sighting): string {
  return `${sighting.namespace}/${sighting.name}`;
}

function sourceTag(sighting: Sighting): string {
  return `${sighting.kind}/${sighting.namespace}/${sighting.name}`;
}
