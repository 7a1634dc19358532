import type { ConfigHashSpec } from "../config/config-hash.ts";
import { DECLARED_KEY } from "../digest/hash-v1.ts";
import { annotationOf, describe, placeOf, type Item } from "../manifest/items.ts";
import { resourceRef, type Finding, type Severity } from "../results/findings.ts";
import type { SourceIndex } from "../sources/source-index.ts";
import type { Source } from "../sources/types.ts";
import type { Reference } from "../workloads/types.ts";
import type { DesiredStamps } from "./desired.ts";
import type { Sighting } from "./sightings.ts";

/** What is to be told of a pod template's sources: missing ones, missing keys, what a stamp can't see. */
export function stampFindings(desired: DesiredStamps, sources: SourceIndex, spec: ConfigHashSpec): Finding[] {
  const { item } = desired.decision.template;
  return desired.sightings.flatMap((sighting): Finding[] => {
    if (sighting.source === undefined) return missingSource(item, sighting, spec);
    return [...missingKeys(item, sighting, sighting.source, sources, spec), ...coverage(item, sighting, sighting.source)];
  });
}

function severityOf(spec: ConfigHashSpec): Severity | undefined {
  if (spec.missing === "Ignore") return undefined;
  return spec.missing === "Error" ? "error" : "warning";
}

function missingSource(item: Item, sighting: Sighting, spec: ConfigHashSpec): Finding[] {
  const severity = severityOf(spec);
  const required = sighting.counted.find((counted) => !counted.reference.optional);
  if (severity === undefined || required === undefined) return [];
  return [
    {
      rule: "RS001",
      severity,
      message: `${describe(item)} uses ${sighting.kind} ${nameOf(sighting)}, which is not in the input`,
      remedy: "Render it together with the workload, mark the reference optional, or set 'missing: Ignore'.",
      ...location(item, required.reference),
      tags: { source: sourceTag(sighting), coverage: "missing" },
    },
  ];
}

function missingKeys(item: Item, sighting: Sighting, source: Source, sources: SourceIndex, spec: ConfigHashSpec): Finding[] {
  const severity = severityOf(spec);
  if (severity === undefined) return [];
  const entries = sources.entries(source);
  // A declared source doesn't tell the keys of what it makes.
  if (entries.has(DECLARED_KEY)) return [];
  const told = new Set<string>();
  return sighting.counted.flatMap(({ reference }): Finding[] => {
    if (reference.optional) return [];
    return reference.requiredKeys.flatMap((key): Finding[] => {
      if (entries.has(key) || told.has(key)) return [];
      told.add(key);
      return [
        {
          rule: "RS002",
          severity,
          message: `${describe(item)} uses the key '${key}' of ${sighting.kind} ${nameOf(sighting)}, which has no such key`,
          remedy: "Add the key, mark the reference optional, or mend its name.",
          ...location(item, reference),
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

function coverage(item: Item, sighting: Sighting, source: Source): Finding[] {
  const first = sighting.counted[0];
  if (source.coverage === "content" || first === undefined) return [];
  const maker = source.declared === undefined ? "an encrypted object" : describe(source.item);
  return [
    {
      rule: "coverage",
      severity: "info",
      message: `${describe(item)} uses ${sighting.kind} ${nameOf(sighting)} from ${maker}: ${UNSEEN[source.coverage]}`,
      ...location(item, first.reference),
      tags: { source: sourceTag(sighting), coverage: source.coverage },
    },
  ];
}

function nameOf(sighting: Sighting): string {
  return `${sighting.namespace}/${sighting.name}`;
}

function sourceTag(sighting: Sighting): string {
  return `${sighting.kind}/${sighting.namespace}/${sighting.name}`;
}

/** Where a reference is, in the forms that results and messages have. */
function location(item: Item, reference: Reference): Pick<Finding, "resource" | "field" | "file" | "place"> {
  const file = hostFile(item);
  return {
    resource: resourceRef(item),
    field: reference.field,
    ...(file === undefined ? {} : { file }),
    place: placeOf(item.tree, reference.node),
  };
}

const PATHS = ["internal.config.kubernetes.io/path", "config.kubernetes.io/path"] as const;
const INDEXES = ["internal.config.kubernetes.io/index", "config.kubernetes.io/index"] as const;

/** The file that the host says an item is from. */
export function hostFile(item: Item): Finding["file"] {
  const path = PATHS.map((key) => annotationOf(item, key)).find((value) => value !== undefined);
  if (path === undefined) return undefined;
  const index = INDEXES.map((key) => annotationOf(item, key)).find((value) => value !== undefined);
  return index !== undefined && /^\d+$/u.test(index) ? { path, index: Number(index) } : { path };
}
