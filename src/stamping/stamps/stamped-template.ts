import { type Json } from "../../yaml/read/node.ts";
import { isMapping } from "../../yaml/read/json.ts";
import { getPath, kindOf, toJson } from "../../yaml/read/node.ts";
import { RESTART_KEYS } from "../../kubernetes/rollout/restart-fields.ts";
import { removedAnnotations, templateAnnotations } from "./edit-stamps.ts";
import { isStampKey } from "../../base/stamp-keys.ts";
import type { DesiredStamps } from "./desired.ts";
import type { PodTemplate } from "../../kubernetes/workloads/types.ts";

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
export interface TemplateParts {
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
