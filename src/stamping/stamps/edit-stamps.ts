import { isStampKey } from "../../base/stamp-keys.ts";
import { RESTART_KEYS } from "../../kubernetes/rollout/restart-fields.ts";
import { labelsPath } from "../../kubernetes/workloads/pod-labels.ts";
import { templateAnnotations } from "../../kubernetes/workloads/template-annotations.ts";
import type { PodTemplate } from "../../kubernetes/workloads/types.ts";
import type { DesiredStamps } from "./desired.ts";
import { editAnnotations, takeLabels } from "../../yaml/edit/annotations.ts";
import type { Splice } from "../../yaml/edit/splice.ts";
import { isMapping } from "../../yaml/read/json.ts";
import { type Json, getPath, kindOf, toJson } from "../../yaml/read/node.ts";

export { templateAnnotationNode, templateAnnotations } from "../../kubernetes/workloads/template-annotations.ts";

/**
 * The splices that give a pod template the stamps that it is to have, and no other ones of ours; and that take what
 * goes of its chart's own marks.
 */
export function stampEdits(desired: DesiredStamps): Splice[] {
  const { template } = desired.decision;
  const { item, base } = template;
  const remove = removedAnnotations(desired);
  const path = labelsPath(template);
  // In this order: what is put in at a place comes before what is taken out there.
  return [
    ...(remove.size === 0 && desired.stamps.size === 0
      ? []
      : editAnnotations({ item, base, path: template.annotationsPath }, { set: desired.stamps, remove })),
    ...(path === undefined || desired.marks.labels.size === 0
      ? []
      : takeLabels({ item, base, path }, desired.marks.labels)),
  ];
}

/** The annotations that a pod template loses: stamps without a reason to be, and charts' checksums. */
export function removedAnnotations(desired: DesiredStamps): ReadonlySet<string> {
  const remove = new Set<string>();
  for (const key of templateAnnotations(desired.decision.template).keys()) {
    const isStale = isStampKey(key) && !desired.stamps.has(key) && !desired.kept.has(key);
    if (isStale || desired.marks.annotations.has(key)) remove.add(key);
  }
  return remove;
}

/** The annotations of a pod template as stamping would leave them, whether or not it was stamped. */
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

/** What of a pod template counts. */
interface TemplateParts {
  readonly annotations: ReadonlyMap<string, string>;
  /** The labels that it loses. */
  readonly withoutLabels: ReadonlySet<string>;
  readonly spec: boolean;
}

/**
 * A pod template as data, without the annotations that are told as sources and restarts. The spec
 * may be left out.
 */
export function templateData(
  template: PodTemplate,
  { annotations, withoutLabels, spec: hasSpec }: TemplateParts,
): Json {
  const { tree } = template.item;
  const metadataPath = template.annotationsPath.slice(0, -1);
  const metadataNode = getPath(tree, template.base, metadataPath);
  const written = kindOf(tree, metadataNode) === "mapping" ? toJson(tree, metadataNode) : null;
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
  const spec = podSpec !== undefined && hasSpec ? podSpecData(template, toJson(tree, podSpec.node)) : null;
  return { metadata, spec };
}

/** True where metadata and spec stand side by side, as Kubernetes' own pod templates have them. */
function isPodTemplate(template: PodTemplate): boolean {
  return (
    template.annotationsPath.join(".") === "metadata.annotations" &&
    template.podSpecs[0]?.field === `${template.field}.spec`
  );
}

/** What of the metadata reaches the pods: all of a pod template's, the labels of other mappings. */
function ownMetadata(template: PodTemplate, metadata: { [key: string]: Json }): { [key: string]: Json } {
  if (isPodTemplate(template)) return metadata;
  const labels = template.annotationsPath.at(-1) === "annotations" ? metadata["labels"] : undefined;
  return labels === undefined ? {} : { labels };
}

/** Fields of a custom kind beside its pod spec that scale and halt, and change no pod. */
const BESIDE_THE_PODS = ["replicas", "shards", "paused", "suspend"];

function podSpecData(template: PodTemplate, spec: Json): Json {
  if (isPodTemplate(template) || !isMapping(spec) || template.item.kind === "Pod") return spec;
  const first = template.annotationsPath[0];
  const left = [...BESIDE_THE_PODS, ...(first === undefined ? [] : [first])];
  return Object.fromEntries(Object.entries(spec).filter(([key]) => !left.includes(key)));
}
