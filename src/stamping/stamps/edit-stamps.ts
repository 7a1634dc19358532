import { isStampKey } from "../../base/stamp-keys.ts";
import { RESTART_KEYS } from "../../kubernetes/rollout/restart-fields.ts";
import { labelsPath } from "../../kubernetes/workloads/pod-labels.ts";
import { templateAnnotations } from "../../kubernetes/workloads/template-annotations.ts";
import type { PodTemplate } from "../../kubernetes/workloads/types.ts";
import type { DesiredStamps } from "./types.ts";
import { nameField } from "./reference-edits.ts";
import { editAnnotations, takeLabels } from "../../yaml/edit/annotations.ts";
import type { Splice } from "../../yaml/edit/splice.ts";
import { isMapping } from "../../yaml/read/json.ts";
import { appliedJson } from "../../yaml/read/kubectl-view.ts";
import { type Json, get, getPath, kindOf, stringOf } from "../../yaml/read/node.ts";

export { templateAnnotationNode, templateAnnotations } from "../../kubernetes/workloads/template-annotations.ts";

/**
 * The splices that give a pod template its wanted stamps, remove all other stamps of ours, and remove the chart's
 * checksums and labels.
 */
export function stampEdits(desired: DesiredStamps): Splice[] {
  const { template } = desired.decision;
  const { item, base } = template;
  const { copies } = desired;
  const set = copies === undefined ? desired.stamps : without(desired.stamps, copies);
  const remove = new Set([...removedAnnotations(desired), ...(copies?.keys() ?? [])]);
  const path = labelsPath(template);
  // The order matters: at the same offset, insertions come before removals.
  return [
    ...(remove.size === 0 && set.size === 0
      ? []
      : editAnnotations({ item, base, path: template.annotationsPath }, { set, remove })),
    ...(path === undefined || desired.marks.labels.size === 0
      ? []
      : takeLabels({ item, base, path }, desired.marks.labels)),
  ];
}

function without<V>(map: ReadonlyMap<string, V>, keys: Pick<ReadonlyMap<string, unknown>, "has">): Map<string, V> {
  return new Map([...map].filter(([key]) => !keys.has(key)));
}

/** The annotations that are removed from a pod template: unwanted stamps and checksums of charts. */
export function removedAnnotations(desired: DesiredStamps): ReadonlySet<string> {
  const remove = new Set<string>();
  for (const key of templateAnnotations(desired.decision.template).keys()) {
    const isStale = isStampKey(key) && !desired.stamps.has(key) && !desired.kept.has(key);
    if (isStale || desired.marks.annotations.has(key)) remove.add(key);
  }
  return remove;
}

/** The annotations of a pod template after stamping, whether or not the run changes it. */
export function stampedAnnotations(
  template: PodTemplate,
  desired: DesiredStamps | undefined,
): ReadonlyMap<string, string> {
  const annotations = new Map(templateAnnotations(template));
  if (desired === undefined) return annotations;
  for (const key of removedAnnotations(desired)) annotations.delete(key);
  for (const [key, value] of desired.stamps) annotations.set(key, value);
  return annotations;
}

/** The parts of a pod template to compare. */
interface TemplateParts {
  readonly annotations: ReadonlyMap<string, string>;
  /** The labels that are removed. */
  readonly withoutLabels: ReadonlySet<string>;
  readonly spec: boolean;
}

/**
 * A pod template as data, without the annotations that are reported as sources and restarts. The spec may be left out.
 */
export function templateData(
  template: PodTemplate,
  { annotations, withoutLabels, spec: hasSpec }: TemplateParts,
): Json {
  const { tree } = template.item;
  const metadataPath = template.annotationsPath.slice(0, -1);
  const metadataNode = getPath(tree, template.base, metadataPath);
  const written = kindOf(tree, metadataNode) === "mapping" ? appliedJson(tree, metadataNode) : null;
  const metadata: { [key: string]: Json } = { ...(isMapping(written) ? ownMetadata(template, written) : {}) };
  metadata["annotations"] = Object.fromEntries(
    [...annotations].filter(([key]) => !isStampKey(key) && !RESTART_KEYS.includes(key)),
  );
  const { labels } = metadata;
  if (withoutLabels.size > 0 && isMapping(labels)) {
    const kept = Object.entries(labels).filter(([key]) => !withoutLabels.has(key));
    metadata["labels"] = Object.fromEntries(kept);
  }
  const [podSpec] = template.podSpecs;
  const spec = podSpec !== undefined && hasSpec ? podSpecData(template, appliedJson(tree, podSpec.node)) : null;
  return { metadata, spec: template.copies === undefined ? spec : namingSources(spec, sourcesByCopy(template)) };
}

/** The names of sources by the names of their copies in a pod template. */
function sourcesByCopy({ item, references }: PodTemplate): ReadonlyMap<string, string> {
  return new Map(
    references.flatMap((reference) => {
      const place = reference.copy === undefined ? undefined : nameField(item, reference);
      const written = place && stringOf(item.tree, get(item.tree, place.mapping, place.key));
      return written === undefined ? [] : [[written, reference.name] as const];
    }),
  );
}

/** Data of a pod spec that names the sources of its copies: a changed copy is a changed source. */
function namingSources(data: Json, sources: ReadonlyMap<string, string>): Json {
  if (Array.isArray(data)) return data.map((element) => namingSources(element, sources));
  if (!isMapping(data)) return data;
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => {
      const source = typeof value === "string" && NAMES.has(key) ? sources.get(value) : undefined;
      return [key, source ?? namingSources(value, sources)];
    }),
  );
}

const NAMES: ReadonlySet<string> = new Set(["name", "secretName"]);

/** True if metadata and spec are siblings, as in Kubernetes' own pod templates. */
function isPodTemplate(template: PodTemplate): boolean {
  return (
    template.annotationsPath.join(".") === "metadata.annotations" &&
    template.podSpecs[0]?.field === `${template.field}.spec`
  );
}

/** The metadata that reaches the pods: all of a pod template's, only the labels of other mappings. */
function ownMetadata(template: PodTemplate, metadata: { [key: string]: Json }): { [key: string]: Json } {
  if (isPodTemplate(template)) return metadata;
  const labels = template.annotationsPath.at(-1) === "annotations" ? metadata["labels"] : undefined;
  return labels === undefined ? {} : { labels };
}

/** Fields next to the pod spec of a custom kind that scale or pause it and do not change pods. */
export const BESIDE_THE_PODS: readonly string[] = ["replicas", "shards", "paused", "suspend"];

function podSpecData(template: PodTemplate, spec: Json): Json {
  if (isPodTemplate(template) || !isMapping(spec) || template.item.kind === "Pod") return spec;
  const first = template.annotationsPath[0];
  const left = [...BESIDE_THE_PODS, ...(first === undefined ? [] : [first])];
  return Object.fromEntries(Object.entries(spec).filter(([key]) => !left.includes(key)));
}
